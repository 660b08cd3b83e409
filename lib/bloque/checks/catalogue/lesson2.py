"""Exercises of lesson 2: scores, attention, a measured deviation, the divisor for another deviation."""

from __future__ import annotations

from typing import Any

import numpy as np

from bloque.checks.catalogue.lesson1 import weights_of
from bloque.checks.exercise import Exercise, cases


def divided(raw: np.ndarray, queries: np.ndarray, keys: np.ndarray, rule: str) -> np.ndarray:
    """Scores under the division of a known rule, right or wrong."""
    n_q, d = queries.shape
    n_k = keys.shape[0]
    factor = {
        "root": 1 / np.sqrt(d),
        "none": 1.0,
        "d_k": 1 / d,
        "times": np.sqrt(d),
        "square": 1 / d**2,
        "fourth": d**-0.25,
        "n_k": 1 / np.sqrt(n_k),
        "n_q": 1 / np.sqrt(n_q),
        "size": 1 / np.sqrt(queries.size),
        "count": 1 / n_k,
        "half": 1 / np.sqrt(d / 2),
        "keys": 1 / np.sqrt(keys.size),
    }
    return raw * factor[rule]


DIVISIONS = {
    "no_division": ({"divide": "none"},),
    "d_k": ({"divide": "d_k"},),
    "multiplied": ({"divide": "times"},),
    "wrong_size": (
        {"divide": "n_k"},
        {"divide": "n_q"},
        {"divide": "size"},
        {"divide": "count"},
        {"divide": "square"},
        {"divide": "fourth"},
        {"divide": "half"},
        {"divide": "keys"},
    ),
}


# ── scores ───────────────────────────────────────────────────────────────────────────────────────


def _scores(queries: Any, keys: Any, *, divide: str = "root", product: str = "dot", after: str = "nothing", turn: bool = False) -> Any:
    q, k = np.asarray(queries, dtype=float), np.asarray(keys, dtype=float)
    raw = {
        "dot": lambda: q @ k.T,
        "cosine": lambda: (q / np.linalg.norm(q, axis=-1, keepdims=True)) @ (k / np.linalg.norm(k, axis=-1, keepdims=True)).T,
        "distance": lambda: -np.square(q[:, None] - k).sum(axis=-1),
        "euclid": lambda: np.sqrt(np.square(q[:, None] - k).sum(axis=-1)),
        "queries": lambda: q @ q.T,
        "keys": lambda: k @ k.T,
        "sizes": lambda: np.abs(q @ k.T),
        "per_component": lambda: q[:, None] * k,
    }[product]()
    result = divided(raw, q, k, divide)
    result = {"nothing": lambda: result, "softmax": lambda: weights_of(result), "columns": lambda: weights_of(result, 0)}[after]()
    return result.T if turn else result


SCORES = Exercise(
    id="scores",
    lesson=2,
    difficulty=1,
    minutes=5,
    signature="scores(queries, keys)",
    solution=_scores,
    family=_scores,
    mistakes={
        **DIVISIONS,
        "transposed": ({"turn": True},),
        "no_transpose": (lambda queries, keys: queries @ keys, lambda queries, keys: np.dot(queries, keys)),
        "element_by_element": (
            lambda queries, keys: queries * keys,
            {"product": "per_component"},
            {"product": "per_component", "divide": "none"},
        ),
        "softmax_too": ({"after": "softmax"}, {"after": "columns"}),
        "cosine": ({"product": "cosine", "divide": "none"}, {"product": "cosine"}),
        "distance": (
            {"product": "distance", "divide": "none"},
            {"product": "distance"},
            {"product": "euclid", "divide": "none"},
            {"product": "euclid"},
        ),
        "one_side": ({"product": "queries"}, {"product": "keys"}),
        "absolute": ({"product": "sizes"},),
    },
    make_cases=lambda: cases(
        (np.array([[1.0, 0.0, 2.0]]), np.array([[2.0, 1.0, 0.0], [0.0, -1.0, 1.0]])),
        (np.array([[1.0, -1.0], [0.0, 2.0], [1.0, 1.0]]), np.array([[2.0, 1.0], [0.5, -1.0], [1.0, 0.0], [-1.0, 1.0]])),
        (np.random.default_rng(3).normal(size=(4, 7)), np.random.default_rng(4).normal(size=(6, 7))),
    ),
)


# ── attention ────────────────────────────────────────────────────────────────────────────────────


