"""The exact backward pass of each piece, each beside the forward pass that keeps what it needs.

A backward pass takes the gradient of a loss by the output of a piece, and what the forward pass
kept. It returns the gradients of the same loss by the inputs and by the parameters, the latter in
the parameters' own containers. For a product Y = X W the two rules are ∂X = ∂Y Wᵀ and ∂W = Xᵀ ∂Y;
where something was used several times (by rows, sentences, heads), its gradients add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from bloque import errors
from bloque.activations import ACTIVATIONS, SLOPES
from bloque.attention import attention, attention_scale
from bloque.block import BlockParameters, FeedForwardParameters, check_feed_forward
from bloque.heads import MultiHeadParameters, check_multi_head, merge_heads, project, project_heads, split_heads
from bloque.norm import NormParameters, check_norm, layer_norm, standardise


@errors.floating("gradient", "weights")
def softmax_backward(gradient: np.ndarray, weights: np.ndarray, axis: int = -1) -> np.ndarray:
    """∂z = J ∂p = p ⊙ (∂p − Σ_j p_j ∂p_j), without ever building J = diag(p) − p pᵀ.

    gradient, weights: (..., n), by the weights p = softmax(z), and the weights themselves.
    Returns (..., n), the gradient by the scores.
    Raises ValueError where the gradient has not the shape of the weights, or these have no such axis.
    """
    errors.same_shape("softmax_backward", weights.shape, gradient=gradient, weights=weights)
    errors.axis("weights", weights, axis)
    mean = (weights * gradient).sum(axis=axis, keepdims=True)  # (..., 1)
    return weights * (gradient - mean)  # (..., n)


@errors.floating("gradient", "queries", "keys", "values", "weights")
def attention_backward(
    gradient: np.ndarray,
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    *,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of `attention` by queries, keys and values.

    gradient: (..., n_q, d_v), by the output; the others as they entered and left the forward pass.
    The mask is in the weights already: a weight of 0 lets no gradient through to its score.
    Returns three arrays with the shapes of queries, keys and values.
    Raises ValueError where shapes do not fit, the gradient has not the shape of the output, or a
    result overflows.
    """
    scale = attention_scale(_check_attention_backward(gradient, queries, keys, values, weights), scale)
    by_values = weights.swapaxes(-1, -2) @ gradient  # (..., n_k, d_v)
    by_weights = _summed_to(weights, gradient @ values.swapaxes(-1, -2))  # (..., n_q, n_k)
    by_scores = softmax_backward(by_weights, weights) * scale  # (..., n_q, n_k)
    by_queries = by_scores @ keys  # (..., n_q, d_k)
    by_keys = by_scores.swapaxes(-1, -2) @ queries  # (..., n_k, d_k)
    return _summed_to(queries, by_queries), _summed_to(keys, by_keys), _summed_to(values, by_values)


@errors.floating("gradient", "x", "gamma")
def layer_norm_backward(
    gradient: np.ndarray, x: np.ndarray, gamma: np.ndarray | None = None, eps: float = 1e-5
) -> tuple[np.ndarray, NormParameters]:
    """The gradients of `layer_norm` by x, and by γ and β.

        ∂x̂ = ∂y ⊙ γ,   ∂x = (∂x̂ − mean(∂x̂) − x̂ mean(∂x̂ ⊙ x̂)) / √(s² + ε)

    The means are over the row: a push along (1, …, 1) or along the row itself is normalised away.
    gradient, x: (..., d), by the output, and the input;  gamma: (d,), or None.
    Returns (..., d), and two arrays (d,).
    Raises ValueError where shapes do not fit, the gradient has not the shape of x, or eps is not a
    number of at least 0.
    """
    check_norm("layer_norm_backward", x, gamma, None, eps)
    errors.same_shape("layer_norm_backward", x.shape, gradient=gradient, x=x)
    normalised, deviation = standardise(x, eps)  # (..., d), (..., 1)
    by_normalised = gradient if gamma is None else gradient * gamma  # (..., d)
    mean = by_normalised.mean(axis=-1, keepdims=True)  # (..., 1)
    along = (by_normalised * normalised).mean(axis=-1, keepdims=True)  # (..., 1)
    by_x = (by_normalised - mean - normalised * along) / deviation  # (..., d)
    return by_x, NormParameters(gamma=_over_rows(gradient * normalised), beta=_over_rows(gradient))


