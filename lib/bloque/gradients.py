"""The exact backward pass of each piece, beside which its forward can be read.

Each takes the gradient of a loss by the output of a piece and what the forward pass kept, and
returns the gradients of the same loss by its inputs and parameters, the latter in the parameters'
own containers. For a product Y = X W the two rules are ∂X = ∂Y Wᵀ and ∂W = Xᵀ ∂Y; where an input
was used several times (batch, rows, heads), its gradients add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bloque import errors
from bloque.activations import SLOPES
from bloque.attention import attention_scale
from bloque.block import BlockKept, BlockParameters, FeedForwardKept, FeedForwardParameters
from bloque.heads import MultiHeadKept, MultiHeadParameters, merge_heads, split_heads
from bloque.norm import NormParameters, standardise


class MultiHeadGradients(NamedTuple):
    """The gradients of a multi-head attention by its inputs and by its parameters."""

    x: np.ndarray  # (..., n_q, d_model)
    context: np.ndarray | None  # (..., n_k, d_model); None: in x, where keys and values came from x
    parameters: MultiHeadParameters


def softmax_backward(gradient: Any, weights: Any, axis: int = -1) -> np.ndarray:
    """∂z = J ∂p = p ⊙ (∂p − Σ_j p_j ∂p_j), with the Jacobian J = diag(p) − p pᵀ never built.

    gradient, weights: (..., n), by the weights p = softmax(z) and the weights themselves.
    Returns (..., n), the gradient by the scores.
    """
    gradient, weights, dtype = errors.floats(gradient=gradient, weights=weights)
    errors.shapes("softmax_backward", gradient=(gradient, "... n"), weights=(weights, "... n"))
    mean = (weights * gradient).sum(axis=axis, keepdims=True)
    return errors.as_type(weights * (gradient - mean), dtype, "softmax_backward")


def attention_backward(
    gradient: Any, queries: Any, keys: Any, values: Any, weights: Any, *, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of `attention` by queries, keys and values.

    gradient: (..., n_q, d_v), by the output; the others as they entered and left the forward pass.
    A mask is already in the weights: a weight of 0 lets no gradient through to its score.
    Returns three arrays with the shapes of queries, keys and values.
    """
    gradient, queries, keys, values, weights, dtype = errors.floats(
        gradient=gradient, queries=queries, keys=keys, values=values, weights=weights
    )
    sizes = errors.shapes(
        "attention_backward",
        gradient=(gradient, "... n_q d_v"),
        queries=(queries, "... n_q d_k"),
        keys=(keys, "... n_k d_k"),
        values=(values, "... n_k d_v"),
        weights=(weights, "... n_q n_k"),
    )
    by_values = weights.swapaxes(-1, -2) @ gradient  # (..., n_k, d_v)
    by_weights = gradient @ values.swapaxes(-1, -2)  # (..., n_q, n_k)
    by_scores = softmax_backward(by_weights, weights)  # (..., n_q, n_k)
    by_scores *= attention_scale(scale, sizes["d_k"])
    by_queries = by_scores @ keys  # (..., n_q, d_k)
    by_keys = by_scores.swapaxes(-1, -2) @ queries  # (..., n_k, d_k)
    return (
        errors.as_type(_summed_to(by_queries, queries.shape), dtype, "queries"),
        errors.as_type(_summed_to(by_keys, keys.shape), dtype, "keys"),
        errors.as_type(_summed_to(by_values, values.shape), dtype, "values"),
    )


def multi_head_attention_backward(gradient: Any, kept: MultiHeadKept) -> MultiHeadGradients:
    """The gradients of `multi_head_attention`.

    gradient: (..., n_q, d_model), by the output;  kept: from `multi_head_attention_forward`.
    """
    gradient = np.asarray(gradient, dtype=kept.x.dtype)
    errors.shapes("multi_head_attention_backward", gradient=(gradient, "... n_q d_model"), x=(kept.x, "... n_q d_model"))
    W, heads = kept.parameters, kept.heads
    source = kept.x if kept.context is None else kept.context

    by_merged, by_W_O, by_b_O = _project_backward(gradient, kept.merged, W.W_O, W.b_O)
    by_queries, by_keys, by_values = attention_backward(
        split_heads(by_merged, heads), kept.queries, kept.keys, kept.values, kept.weights
    )
    by_x, by_W_Q, by_b_Q = _project_backward(merge_heads(by_queries), kept.x, W.W_Q, W.b_Q)
    by_source, by_W_K, by_b_K = _project_backward(merge_heads(by_keys), source, W.W_K, W.b_K)
    through_values, by_W_V, by_b_V = _project_backward(merge_heads(by_values), source, W.W_V, W.b_V)
    by_source = by_source + through_values
    parameters = MultiHeadParameters(by_W_Q, by_W_K, by_W_V, by_W_O, by_b_Q, by_b_K, by_b_V, by_b_O)
    if kept.context is None:
        return MultiHeadGradients(by_x + by_source, None, parameters)
    return MultiHeadGradients(by_x, by_source, parameters)


