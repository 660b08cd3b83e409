"""The nonlinearities of the position-wise network: ReLU and the exact GELU, each with its slope."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bloque import errors

# log(erfc(z)·exp(z²)/t) for z ≥ 0 as a polynomial in u = 2t − 1, where t = 1/(1 + z/2): one formula
# for every z, fitted by Chebyshev interpolation. NumPy has no erf of its own.
_LOG_ERFC = {
    np.dtype(np.float32): (  # erf to 4e-7
        *(-0.671794056892395, 0.6726422309875488, 0.04734310507774353, -0.046874888241291046),
        *(-0.0098737683147192, 0.008703812025487423, 0.001776564633473754, -0.0020487348083406687),
        *(-0.00020790912094525993, 0.000333735893946141),
    ),
    np.dtype(np.float64): (  # erf to 5e-15
        *(-0.6717940840566918, 0.672643223977664, 0.04734330684180883, -0.04689561023183999),
        *(-0.00987268936292168, 0.008824938574383717, 0.001758933501516979, -0.002345812704449639),
        *(-0.00014624632361317857, 0.0006736801010763031, -9.373842022108367e-05, -0.00017430787502884318),
        *(7.141548223744661e-05, 3.175625062352779e-05, -3.0230531878736868e-05, 1.2469013643707573e-07),
        *(8.649851559622011e-06, -2.947267421404832e-06, -1.395418075844646e-06, 1.2725009582936767e-06),
        *(-5.1106326282024403e-08, -2.8537760954350244e-07, 8.12113285064698e-08, 2.9103830456733723e-08),
        *(-1.3411045074462901e-08,),
    ),
}


@errors.floating("hidden")
def relu(hidden: np.ndarray) -> np.ndarray:
    """max(0, h). Any shape; returns the same shape.

    Raises ValueError where h is NaN or +inf; −inf gives 0.
    """
    return np.maximum(hidden, 0)


def relu_slope(hidden: np.ndarray) -> np.ndarray:
    """1 where h > 0, else 0. An array of any shape; returns the same shape and type."""
    return (hidden > 0).astype(hidden.dtype)


@errors.floating("hidden")
def gelu(hidden: np.ndarray) -> np.ndarray:
    """The exact GELU, h·Φ(h), with Φ the normal distribution function, not its tanh approximation.

        Φ(h) = (1 + erf(h/√2)) / 2                    Hendrycks and Gimpel (2016)

    Φ is computed to 2e-7 in float32 and to 3e-15 in float64. Any shape; returns the same shape.
    Raises ValueError where h is NaN or infinite.
    """
    return hidden * normal_distribution(hidden)


def gelu_slope(hidden: np.ndarray) -> np.ndarray:
    """Φ(h) + h φ(h), with φ the normal density. An array of any shape; returns the same shape and type."""
    density = np.exp(-0.5 * np.square(hidden)) / math.sqrt(2 * math.pi)
    return normal_distribution(hidden) + hidden * density


def normal_distribution(x: np.ndarray) -> np.ndarray:
    """Φ(x), the probability that a standard normal variable is below x.

    x: a floating-point array of any shape. Returns the same shape and type, to the precision that `gelu` states.
    """
    tail = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + tail / 2)
    u = 2 * t - 1
    coefficients = _LOG_ERFC.get(x.dtype, _LOG_ERFC[np.dtype(np.float64)])
    exponent = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:  # Horner, in place
        exponent *= u
        exponent += coefficient
    exponent -= np.square(tail)
    half_erfc = 0.5 * t * np.exp(exponent)
    return np.where(x < 0, half_erfc, 1 - half_erfc)


Elementwise = Callable[[np.ndarray], np.ndarray]
ACTIVATIONS: dict[str, Elementwise] = {"relu": relu, "gelu": gelu}
SLOPES: dict[str, Elementwise] = {"relu": relu_slope, "gelu": gelu_slope}
