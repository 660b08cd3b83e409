"""Softmax: scores in, weights out; and its slope, the Jacobian."""

from __future__ import annotations

import numpy as np

from bloque import errors


@errors.floating("scores")
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Weights that are positive, add up to 1 along ``axis`` and keep the order of the scores.

        softmax(z)_i = exp(z_i) / Σ_j exp(z_j) = exp(z_i − max z) / Σ_j exp(z_j − max z)

    Subtracting the maximum changes no weight (only differences between scores count) and keeps
    the exponentials from overflowing. Bishop and Bishop (2024), section 12.1.5.

    scores: (..., n) numbers; −inf is a score like any other and gets the weight 0.
    Returns an array of the same shape.
    Raises ValueError, naming the row, where a row holds a NaN or +inf or nothing but −inf; also
    where scores has no such axis.
    """
    errors.axis("scores", scores, axis)
    return softmax_into(np.empty_like(scores), scores, axis)


def softmax_into(weights: np.ndarray, scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """`softmax` written into an array that is already there, which may be that of the scores."""
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    errors.softmax_rows(largest, scores, axis)
    np.subtract(scores, largest, out=weights)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights


def softmax_masked(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Softmax of each row under a mask; a row that may attend to nothing gets weights 0.

    scores: (..., n_q, n_k), overwritten where the mask does not enlarge it, so that attention
    never holds a third array of this size. mask: as `errors.attention_mask` gives it.
    """
    if mask is None:
        return softmax_into(scores, scores)
    if mask.dtype == bool:
        scores = np.where(mask, scores, scores.dtype.type(-np.inf))
        closed = ~mask.any(axis=-1, keepdims=True)  # (..., n_q, 1)
    else:
        scores = scores + mask
        closed = (mask == -np.inf).all(axis=-1, keepdims=True)
    np.copyto(scores, 0, where=closed)  # any finite row will do: its weights are taken away below
    weights = softmax_into(scores, scores)
    np.copyto(weights, 0, where=closed)
    return weights


@errors.floating("weights")
def softmax_jacobian(weights: np.ndarray) -> np.ndarray:
    """How each weight moves when each score moves.

        J = diag(p) − p pᵀ,   J_ij = ∂p_i/∂z_j = p_i (δ_ij − p_j)

    weights: (..., n), rows of `softmax`.
    Returns (..., n, n), symmetric, with rows that add up to 0.
    Raises ValueError where weights has no axis.
    """
    errors.shapes("softmax_jacobian", weights=(weights, "... n"))
    column, row = weights[..., :, None], weights[..., None, :]  # (..., n, 1), (..., 1, n)
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)  # (n, n)
    return column * identity - column * row  # (..., n, n)
