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


def split_heads(x: Any, heads: int) -> np.ndarray:
    """Cut the columns into heads: (..., n, d_model) -> (..., heads, n, d_model/heads).

    Each row keeps its token: reshaping straight to (heads, n, d_head) would mix tokens. The result
    is a view of x, in the type of x.
    Raises ValueError when heads does not divide d_model.
    """
    x = np.asarray(x)
    sizes = errors.shapes("split_heads", x=(x, "... n d_model"))
    errors.divisible(sizes["d_model"], heads)
    columns = x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads)  # (..., n, heads, d_head)
    return columns.swapaxes(-2, -3)  # (..., heads, n, d_head)


def merge_heads(x: Any) -> np.ndarray:
    """Put the heads side by side: (..., heads, n, d_head) -> (..., n, heads·d_head); undoes `split_heads`.

    Raises ValueError when x has fewer than three axes.
    """
    x = np.asarray(x)
    errors.shapes("merge_heads", x=(x, "... heads n d_head"))
    rows = x.swapaxes(-2, -3)  # (..., n, heads, d_head)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])  # (..., n, d_model)


@errors.floating("x", "weights", "context")
def multi_head_attention(
    x: np.ndarray,
    weights: MultiHeadParameters,
    heads: int,
    *,
    context: np.ndarray | None = None,
    mask: Any = None,
    scale: float | None = None,
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
    scale:   as in `attention`; None means 1/√d_k, with the d_k of one head.
    Returns the output, (..., n_q, d_model), and the weights, (..., heads, n_q, n_k).
    Raises ValueError where shapes do not fit, heads does not divide d_model, or a result overflows.
    """
    check_multi_head(x, context, weights, heads)
    queries, keys, values = project_heads(x, context, weights, heads)  # (..., heads, n_q or n_k, d_k)
    found, attended = attention(queries, keys, values, mask=mask, scale=scale)  # (..., heads, n_q, d_k)
    output = project(merge_heads(found), weights.W_O, weights.b_O)  # (..., n_q, d_model)
    return output, attended


def project_heads(
    x: np.ndarray, context: np.ndarray | None, weights: MultiHeadParameters, heads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The queries of x, and the keys and values of the context, or of x itself, in every head.

    Returns (..., heads, n_q, d_k), and twice (..., heads, n_k, d_k).
    """
    source = x if context is None else context  # (..., n_k, d_model)
    return (
        split_heads(project(x, weights.W_Q, weights.b_Q), heads),
        split_heads(project(source, weights.W_K, weights.b_K), heads),
        split_heads(project(source, weights.W_V, weights.b_V), heads),
    )


def project(x: np.ndarray, W: np.ndarray, b: np.ndarray | None) -> np.ndarray:
    """x W + b, the same for every row: (..., d_in) -> (..., d_out), in one product for the whole batch."""
    rows = x.reshape(-1, x.shape[-1]) @ W  # (rows, d_out)
    if b is not None:
        rows += b
    return rows.reshape(*x.shape[:-1], W.shape[-1])


def check_multi_head(x: np.ndarray, context: np.ndarray | None, weights: MultiHeadParameters, heads: int) -> None:
    """The shapes of a multi-head attention, and heads that divide d_model."""
    letters = {name: "d_model d_model" if name.startswith("W") else "d_model" for name in weights._fields}
    sizes = errors.shapes(
        "multi_head_attention",
        x=(x, "... n_q d_model"),
        context=(context, "... n_k d_model"),
        **{name: (getattr(weights, name), shape) for name, shape in letters.items()},
    )
    errors.divisible(sizes["d_model"], heads)


def multi_head_parameters(d_model: int, heads: int, *, bias: bool = True, seed: int = 0, dtype: Any = np.float64) -> MultiHeadParameters:
    """Random matrices with variance 1/d_model, which keeps the size of what goes through; biases 0.

    bias:  whether there are biases, (d_model,) each; without them those fields are None.
    seed:  a whole number of at least 0; the same seed gives the same matrices.
    dtype: a floating-point type.
    Returns four matrices (d_model, d_model); the draws do not depend on heads, which must only divide d_model.
    Raises ValueError when d_model is not a whole number of at least 1, when heads does not divide it,
    or when seed or dtype is something else than said here.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    rng = np.random.default_rng(errors.whole("seed", seed, 0))
    return random_multi_head(rng, d_model, bias, errors.floating_type("dtype", dtype))


def random_multi_head(rng: np.random.Generator, d_model: int, bias: bool, dtype: Any) -> MultiHeadParameters:
    """The draws of `multi_head_parameters`, from a generator that goes on afterwards."""
    matrices = [(rng.standard_normal((d_model, d_model)) / np.sqrt(d_model)).astype(dtype) for _ in range(4)]
    biases = [np.zeros(d_model, dtype) if bias else None for _ in range(4)]
    return MultiHeadParameters(*matrices, *biases)
