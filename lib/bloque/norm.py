"""Layer normalisation: each row brought to mean 0 and deviation 1 by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bloque import errors


class NormParameters(NamedTuple):
    """The scale and the shift that follow the normalisation, each (d_model,)."""

    gamma: np.ndarray
    beta: np.ndarray


@errors.floating("x", "gamma", "beta")
def layer_norm(x: np.ndarray, gamma: np.ndarray | None = None, beta: np.ndarray | None = None, eps: float = 1e-5) -> np.ndarray:
    """Each row minus its own mean, over its own deviation; then γ and β, the same for every row.

        LayerNorm(x) = γ ⊙ (x − μ) / √(s² + ε) + β          Ba, Kiros and Hinton (2016), equation 4

    The mean μ and the variance s² (with 1/d, not 1/(d−1)) are those of the row, over its d
    coordinates: no row ever sees another.

    x: (..., d);  gamma, beta: (d,), or None for 1 and 0;  eps: ε, keeps a constant row from 0/0.
    Returns an array of the shape of x.
    Raises ValueError where shapes do not fit, eps is not a number of at least 0, or the variance overflows.
    """
    check_norm("layer_norm", x, gamma, beta, eps)
    normalised, _ = standardise(x, eps)  # (..., d)
    if gamma is not None:
        normalised *= gamma
    if beta is not None:
        normalised += beta
    return normalised


def standardise(x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """(x − μ)/√(s² + ε), and the divisor √(s² + ε): (..., d) -> (..., d), (..., 1)."""
    centred = x - x.mean(axis=-1, keepdims=True)  # (..., d)
    variance = np.square(centred).mean(axis=-1, keepdims=True)  # in two passes: E[x²] − E[x]² cancels
    deviation = np.sqrt(errors.finite(variance, "variance") + x.dtype.type(eps))  # (..., 1)
    centred /= deviation
    return centred, deviation


def check_norm(function: str, x: np.ndarray, gamma: np.ndarray | None, beta: np.ndarray | None, eps: float) -> None:
    """The shapes of a layer norm, a row that has coordinates, and an ε that is no less than 0."""
    errors.shapes(function, x=(x, "... d"), gamma=(gamma, "d"), beta=(beta, "d"))
    errors.columns(function, "x", x)
    errors.number("eps", eps, 0)
