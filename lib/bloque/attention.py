"""Scaled dot-product attention and the causal mask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bloque import errors
from bloque.softmax import softmax_masked


@errors.floating("queries", "keys", "values")
def attention(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, *, mask: Any = None, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Each query takes a weighted average of the values; its weights say which keys answer it.

        Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V          Vaswani et al. (2017), equation 1

    queries: (..., n_q, d_k);  keys: (..., n_k, d_k);  values: (..., n_k, d_v).
    mask:    boolean, True = may attend, or floating point, added to the scores; it broadcasts
             with the scores, (..., n_q, n_k).
    scale:   what the scores are multiplied by; None means 1/√d_k, 1 means no scaling.
    Returns the output, (..., n_q, d_v), and the weights, (..., n_q, n_k), whose rows add up to 1.
    A row whose mask allows nothing has weights 0 and output 0.
    Raises ValueError where shapes do not fit, or where a result overflows.
    """
    sizes = errors.shapes("attention", queries=(queries, "... n_q d_k"), keys=(keys, "... n_k d_k"), values=(values, "... n_k d_v"))
    scale = attention_scale(sizes["d_k"], scale)
    scores = queries @ keys.swapaxes(-1, -2)  # (..., n_q, n_k)
    scores *= scale
    mask = errors.attention_mask(mask, errors.finite(scores, "scores"))
    weights = softmax_masked(scores, mask)  # (..., n_q, n_k)
    output = weights @ values  # (..., n_q, d_v)
    return output, weights


def attention_scale(d_k: int, scale: float | None) -> float:
    """1/√d_k unless a scale is given, which must be a number."""
    return 1 / math.sqrt(max(d_k, 1)) if scale is None else errors.number("scale", scale)


def causal_mask(n: int) -> np.ndarray:
    """The mask of a decoder: position i may attend to the positions j ≤ i and to none after it.

    Returns (n, n) boolean, True = may attend.
    Raises ValueError when n is not a whole number of at least 0.
    """
    return np.tri(errors.whole("n", n, 0), dtype=bool)