def _attention(
    queries: Any,
    keys: Any,
    values: Any,
    *,
    divide: str = "root",
    axis: int | None = -1,
    share: str = "softmax",
    mask: str = "none",
    averaged: str = "values",
    after: str = "nothing",
    second: str = "weights",
    stable: bool = True,
) -> Any:
    q, k, v = (np.asarray(array, dtype=float) for array in (queries, keys, values))
    scores = divided(q @ k.T, q, k, divide)
    if mask == "causal":
        scores = np.where(np.tri(*scores.shape) > 0, scores, -np.inf)
    raw = np.exp(scores)
    weights = {
        "softmax": lambda: weights_of(scores, axis) if stable else raw / raw.sum(axis=axis, keepdims=True),
        "none": lambda: scores,
        "exp": lambda: raw,
        "sum": lambda: scores / scores.sum(axis=-1, keepdims=True),
        "hard": lambda: (scores == scores.max(axis=-1, keepdims=True)).astype(float),
        "twice": lambda: weights_of(weights_of(scores)),
        "later": lambda: weights_of(q @ k.T) / np.sqrt(q.shape[-1]),
        "sigmoid": lambda: 1 / (1 + np.exp(-scores)),
        "mean": lambda: np.full_like(scores, 1 / scores.shape[-1]),
    }[share]()
    output = weights @ {"values": v, "keys": k}[averaged]
    output = {
        "nothing": lambda: output,
        "divided": lambda: output / np.sqrt(q.shape[-1]),
        "softmax": lambda: weights_of(output),
        "average": lambda: output / k.shape[0],
    }[after]()
    return output, {"weights": weights, "scores": scores, "turned": weights.T}[second]


ATTENTION = Exercise(
    id="attention",
    lesson=2,
    difficulty=2,
    minutes=8,
    signature="attention(queries, keys, values)",
    solution=_attention,
    family=_attention,
    mistakes={
        **DIVISIONS,
        "axis": ({"axis": 0}, {"axis": 0, "stable": False}),
        "whole": ({"axis": None}, {"axis": None, "stable": False}),
        "scale_after": ({"share": "later"}, {"after": "divided", "divide": "none"}, {"after": "divided"}),
        "no_softmax": ({"share": "none"}, {"share": "none", "divide": "none"}, {"share": "sum"}, {"share": "exp"}, {"share": "sigmoid"}),
        "twice": ({"share": "twice"},),
        "hard": ({"share": "hard"},),
        "uniform": ({"share": "mean"},),
        "keys_averaged": ({"averaged": "keys"},),
        "returns_scores": ({"second": "scores"},),
        "turned": ({"second": "turned"},),
        "masked": ({"mask": "causal"},),
        "output_changed": ({"after": "softmax"}, {"after": "average"}),
        "overflow": ({"stable": False},),
    },
    make_cases=lambda: [
        *cases(
            (
                np.array([[1.0, 0.0, 1.0]]),
                np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0]]),
                np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 1.0, 1.0]]),
            ),
            (
                np.array([[1.0, -1.0], [0.0, 2.0], [1.0, 0.5]]),
                np.array([[2.0, 1.0], [0.5, -1.0], [1.0, 0.0], [-1.0, 1.0]]),
                np.array([[1.0], [2.0], [0.0], [4.0]]),
            ),
            tuple(np.random.default_rng(5 + i).normal(size=size) for i, size in enumerate([(4, 6), (5, 6), (5, 3)])),
        ),
        *cases((np.array([[900.0, 0.0]]), np.array([[2.0, 1.0], [1.0, 3.0], [2.0, 4.0]]), np.array([[1.0], [2.0], [5.0]])), kind="far"),
    ],
)


# ── a measured deviation with its standard error ─────────────────────────────────────────────────


def _score_deviation(
    queries: Any,
    keys: Any,
    *,
    pairs: str = "rows",
    spread: str = "deviation",
    ddof: int = 0,
    error: str = "deviation",
    lost: int = 0,
    divide: str = "no",
    count: str = "scores",
) -> Any:
    q, k = np.asarray(queries, dtype=float), np.asarray(keys, dtype=float)
    scores = {
        "rows": lambda: (q * k).sum(axis=-1),
        "all": lambda: (q @ k.T).ravel(),
        "components": lambda: (q * k).ravel(),
        "columns": lambda: (q * k).sum(axis=0),
        "mean": lambda: (q * k).mean(axis=-1),
        "everything": lambda: (q * k).sum(),
    }[pairs]()
    if divide == "root":
        scores = scores / np.sqrt(q.shape[-1])
    n = len(q) if count == "rows" else scores.size
    deviation = scores.std(ddof=ddof)
    measured = {
        "deviation": deviation,
        "variance": deviation**2,
        "about_zero": np.sqrt(np.square(scores).mean()),
        "absolute": np.abs(scores - scores.mean()).mean(),
        "mean": scores.mean(),
        "theory": np.sqrt(q.shape[-1]),
    }[spread]
    error_of = {
        "deviation": measured / np.sqrt(2 * (n - lost)),
        "mean": measured / np.sqrt(n - lost),
        "no_root": measured / (2 * n),
        "over_n": measured / n,
        "variance": measured**2 * np.sqrt(2 / (n - lost)),
        "d_k": measured / np.sqrt(2 * q.shape[-1]),
        "half": measured / (2 * np.sqrt(n)),
        "root_outside": np.sqrt(measured / (2 * n)),
        "times": measured * np.sqrt(2 * n),
        "pairs": measured / np.sqrt(2 * q.size),
    }[error]
    return measured, error_of


