"""Softmax: scores in, weights out; and its slope, the Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from bloque import errors


@errors.checks_overflow
def softmax(scores: Any, axis: int = -1) -> np.ndarray:
    """Weights that are positive, add up to 1 along ``axis`` and keep the order of the scores.

        softmax(z)_i = exp(z_i) / Σ_j exp(z_j) = exp(z_i − max z) / Σ_j exp(z_j − max z)

    Subtracting the maximum changes no weight (only differences between scores count) and keeps
    the exponentials from overflowing. Bishop and Bishop (2024), section 12.1.5.

    scores: (..., n) numbers; −inf is a score like any other and gets the weight 0.
    Returns an array of the same shape.
    Raises ValueError, naming the row, where a row holds a NaN or +inf or nothing but −inf.
    """
    scores, dtype = errors.floats(scores=scores)
    return errors.as_type(_softmax(scores, axis), dtype, "softmax")


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    if scores.size:
        errors.softmax_rows(largest, axis)
    weights = scores - largest  # the only new array: the next two lines work in place
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights


def softmax_masked(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Softmax of the rows of ``scores`` under a mask; a row that may attend to nothing gets zeros.

    scores: (..., n_q, n_k) floating point; mask as in `bloque.attention`, already checked.
    """
    if mask is None and scores.shape[-1]:
        return _softmax(scores)
    if mask is None:
        return scores
    if mask.dtype == bool:
        scores = np.where(mask, scores, -np.inf).astype(scores.dtype, copy=False)
        closed = ~mask.any(axis=-1, keepdims=True)
    else:
        scores = scores + mask
        closed = (mask == -np.inf).all(axis=-1, keepdims=True)
    if closed.any():
        np.copyto(scores, 0, where=closed)  # any finite row will do: its weights are taken away below
    weights = _softmax(scores)
    if closed.any():
        np.copyto(weights, 0, where=closed)
    return weights


@errors.checks_overflow
def softmax_jacobian(weights: Any) -> np.ndarray:
    """How each weight moves when each score moves.

        J = diag(p) − p pᵀ,   J_ij = ∂p_i/∂z_j = p_i (δ_ij − p_j)

    weights: (..., n), rows of `softmax`.
    Returns (..., n, n), symmetric, with rows that add up to 0.
    """
    weights, dtype = errors.floats(weights=weights)
    errors.shapes("softmax_jacobian", weights=(weights, "... n"))
    column, row = weights[..., :, None], weights[..., None, :]  # (..., n, 1), (..., 1, n)
    jacobian = column * np.eye(weights.shape[-1], dtype=weights.dtype) - column * row  # (..., n, n)
    return errors.as_type(jacobian, dtype, "softmax_jacobian")