@dataclass(frozen=True, slots=True)
class FeedForwardKept:
    """What `feed_forward_backward` needs of the forward pass."""

    x: np.ndarray  # (..., d_model)
    parameters: FeedForwardParameters
    activation: str
    hidden: np.ndarray  # (..., d_ff), before the activation
    active: np.ndarray  # (..., d_ff), after it


@errors.floating("x", "parameters")
def feed_forward_forward(x: np.ndarray, parameters: FeedForwardParameters, activation: str = "relu") -> tuple[np.ndarray, FeedForwardKept]:
    """The output of `feed_forward`, and what its backward pass needs. Shapes and errors are those of `feed_forward`."""
    check_feed_forward(x, parameters, activation)
    W1, b1, W2, b2 = parameters
    hidden = errors.finite(project(x, W1, b1), "hidden")  # (..., d_ff)
    active = ACTIVATIONS[activation](hidden)  # (..., d_ff)
    return project(active, W2, b2), FeedForwardKept(x, parameters, activation, hidden, active)


@errors.floating("gradient")
def feed_forward_backward(gradient: np.ndarray, kept: FeedForwardKept) -> tuple[np.ndarray, FeedForwardParameters]:
    """The gradients of `feed_forward` by x, and by its parameters.

    gradient: (..., d_model), by the output;  kept: from `feed_forward_forward`.
    Returns (..., d_model), and the parameters' own container.
    Raises ValueError where the gradient has not the shape of the output.
    """
    errors.same_shape("feed_forward_backward", kept.x.shape, gradient=gradient, x=kept.x)
    W1, b1, W2, b2 = kept.parameters
    by_active, by_W2, by_b2 = _project_backward(gradient, kept.active, W2, b2)  # (..., d_ff)
    by_hidden = by_active * SLOPES[kept.activation](kept.hidden)  # (..., d_ff)
    by_x, by_W1, by_b1 = _project_backward(by_hidden, kept.x, W1, b1)  # (..., d_model)
    return by_x, FeedForwardParameters(by_W1, by_b1, by_W2, by_b2)


@dataclass(frozen=True, slots=True)
class MultiHeadKept:
    """What `multi_head_attention_backward` needs of the forward pass."""

    x: np.ndarray  # (..., n_q, d_model)
    context: np.ndarray | None  # (..., n_k, d_model); None: x itself
    parameters: MultiHeadParameters
    heads: int
    scale: float | None
    queries: np.ndarray  # (..., heads, n_q, d_k)
    keys: np.ndarray  # (..., heads, n_k, d_k)
    values: np.ndarray  # (..., heads, n_k, d_k)
    weights: np.ndarray  # (..., heads, n_q, n_k)
    merged: np.ndarray  # (..., n_q, d_model): the heads side by side, before W_O


class MultiHeadGradients(NamedTuple):
    """The gradients of a multi-head attention."""

    x: np.ndarray  # (..., n_q, d_model)
    context: np.ndarray | None  # (..., n_k, d_model); None where keys and values came from x
    parameters: MultiHeadParameters


@errors.floating("x", "weights", "context")
def multi_head_attention_forward(
    x: np.ndarray,
    weights: MultiHeadParameters,
    heads: int,
    *,
    context: np.ndarray | None = None,
    mask: Any = None,
    scale: float | None = None,
) -> tuple[np.ndarray, MultiHeadKept]:
    """The output of `multi_head_attention`, and what its backward pass needs. Arguments and errors are its own."""
    check_multi_head(x, context, weights, heads)
    queries, keys, values = project_heads(x, context, weights, heads)  # (..., heads, n_q or n_k, d_k)
    found, attended = attention(queries, keys, values, mask=mask, scale=scale)  # (..., heads, n_q, d_k)
    merged = merge_heads(found)  # (..., n_q, d_model)
    kept = MultiHeadKept(x, context, weights, heads, scale, queries, keys, values, attended, merged)
    return project(merged, weights.W_O, weights.b_O), kept


