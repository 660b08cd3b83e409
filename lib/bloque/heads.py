"""Several heads: the columns split, the same attention in each, the results side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bloque import errors
from bloque.attention import attention


class MultiHeadParameters(NamedTuple):
    """The matrices of a multi-head attention, each (d_model, d_model), and their biases, (d_model,) or None.

    Rows multiply from the left, x @ W_Q: columns i·d_k to (i+1)·d_k of W_Q, W_K and W_V belong to
    head i, and so do those rows of W_O.
    """

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    b_Q: np.ndarray | None = None
    b_K: np.ndarray | None = None
    b_V: np.ndarray | None = None
    b_O: np.ndarray | None = None


class MultiHeadKept(NamedTuple):
    """What `multi_head_attention_backward` needs of the forward pass."""

    x: np.ndarray  # (..., n_q, d_model)
    context: np.ndarray | None  # (..., n_k, d_model); None: x itself
    parameters: MultiHeadParameters
    heads: int
    queries: np.ndarray  # (..., heads, n_q, d_k)
    keys: np.ndarray  # (..., heads, n_k, d_k)
    values: np.ndarray  # (..., heads, n_k, d_k)
    weights: np.ndarray  # (..., heads, n_q, n_k)
    merged: np.ndarray  # (..., n_q, d_model), the heads side by side, before W_O


def split_heads(x: Any, heads: int) -> np.ndarray:
    """Cut the columns into heads: (..., n, d_model) -> (..., heads, n, d_model/heads).

    Each row keeps its token: reshaping straight to (heads, n, d_head) would mix tokens. The result
    is a view of x in its own type.
    Raises ValueError when heads does not divide d_model.
    """
    x = np.asarray(x)
    sizes = errors.shapes("split_heads", x=(x, "... n d_model"))
    errors.divisible(sizes["d_model"], heads)
    columns = x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads)  # (..., n, heads, d_head)
    return columns.swapaxes(-2, -3)  # (..., heads, n, d_head)


def merge_heads(x: Any) -> np.ndarray:
    """Put the heads side by side: (..., heads, n, d_head) -> (..., n, heads·d_head); undoes `split_heads`."""
    x = np.asarray(x)
    errors.shapes("merge_heads", x=(x, "... heads n d_head"))
    rows = x.swapaxes(-2, -3)  # (..., n, heads, d_head)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])  # (..., n, d_model)


def multi_head_attention(
    x: Any, weights: MultiHeadParameters, heads: int, *, context: Any = None, mask: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Attention in each head at once, and W_O to mix what they found.

        MultiHead(X) = Concat(head_1, …, head_h) W_O
        head_i = Attention(X W_Q, X W_K, X W_V) on the columns of head i
                                                     Vaswani et al. (2017), section 3.2.2

    x:       (..., n_q, d_model).
    weights: `MultiHeadParameters`, for instance from `multi_head_parameters`.
    context: (..., n_k, d_model), where keys and values come from (cross-attention); None: x itself.
    mask:    as in `attention`, broadcast with (..., heads, n_q, n_k): one mask a sentence, with
             shape (batch, n_q, n_k), is given as mask[:, None].
    Returns the output, (..., n_q, d_model), and the weights, (..., heads, n_q, n_k).
    Raises ValueError where shapes do not fit or heads does not divide d_model.
    """
    output, kept, dtype = _forward(x, weights, heads, context, mask)
    return errors.as_type(output, dtype, "output"), errors.as_type(kept.weights, dtype, "weights")


def multi_head_attention_forward(
    x: Any, weights: MultiHeadParameters, heads: int, *, context: Any = None, mask: Any = None
) -> tuple[np.ndarray, MultiHeadKept]:
    """The output of `multi_head_attention`, and what its backward pass needs."""
    output, kept, dtype = _forward(x, weights, heads, context, mask)
    return errors.as_type(output, dtype, "output"), kept


@errors.checks_overflow
def _forward(
    x: Any, weights: MultiHeadParameters, heads: int, context: Any, mask: Any
) -> tuple[np.ndarray, MultiHeadKept, np.dtype]:
    x, context, weights, dtype = errors.floats(x=x, context=context, weights=weights)
    _check_shapes(x, context, weights, heads)
    source = x if context is None else context

    queries = split_heads(project(x, weights.W_Q, weights.b_Q), heads)  # (..., heads, n_q, d_k)
    keys = split_heads(project(source, weights.W_K, weights.b_K), heads)  # (..., heads, n_k, d_k)
    values = split_heads(project(source, weights.W_V, weights.b_V), heads)  # (..., heads, n_k, d_k)
    averages, attended = attention(queries, keys, values, mask=mask)  # (..., heads, n_q, d_k)
    merged = merge_heads(averages)  # (..., n_q, d_model)
    output = project(merged, weights.W_O, weights.b_O)  # (..., n_q, d_model)
    kept = MultiHeadKept(x, context, weights, heads, queries, keys, values, attended, merged)
    return output, kept, dtype


def project(x: np.ndarray, W: np.ndarray, b: np.ndarray | None) -> np.ndarray:
    """x W + b, the same for every row: (..., n, d_in) -> (..., n, d_out)."""
    rows = x.reshape(-1, x.shape[-1]) @ W  # one product for the whole batch
    if b is not None:
        rows += b
    return rows.reshape(*x.shape[:-1], W.shape[-1])


def _check_shapes(x: np.ndarray, context: np.ndarray | None, weights: MultiHeadParameters, heads: int) -> None:
    square = {name: (getattr(weights, name), "d_model d_model") for name in ("W_Q", "W_K", "W_V", "W_O")}
    biases = {name: (getattr(weights, name), "d_model") for name in ("b_Q", "b_K", "b_V", "b_O")}
    sizes = errors.shapes(
        "multi_head_attention",
        x=(x, "... n_q d_model"),
        context=(context, "... n_k d_model"),
        **square,
        **biases,
    )
    errors.divisible(sizes["d_model"], heads)


def multi_head_parameters(
    d_model: int, heads: int, *, bias: bool = True, seed: int = 0, dtype: Any = np.float64
) -> MultiHeadParameters:
    """Random matrices with variance 1/d_model, which keeps the deviation of what goes through; biases 0.

    Raises ValueError when heads does not divide d_model.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    return random_multi_head(np.random.default_rng(seed), d_model, bias, dtype)


def random_multi_head(rng: np.random.Generator, d_model: int, bias: bool, dtype: Any) -> MultiHeadParameters:
    """The draws of `multi_head_parameters` from a generator that others use too."""
    matrices = [(rng.standard_normal((d_model, d_model)) / np.sqrt(d_model)).astype(dtype) for _ in range(4)]
    biases = [np.zeros(d_model, dtype) if bias else None for _ in range(4)]
    return MultiHeadParameters(*matrices, *biases)