SCORE_DEVIATION = Exercise(
    id="score_deviation",
    lesson=2,
    difficulty=2,
    minutes=8,
    signature="score_deviation(queries, keys)",
    solution=_score_deviation,
    family=_score_deviation,
    accepts=(
        lambda queries, keys: _score_deviation(queries, keys, ddof=1),
        lambda queries, keys: _score_deviation(queries, keys, lost=1),
        lambda queries, keys: _score_deviation(queries, keys, ddof=1, lost=1),
    ),
    mistakes={
        "summed_up": (
            {"pairs": "everything"},
            {"pairs": "everything", "ddof": 1},
            lambda queries, keys: len((np.asarray(queries) * np.asarray(keys)).sum()),  # which has no length
        ),
    }
    | {
        name: tuple({**way, "ddof": ddof} for way in ways for ddof in (0, 1))
        for name, ways in {
            "all_pairs": ({"pairs": "all"}, {"pairs": "all", "count": "rows"}),
            "not_summed": ({"pairs": "components"}, {"pairs": "components", "count": "rows"}),
            "columns": ({"pairs": "columns"}, {"pairs": "columns", "count": "rows"}),
            "averaged": ({"pairs": "mean"},),
            "variance": ({"spread": "variance"},),
            "about_zero": ({"spread": "about_zero"},),
            "absolute": ({"spread": "absolute"},),
            "mean": ({"spread": "mean"},),
            "theory": ({"spread": "theory"},),
            "error_of_mean": ({"error": "mean"}, {"error": "mean", "lost": 1}),
            "no_root": ({"error": "no_root"}, {"error": "over_n"}, {"error": "root_outside"}, {"error": "half"}, {"error": "times"}),
            "error_of_variance": ({"error": "variance"},),
            "wrong_n": ({"error": "d_k"}, {"error": "pairs"}),
            "divided": ({"divide": "root"},),
        }.items()
    },
    make_cases=lambda: cases(
        (np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]), np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]])),
        (np.random.default_rng(8).normal(0.6, 1, size=(7, 4)), np.random.default_rng(9).normal(0.6, 1, size=(7, 4))),
        (np.random.default_rng(10).normal(0.5, 2, size=(40, 9)), np.random.default_rng(11).normal(0.5, 1, size=(40, 9))),
    ),
)


# ── the divisor when the deviation is not 1 ──────────────────────────────────────────────────────


def _sigma_divisor(d_k: int, sigma: float, *, width: float = 0.5, spread: float = 2.0, factor: float = 1.0, invert: bool = False) -> float:
    divisor = factor * float(d_k) ** width * float(sigma) ** spread
    return 1 / divisor if invert else divisor


SIGMA_DIVISOR = Exercise(
    id="sigma_divisor",
    lesson=2,
    difficulty=1,
    minutes=5,
    signature="sigma_divisor(d_k, sigma)",
    solution=_sigma_divisor,
    family=_sigma_divisor,
    mistakes={
        "sigma_forgotten": ({"spread": 0.0},),
        "one_sigma": ({"spread": 1.0},),
        "variance": ({"width": 1.0, "spread": 4.0},),
        "no_root": ({"width": 1.0},),
        "sigma_fourth": ({"spread": 4.0},),
        "sigma_inside": ({"spread": 0.5}, {"spread": 0.25}),
        "no_root_no_square": ({"width": 1.0, "spread": 1.0}, {"width": 1.0, "spread": 0.0}),
        "twice": ({"spread": 1.0, "factor": 2.0}, {"spread": 2.0, "factor": 2.0}, {"spread": 0.0, "factor": 2.0}),
        "width_forgotten": ({"width": 0.0}, {"width": 0.0, "spread": 4.0}, {"width": 0.0, "spread": 1.0}),
        "inverse": ({"invert": True},),
        "divided_by_sigma": ({"spread": -1.0}, {"spread": -2.0}),
        "fixed_sigma": (lambda d_k, sigma: 4 * np.sqrt(d_k),),
        "added": (
            lambda d_k, sigma: np.sqrt(d_k + sigma**2),
            lambda d_k, sigma: np.sqrt(d_k) + sigma,
            lambda d_k, sigma: np.sqrt(d_k) + sigma**2,
        ),
    },
    make_cases=lambda: cases((9, 3.0), (64, 2.0), (5, 0.5), (48, 1.5)),
)

EXERCISES: tuple[Exercise, ...] = (SCORES, ATTENTION, SCORE_DEVIATION, SIGMA_DIVISOR)