@errors.floating("gradient")
def multi_head_attention_backward(gradient: np.ndarray, kept: MultiHeadKept) -> MultiHeadGradients:
    """The gradients of `multi_head_attention` by x, by the context and by its parameters.

    gradient: (..., n_q, d_model), by the output;  kept: from `multi_head_attention_forward`.
    Raises ValueError where the gradient has not the shape of the output.
    """
    errors.same_shape("multi_head_attention_backward", kept.merged.shape, gradient=gradient)
    source, W, heads = kept.x if kept.context is None else kept.context, kept.parameters, kept.heads
    by_merged, by_W_O, by_b_O = _project_backward(gradient, kept.merged, W.W_O, W.b_O)
    by_queries, by_keys, by_values = attention_backward(
        split_heads(by_merged, heads), kept.queries, kept.keys, kept.values, kept.weights, scale=kept.scale
    )
    by_x, by_W_Q, by_b_Q = _project_backward(merge_heads(by_queries), kept.x, W.W_Q, W.b_Q)
    through_keys, by_W_K, by_b_K = _project_backward(merge_heads(by_keys), source, W.W_K, W.b_K)
    through_values, by_W_V, by_b_V = _project_backward(merge_heads(by_values), source, W.W_V, W.b_V)
    by_source = through_keys + through_values
    parameters = MultiHeadParameters(by_W_Q, by_W_K, by_W_V, by_W_O, by_b_Q, by_b_K, by_b_V, by_b_O)
    if kept.context is None:
        return MultiHeadGradients(by_x + by_source, None, parameters)
    return MultiHeadGradients(by_x, by_source, parameters)


Inner = TypeVar("Inner", MultiHeadKept, FeedForwardKept)


@dataclass(frozen=True, slots=True)
class SublayerKept(Generic[Inner]):
    """What the backward pass of an attention or a network needs, with its norm and its residual sum."""

    inner: Inner
    norm: str  # "post" or "pre"
    parameters: NormParameters
    eps: float
    residual: bool
    normed: np.ndarray  # what entered the norm, (..., n, d_model)


@dataclass(frozen=True, slots=True)
class BlockKept:
    """What `encoder_block_backward` needs of the forward pass."""

    first: SublayerKept[MultiHeadKept]
    second: SublayerKept[FeedForwardKept]

    @property
    def attention(self) -> MultiHeadKept:
        """What the attention kept, its weights among it."""
        return self.first.inner

    @property
    def feed_forward(self) -> FeedForwardKept:
        """What the position-wise network kept."""
        return self.second.inner


@errors.floating("x", "parameters")
def encoder_block_forward(
    x: np.ndarray,
    parameters: BlockParameters,
    heads: int,
    *,
    norm: str = "post",
    mask: Any = None,
    activation: str = "relu",
    eps: float = 1e-5,
    scale: float | None = None,
    residual: bool = True,
) -> tuple[np.ndarray, BlockKept]:
    """The output of `encoder_block`, and what its backward pass needs.

    The weights of the attention, (..., heads, n, n), are in ``kept.attention.weights``.
    scale:    as in `attention`, for a block whose scores are not divided by √d_k.
    residual: False leaves out both residual sums: a block to see what they are for.
    The other arguments and the errors are those of `encoder_block`.
    """
    errors.choice("norm", norm, ("post", "pre"))
    attention, attention_norm, network, network_norm = parameters

    def attend(rows: np.ndarray) -> tuple[np.ndarray, MultiHeadKept]:
        return multi_head_attention_forward(rows, attention, heads, mask=mask, scale=scale)

    def think(rows: np.ndarray) -> tuple[np.ndarray, FeedForwardKept]:
        return feed_forward_forward(rows, network, activation)

    x, first = _sublayer_forward(x, attend, norm, attention_norm, eps, residual)  # (..., n, d_model)
    x, second = _sublayer_forward(x, think, norm, network_norm, eps, residual)  # (..., n, d_model)
    return x, BlockKept(first, second)


@errors.floating("gradient")
def encoder_block_backward(gradient: np.ndarray, kept: BlockKept) -> tuple[np.ndarray, BlockParameters]:
    """The gradients of `encoder_block` by x, and by its parameters.

    gradient: (..., n, d_model), by the output;  kept: from `encoder_block_forward`.
    Returns (..., n, d_model), and the parameters' own container.
    Raises ValueError where the gradient has not the shape of the output.
    """
    errors.same_shape("encoder_block_backward", kept.second.normed.shape, gradient=gradient)
    gradient, by_network, by_network_norm = _sublayer_backward(gradient, kept.second, feed_forward_backward)
    gradient, by_attention, by_attention_norm = _sublayer_backward(gradient, kept.first, multi_head_attention_backward)
    return gradient, BlockParameters(by_attention, by_attention_norm, by_network, by_network_norm)