def layer_norm_backward(
    gradient: Any, x: Any, gamma: Any = None, eps: float = 1e-5
) -> tuple[np.ndarray, NormParameters]:
    """The gradients of `layer_norm` by x and by γ and β.

        ∂x̂ = ∂y ⊙ γ,   ∂x = (∂x̂ − mean(∂x̂) − x̂ mean(∂x̂ ⊙ x̂)) / √(s² + ε)

    The two means are over the row: a push along the mean or along the row itself is normalised away.
    gradient, x: (..., d), by the output and the input;  gamma: (d,) or None.
    """
    gradient, x, gamma, dtype = errors.floats(gradient=gradient, x=x, gamma=gamma)
    errors.shapes("layer_norm_backward", gradient=(gradient, "... d"), x=(x, "... d"), gamma=(gamma, "d"))
    normalised, deviation = standardise(x, eps)  # (..., d), (..., 1)
    by_normalised = gradient if gamma is None else gradient * gamma  # (..., d)
    along = (by_normalised * normalised).mean(axis=-1, keepdims=True)  # (..., 1)
    by_x = (by_normalised - by_normalised.mean(axis=-1, keepdims=True) - normalised * along) / deviation
    by_gamma = (gradient * normalised).reshape(-1, x.shape[-1]).sum(axis=0)  # (d,)
    by_beta = gradient.reshape(-1, x.shape[-1]).sum(axis=0)  # (d,)
    parameters = NormParameters(
        errors.as_type(by_gamma, dtype, "gamma"), errors.as_type(by_beta, dtype, "beta")
    )
    return errors.as_type(by_x, dtype, "x"), parameters


def feed_forward_backward(gradient: Any, kept: FeedForwardKept) -> tuple[np.ndarray, FeedForwardParameters]:
    """The gradients of `feed_forward` by x and by its parameters.

    gradient: (..., n, d_model), by the output;  kept: from `feed_forward_forward`.
    """
    gradient = np.asarray(gradient, dtype=kept.x.dtype)
    errors.shapes("feed_forward_backward", gradient=(gradient, "... d_model"), x=(kept.x, "... d_model"))
    W1, b1, W2, b2 = kept.parameters
    by_active, by_W2, by_b2 = _project_backward(gradient, kept.active, W2, b2)  # (..., n, d_ff)
    by_hidden = by_active * SLOPES[kept.activation](kept.hidden)  # (..., n, d_ff)
    by_x, by_W1, by_b1 = _project_backward(by_hidden, kept.x, W1, b1)  # (..., n, d_model)
    return by_x, FeedForwardParameters(by_W1, by_b1, by_W2, by_b2)


def encoder_block_backward(gradient: Any, kept: BlockKept) -> tuple[np.ndarray, BlockParameters]:
    """The gradients of `encoder_block` by x and by its parameters.

    Each residual sum hands its gradient on twice: to x as it is, and through its sublayer.
    gradient: (..., n, d_model), by the output;  kept: from `encoder_block_forward`.
    """
    gradient = np.asarray(gradient, dtype=kept.attention.x.dtype)
    first, second = kept.parameters.attention_norm.gamma, kept.parameters.feed_forward_norm.gamma
    if kept.norm == "post":
        gradient, by_second = layer_norm_backward(gradient, kept.feed_forward_normed, second, kept.eps)
        through, by_network = feed_forward_backward(gradient, kept.feed_forward)
        gradient, by_first = layer_norm_backward(gradient + through, kept.attention_normed, first, kept.eps)
        through, _, by_attention = multi_head_attention_backward(gradient, kept.attention)
        by_x = gradient + through
    else:
        through, by_network = feed_forward_backward(gradient, kept.feed_forward)
        through, by_second = layer_norm_backward(through, kept.feed_forward_normed, second, kept.eps)
        gradient = gradient + through
        through, _, by_attention = multi_head_attention_backward(gradient, kept.attention)
        through, by_first = layer_norm_backward(through, kept.attention_normed, first, kept.eps)
        by_x = gradient + through
    return by_x, BlockParameters(by_attention, by_first, by_network, by_second)


def encoder_backward(gradient: Any, kept: Sequence[BlockKept]) -> tuple[np.ndarray, list[BlockParameters]]:
    """The gradients of a stack of blocks by its input and by the parameters of each block.

    kept: what `encoder_block_forward` kept, block by block in forward order.
    """
    by_parameters: list[BlockParameters] = []
    for block in reversed(kept):
        gradient, by_block = encoder_block_backward(gradient, block)
        by_parameters.insert(0, by_block)
    return np.asarray(gradient), by_parameters


def _project_backward(
    gradient: np.ndarray, x: np.ndarray, W: np.ndarray, b: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """∂x = ∂y Wᵀ, ∂W = xᵀ ∂y, ∂b = Σ ∂y, where y = x W + b: (..., n, d_out) -> (..., n, d_in)."""
    rows = gradient.reshape(-1, gradient.shape[-1])  # (batch·n, d_out)
    by_x = (rows @ W.T).reshape(x.shape)
    by_W = x.reshape(-1, x.shape[-1]).T @ rows  # (d_in, d_out)
    return by_x, by_W, None if b is None else rows.sum(axis=0)


def _summed_to(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Add up over the leading axes along which an input was broadcast."""
    extra = gradient.ndim - len(shape)
    gradient = gradient.sum(axis=tuple(range(extra)))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and gradient.shape[i] != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient
