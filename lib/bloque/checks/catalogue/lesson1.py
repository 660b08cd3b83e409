"""Exercises of lesson 1: softmax, its Jacobian, the temperature, the scale at which it saturates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bloque
from bloque.checks.exercise import Exercise, cases


def weights_of(scores: np.ndarray, axis: int | None = -1) -> np.ndarray:
    """Softmax without the library's checks, which would take longer than the sums of an exercise."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


# ── softmax ──────────────────────────────────────────────────────────────────────────────────────


def _softmax(
    scores: Any,
    *,
    axis: int | None = -1,
    shift: str = "row",
    positive: str = "exp",
    divide: str = "sum",
    keep: bool = True,
    shift_axis: int | None = -1,
) -> Any:
    z = np.asarray(scores, dtype=float)
    shifts: dict[str, Callable[[], Any]] = {
        "row": lambda: z.max(axis=shift_axis, keepdims=True),
        "none": lambda: 0.0,
        "all": z.max,
        "clipped": lambda: np.maximum(0, z.max(axis=shift_axis, keepdims=True)),
        "min": lambda: z.min(axis=shift_axis, keepdims=True),
        "mean": lambda: z.mean(axis=shift_axis, keepdims=True),
        "half": lambda: z.max(axis=shift_axis, keepdims=True),
    }
    shifted = z - shifts[shift]()
    exponentials = {
        "exp": lambda: np.exp(shifted),
        "negative": lambda: np.exp(-z - (-z).max(axis=axis, keepdims=True)),
        "two": lambda: np.exp2(shifted),
        "ten": lambda: 10.0**shifted,
        "none": lambda: z,
        "clipped": lambda: np.exp(np.clip(z, -500, 500)),
        "square": lambda: np.square(z),
        "sigmoid": lambda: 1 / (1 + np.exp(-z)),
        "long": lambda: np.exp(z.astype(np.longdouble)),
        "cut": lambda: np.nan_to_num(np.exp(z)),
    }[positive]()
    base = np.exp(z) if shift == "half" else exponentials
    divisor = {
        "sum": lambda: base.sum(axis=axis, keepdims=keep),
        "nothing": lambda: 1.0,
        "max": lambda: base.max(axis=axis, keepdims=True),
        "count": lambda: z.shape[-1],
        "norm": lambda: np.sqrt(np.square(base).sum(axis=axis, keepdims=True)),
        "scores": lambda: z.sum(axis=axis, keepdims=True),
        "plus_one": lambda: 1 + base.sum(axis=axis, keepdims=True),
    }[divide]()
    return exponentials / divisor


def _softmax_into_integers(scores: Any) -> Any:
    weights = np.zeros_like(scores)
    weights[...] = bloque.softmax(scores)
    return weights


def _log_softmax(scores: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.log(bloque.softmax(scores))


SOFTMAX = Exercise(
    id="softmax",
    lesson=1,
    difficulty=1,
    minutes=6,
    signature="softmax(scores)",
    solution=lambda scores: bloque.softmax(scores),
    family=_softmax,
    mistakes={
        "axis": ({"axis": 0}, {"axis": 0, "shift_axis": 0}, {"axis": 0, "shift": "none"}),
        "whole": ({"axis": None, "shift": "all"}, {"axis": None}, {"axis": None, "shift": "none"}),
        "keepdims": ({"keep": False}, {"keep": False, "shift": "none"}, {"keep": False, "shift": "all"}),
        "overflow": ({"shift": "none"}, {"positive": "long", "shift": "none"}, {"positive": "cut"}),
        "global_max": ({"shift": "all"},),
        "clipped_max": ({"shift": "clipped"},),
        "wrong_shift": ({"shift": "min"}, {"shift": "mean"}),
        "half_shift": ({"shift": "half"},),
        "clipped_scores": ({"positive": "clipped"},),
        "not_normalised": ({"divide": "nothing"}, {"divide": "max"}, {"divide": "nothing", "shift": "none"}),
        "wrong_divisor": tuple(
            {"divide": divide, **shift}
            for divide in ("max", "count", "norm", "scores", "plus_one")
            for shift in ({}, {"shift": "none"})
            if divide != "max"
        ),
        "opposite_sign": ({"positive": "negative"},),
        "wrong_base": ({"positive": "two"}, {"positive": "ten"}),
        "no_exponential": ({"positive": "none"}, {"positive": "square"}),
        "sigmoid": ({"positive": "sigmoid", "divide": "nothing"}, {"positive": "sigmoid"}),
        "logarithm": (_log_softmax,),
        "twice": (lambda scores: bloque.softmax(bloque.softmax(scores)),),
        "integers": (_softmax_into_integers,),
    },
    make_cases=lambda: [
        *cases(
            (np.array([0.0, 1.0]),),
            (np.array([[0.0, 1.0, 3.0], [2.0, 0.0, -1.0]]),),
            (np.random.default_rng(1).normal(size=(4, 5)),),
        ),
        *cases((np.array([0, 1]),), (np.array([[1, 2, 4], [3, 1, 0]]),), kind="integers"),
        *cases(
            (np.array([1000.0, 1001.0, 1002.0]),),
            (np.array([-1001.0, -1000.0]),),
            (np.array([0.0, 2000.0]),),
            (np.array([20000.0, 20001.0]),),
            (np.array([[0.0, 1.0], [3000.0, 2999.0], [-5000.0, -5002.0]]),),
            (np.array([1e9, 1e9]),),
            (np.array([-2000.0, 2000.0, 1999.0]),),
            kind="far",
        ),
    ],
)


# ── the Jacobian ─────────────────────────────────────────────────────────────────────────────────


def _jacobian(weights: Any, *, diagonal: str = "p", outer: str = "pp", sign: int = 1, again: bool = False) -> Any:
    p = np.asarray(weights, dtype=float)
    if again:
        p = bloque.softmax(p)
    n = len(p)
    first = {"p": np.diag(p), "one": np.eye(n), "none": np.zeros((n, n)), "full": np.outer(p, np.ones(n))}[diagonal]
    second = {
        "pp": np.outer(p, p),
        "none": np.zeros((n, n)),
        "diagonal": np.diag(p * p),
        "off": np.outer(p, p) - np.diag(p * p),
        "plus": 2 * np.diag(p * p) - np.outer(p, p),
        "dot": p @ p,
        "row": np.outer(p * p, np.ones(n)),
        "column": np.outer(np.ones(n), p),
        "rest": np.outer(p, 1 - p),
    }[outer]
    return sign * (first - second)


SOFTMAX_JACOBIAN = Exercise(
    id="softmax_jacobian",
    lesson=1,
    difficulty=2,
    minutes=8,
    signature="softmax_jacobian(weights)",
    solution=lambda weights: bloque.softmax_jacobian(weights),
    family=_jacobian,
    mistakes={
        "only_diagonal": ({"outer": "diagonal"},),
        "vector": (
            lambda weights: weights * (1 - weights),
            lambda weights: weights - weights @ weights,
        ),
        "opposite_sign": ({"sign": -1},),
        "diagonal_slope": ({"outer": "off"}, {"diagonal": "one", "outer": "off"}),
        "plus_outside": ({"outer": "plus"}, {"outer": "plus", "sign": -1}),
        "no_diagonal": ({"diagonal": "none"}, {"diagonal": "none", "sign": -1}),
        "only_weights": ({"outer": "none"},),
        "identity": ({"diagonal": "one"},),
        "dot": ({"outer": "dot"},),
        "wrong_index": ({"outer": "row"}, {"outer": "column"}, {"diagonal": "full"}, {"outer": "rest"}),
        "softmax_again": ({"again": True},),
        "broadcast": (
            lambda weights: np.outer(np.ones(len(weights)), weights * (1 - weights)),
            lambda weights: np.outer(weights * (1 - weights), np.ones(len(weights))),
            lambda weights: np.outer(1 - weights, weights),
        ),
    },
    make_cases=lambda: cases(
        (np.array([0.75, 0.25]),),
        (np.array([0.2, 0.5, 0.3]),),
        (bloque.softmax(np.random.default_rng(2).normal(size=5)),),
    ),
)


# ── the temperature that gives a wanted largest weight ───────────────────────────────────────────


def _bisect(falls: Callable[[float], float], wanted: float, low: float = 1e-6, high: float = 1e6) -> float:
    """Where a function that falls takes the value wanted; halving in logarithms."""
    for _ in range(50):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if falls(middle) > wanted else (low, middle)
    return float(np.sqrt(low * high))


def _temperature(scores: Any, wanted: float, *, weight: str = "largest", answer: str = "tau", others: str = "all") -> Any:
    z = np.asarray(scores, dtype=float)
    top, second = np.sort(z)[::-1][:2]
    n = len(z)
    if others == "two":
        tau = (top - second) / np.log(wanted / (1 - wanted))
    elif others == "equal":
        tau = (top - second) / np.log(wanted * (n - 1) / (1 - wanted))
    elif others == "mean":
        tau = (top - (z.sum() - top) / (n - 1)) / np.log(wanted * (n - 1) / (1 - wanted))
    elif others == "none":
        tau = float(np.log(weights_of(z).max()) / np.log(wanted))
    else:
        chosen = {"largest": int(z.argmax()), "first": 0, "last": n - 1}[weight]
        falls = z[chosen] >= np.median(z)
        tau = _bisect(lambda t: weights_of(z / t)[chosen] * (1 if falls else -1), wanted * (1 if falls else -1))
    return {
        "tau": tau,
        "inverse": 1 / tau,
        "square": tau**2,
        "root": float(np.sqrt(tau)),
        "weights": weights_of(z / tau),
        "coarse": float(np.round(tau, 1)),
        "whole": float(np.round(tau)),
        "negative": -tau,
    }[answer]


def _wrong_way(start: float, low: float = 1e-3, high: float = 1e3) -> Callable[[Any, float], float]:
    """A search that keeps the wrong half each time: from its first trial it runs to an end of the interval."""
    return lambda scores, wanted: low if weights_of(np.asarray(scores) / start).max() > wanted else high


TEMPERATURE = Exercise(
    id="temperature",
    lesson=1,
    difficulty=3,
    minutes=12,
    signature="temperature(scores, wanted)",
    solution=_temperature,
    family=_temperature,
    mistakes={
        "inverse": ({"answer": "inverse"},),
        "first_weight": ({"weight": "first"},),
        "last_weight": ({"weight": "last"},),
        "only_two": ({"others": "two"},),
        "others_equal": ({"others": "equal"}, {"others": "mean"}),
        "not_renormalised": ({"others": "none"},),
        "proportional": (
            lambda scores, wanted: bloque.softmax(scores).max() / wanted,
            lambda scores, wanted: wanted / bloque.softmax(scores).max(),
        ),
        "returns_weights": ({"answer": "weights"}, lambda scores, wanted: _temperature(scores, wanted, answer="weights").max()),
        "squared": ({"answer": "square"}, {"answer": "root"}),
        "coarse": ({"answer": "coarse"}, {"answer": "whole"}),
        "wrong_way": (_wrong_way(1), _wrong_way(500), _wrong_way(1, 1e-6, 1e6)),
        "opposite_sign": ({"answer": "negative"},),
    },
    make_cases=lambda: cases(
        (np.array([0.0, 1.0]), 0.9),
        (np.array([0.0, 2.0, 1.0]), 0.5),
        (np.array([1.0, -2.0, 3.0, 2.5]), 0.8),
        (np.array([0.3, 0.1, 0.7, -0.4, 0.2]), 0.35),
    ),
    tolerance=2e-3,
)


# ── the scale at which the slope falls below a value ─────────────────────────────────────────────


SCALES = np.geomspace(1e-3, 1e4, 3000)


def _slopes(z: np.ndarray, measure: str, act: str) -> np.ndarray:
    """A measure of the Jacobian at each of SCALES."""
    c = SCALES[:, None]
    p = weights_of({"times": c * z, "plus": z + c * (z == z.max())}[act])
    jacobian = p[:, :, None] * np.eye(len(z)) - p[:, :, None] * p[:, None, :]
    size = np.abs(jacobian)
    return {
        "largest": lambda: size.max(axis=(1, 2)),
        "first": lambda: size[:, 0, 0],
        "trace": lambda: np.trace(size, axis1=1, axis2=2),
        "norm": lambda: np.sqrt(np.square(size).sum(axis=(1, 2))),
        "sum": lambda: size.sum(axis=(1, 2)),
        "mean": lambda: size.mean(axis=(1, 2)),
        "smallest": lambda: size.min(axis=(1, 2)),
        "diagonal_mean": lambda: np.trace(size, axis1=1, axis2=2) / len(z),
        "rest": lambda: 1 - p.max(axis=-1),
    }[measure]()


def _saturation_scale(
    scores: Any, slope: float, *, measure: str = "largest", answer: str = "scale", act: str = "times", threshold: str = "given"
) -> Any:
    z = np.asarray(scores, dtype=float)
    limit = {"given": slope, "fixed": 1e-3, "root": np.sqrt(slope)}[threshold]
    slopes = _slopes(z, measure, act)
    above = np.flatnonzero(slopes >= limit)
    # the slope may rise before it falls: the crossing is after the last place above the limit
    place = int(np.clip(above[-1] if len(above) else 0, 0, len(SCALES) - 2))
    high, low = np.log(slopes[place] + 1e-300), np.log(slopes[place + 1] + 1e-300)
    share = (high - np.log(limit)) / (high - low) if high > low else 0.0
    scale = float(SCALES[place] * (SCALES[place + 1] / SCALES[place]) ** share)
    return {
        "scale": scale,
        "inverse": 1 / scale,
        "slope": slope,
        "whole": float(np.ceil(scale)),
        "gap": scale * float(np.sort(z)[-1] - np.sort(z)[-2]),
    }[answer]


def _approximate_scale(scores: Any, slope: float, others: float | None = None) -> float:
    ordered = np.sort(scores)[::-1]
    k = len(ordered) - 1 if others is None else others
    return float(np.log(k / slope) / (ordered[0] - ordered[1]))


SATURATION_SCALE = Exercise(
    id="saturation_scale",
    lesson=1,
    difficulty=2,
    minutes=10,
    signature="saturation_scale(scores, slope)",
    solution=_saturation_scale,
    family=_saturation_scale,
    mistakes={
        "inverse": ({"answer": "inverse"},),
        "adds": ({"act": "plus"},),
        "first_slope": ({"measure": "first"},),
        "rest": ({"measure": "rest"},),
        "wrong_measure": ({"measure": "trace"}, {"measure": "norm"}, {"measure": "sum"}, {"measure": "mean"}, {"measure": "diagonal_mean"}),
        "smallest": ({"measure": "smallest"},),
        "fixed_slope": ({"threshold": "fixed"},),
        "approximation": (_approximate_scale, lambda scores, slope: _approximate_scale(scores, slope, 1)),
        "returns_slope": ({"answer": "slope"},),
        "gap": ({"answer": "gap"},),
        "coarse": ({"answer": "whole"},),
    },
    make_cases=lambda: cases(
        (np.array([0.0, 2.0]), 0.1),
        (np.array([0.0, 2.0, 1.0]), 0.05),
        (np.array([-1.0, 0.5, 0.0, 1.3]), 0.02),
        (np.array([0.0, 1.0, 2.0]), 1e-3),
    ),
    tolerance=2e-3,
)

EXERCISES: tuple[Exercise, ...] = (SOFTMAX, SOFTMAX_JACOBIAN, TEMPERATURE, SATURATION_SCALE)