@errors.floating("gradient")
def encoder_backward(gradient: np.ndarray, kept: Sequence[BlockKept]) -> tuple[np.ndarray, list[BlockParameters]]:
    """The gradients of a stack of blocks by its input, and by the parameters of each block.

    gradient: (..., n, d_model), by the output;  kept: from `encoder_block_forward`, block by block.
    Returns (..., n, d_model), and a list with the parameters' container of each block.
    Raises as `encoder_block_backward` does.
    """
    by_parameters = []
    for block in reversed(kept):
        gradient, by_block = encoder_block_backward(gradient, block)
        by_parameters.append(by_block)
    return gradient, by_parameters[::-1]


def _sublayer_forward(
    x: np.ndarray,
    inner: Callable[[np.ndarray], tuple[np.ndarray, Inner]],
    norm: str,
    parameters: NormParameters,
    eps: float,
    residual: bool,
) -> tuple[np.ndarray, SublayerKept[Inner]]:
    """LayerNorm(x + f(x)) with post-norm, x + f(LayerNorm(x)) with pre-norm: (..., n, d_model), as every array here."""
    if norm == "post":
        found, kept = inner(x)
        normed = x + found if residual else found
        output = layer_norm(normed, *parameters, eps)
    else:
        found, kept = inner(layer_norm(x, *parameters, eps))
        normed, output = x, x + found if residual else found
    return output, SublayerKept(kept, norm, parameters, eps, residual, normed)


def _sublayer_backward(
    gradient: np.ndarray, kept: SublayerKept, backward: Callable[..., tuple[Any, ...]]
) -> tuple[np.ndarray, Any, NormParameters]:
    """The gradients by the input of a sublayer, by the parameters of f and by those of its norm.

    The residual sum hands its gradient on twice: as it is, and through f.
    """
    if kept.norm == "post":
        gradient, by_norm = layer_norm_backward(gradient, kept.normed, kept.parameters.gamma, kept.eps)
        through, *_, by_parameters = backward(gradient, kept.inner)
    else:
        through, *_, by_parameters = backward(gradient, kept.inner)
        through, by_norm = layer_norm_backward(through, kept.normed, kept.parameters.gamma, kept.eps)
    by_x = _summed_to(through, gradient) + through if kept.residual else through  # a mask may have added leading axes
    return by_x, by_parameters, by_norm


def _project_backward(
    gradient: np.ndarray, x: np.ndarray, W: np.ndarray, b: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """∂x = ∂y Wᵀ, ∂W = xᵀ ∂y, ∂b = Σ ∂y, where y = x W + b: (..., d_out) -> (..., d_in)."""
    rows = gradient.reshape(-1, gradient.shape[-1])  # (rows, d_out)
    by_W = x.reshape(-1, x.shape[-1]).T @ rows  # (d_in, d_out)
    return (rows @ W.T).reshape(x.shape), by_W, None if b is None else rows.sum(axis=0)


def _check_attention_backward(gradient: np.ndarray, queries: np.ndarray, keys: np.ndarray, values: np.ndarray, weights: np.ndarray) -> int:
    """The shapes that the forward pass gave weights and output, leading axes too; d_k."""
    sizes = errors.shapes(
        "attention_backward",
        queries=(queries, "... n_q d_k"),
        keys=(keys, "... n_k d_k"),
        values=(values, "... n_k d_v"),
        weights=(weights, "... n_q n_k"),
        gradient=(gradient, "... n_q d_v"),
    )
    leading = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], weights.shape[:-2])  # the mask's are in the weights
    errors.same_shape("attention_backward", (*leading, sizes["n_q"], sizes["n_k"]), weights=weights)
    leading = np.broadcast_shapes(leading, values.shape[:-2])
    errors.same_shape("attention_backward", (*leading, sizes["n_q"], sizes["d_v"]), gradient=gradient)
    return sizes["d_k"]


def _over_rows(gradient: np.ndarray) -> np.ndarray:
    """What every row shares collects the gradients of every row: (..., d) -> (d,)."""
    return gradient.reshape(-1, gradient.shape[-1]).sum(axis=0)


def _summed_to(argument: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Add up over the leading axes along which an argument was broadcast."""
    if gradient.shape == argument.shape:
        return gradient
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - argument.ndim)))
    stretched = tuple(i for i, size in enumerate(argument.shape) if size == 1 and gradient.shape[i] != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient
