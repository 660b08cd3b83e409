"""Exercises of lesson 4: layer norm, the gradient through residuals, the block with the norm behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bloque.checks.catalogue.lesson1 import weights_of
from bloque.checks.exercise import Case, Exercise, cases

# ── layer norm ───────────────────────────────────────────────────────────────────────────────────


def _layer_norm(
    x: Any,
    gamma: Any,
    beta: Any,
    eps: float,
    *,
    axis: int | None = -1,
    ddof: int = 0,
    centre: str = "mean",
    spread: str = "deviation",
    small: str = "inside",
    passes: int = 2,
    scale: str = "both",
    order: str = "gamma",
    keep: bool = True,
    count: str = "coordinates",
) -> Any:
    x = np.asarray(x)
    x = x.astype(float) if x.dtype.kind != "f" else x
    mean = x.mean(axis=axis, keepdims=keep)
    squares = np.square(x).mean(axis=axis, keepdims=keep)
    variance = x.var(axis=axis, keepdims=keep, ddof=ddof) if passes == 2 else squares - np.square(mean)
    if spread == "rms":
        variance = squares
    if count == "rows":
        mean = x.sum(axis=axis, keepdims=keep) / len(x)
    if count != "coordinates":
        variance = np.square(x - mean).sum(axis=axis, keepdims=keep) / len(x)
    added = {"inside": eps, "outside": 0.0, "missing": 0.0, "fixed": 1e-5, "squared": eps**2}[small]
    deviation = {
        "deviation": lambda: np.sqrt(variance + added),
        "rms": lambda: np.sqrt(variance + added),
        "variance": lambda: variance + eps,
        "absolute": lambda: np.abs(x - mean).mean(axis=axis, keepdims=keep) + eps,
        "range": lambda: x.max(axis=axis, keepdims=keep) - x.min(axis=axis, keepdims=keep) + eps,
        "norm": lambda: np.sqrt(np.square(x - mean).sum(axis=axis, keepdims=keep) + eps),
        "one": lambda: 1.0,
    }[spread]()
    if small == "outside":
        deviation = deviation + eps
    centred = x - {"mean": mean, "none": 0.0, "median": np.median(x, axis=axis, keepdims=keep)}[centre]
    normalised = centred / deviation
    g: Any = np.asarray(gamma)
    b: Any = np.asarray(beta)
    g = 1.0 if scale in ("beta", "none") else g
    b = 0.0 if scale in ("gamma", "none") else b
    if scale == "swapped":
        g, b = b, g
    if order == "beta":
        return g * (normalised + b)
    if order == "divided_mean":
        return g * (x - mean / deviation) + b
    if order == "divided_mean_only":
        return g * x - mean / deviation + b
    if order == "minus":
        return g * normalised - b
    if order == "one_plus":
        return (1 + g) * normalised + b
    return g * normalised + b


ONES, NOTHING = np.ones(3), np.zeros(3)

LAYER_NORM = Exercise(
    id="layer_norm",
    lesson=4,
    difficulty=2,
    minutes=10,
    signature="layer_norm(x, gamma, beta, eps)",
    solution=_layer_norm,
    family=_layer_norm,
    mistakes={
        "columns": ({"axis": 0},),
        "whole": ({"axis": None},),
        "ddof": ({"ddof": 1},),
        "rows_counted": ({"count": "rows_in_variance"}, {"count": "rows"}),
        "eps_outside": ({"small": "outside"}, {"small": "squared"}),
        "no_eps": ({"small": "missing"},),
        "eps_fixed": ({"small": "fixed"},),
        "one_pass": ({"passes": 1},),
        "variance": ({"spread": "variance"},),
        "not_centred": ({"centre": "none"},),
        "rms": ({"spread": "rms", "centre": "none"}, {"spread": "rms"}),
        "only_centred": ({"spread": "one"},),
        "other_spread": ({"spread": "absolute"}, {"spread": "range"}, {"spread": "norm"}, {"centre": "median"}),
        "no_gamma_beta": ({"scale": "none"},),
        "no_gamma": ({"scale": "beta"},),
        "no_beta": ({"scale": "gamma"},),
        "beta_first": ({"order": "beta"},),
        "gamma_beta_changed": ({"scale": "swapped"}, {"order": "minus"}, {"order": "one_plus"}),
        "parentheses": ({"order": "divided_mean"}, {"order": "divided_mean_only"}),
        "keepdims": ({"keep": False},),
    },
    make_cases=lambda: [
        *cases(
            (np.array([[1.0, 0.0, 2.0]]), ONES, NOTHING, 1e-5),
            # n is neither d nor d - 1: what is divided by one is not divided by another
            (np.array([[1.0, 0.0, 5.0, 2.0], [2.0, 4.0, 3.0, 7.0]]), np.ones(4), np.zeros(4), 1e-5),
            (
                np.array([[0.5, -0.5, 3.0, 1.0], [2.0, 4.0, 3.0, -1.0]]),
                np.array([2.0, 1.0, 0.5, -1.0]),
                np.array([0.0, 1.0, -2.0, 0.5]),
                1e-5,
            ),
            (np.random.default_rng(17).normal(1, 2, size=(4, 6)), *np.random.default_rng(18).normal(1, 1, size=(2, 6)), 1e-5),
        ),
        *cases(
            (np.array([[0.1, 0.0, 0.2], [1.0, 0.0, 3.0]]), ONES, NOTHING, 0.5),
            (np.array([[3.0, 3.0, 3.0], [0.0, 0.0, 0.0]]), ONES, np.array([1.0, 2.0, 3.0]), 1e-5),
            kind="eps",
        ),
        # E[x²] − E[x]² loses its digits here; sums and means are exact even in float32
        *cases((2_500_000 + np.array([[0.0, 1.0, 3.0, 2.0, 5.0, 1.0]]), np.ones(6), np.zeros(6), 1e-5), kind="far"),
    ],
)


# ── the gradient through a residual stack ────────────────────────────────────────────────────────


def _residual_gradient(
    jacobians: Any,
    gradient: Any,
    *,
    identity: str = "each",
    order: str = "backward",
    turn: bool = True,
    which: str = "all",
    result: str = "vector",
) -> Any:
    stack = np.asarray(jacobians, dtype=float)
    g = np.asarray(gradient, dtype=float)
    stack = {"all": stack, "no_first": stack[1:], "no_last": stack[:-1], "only_last": stack[-1:], "only_first": stack[:1]}[which]
    d = g.shape[0]
    if identity == "first_order":
        total = stack.sum(axis=0)
        return g + (total.T if turn else total) @ g
    layers = stack if order == "forward" else stack[::-1]
    product = np.eye(d)  # what g is multiplied by
    for J in layers:
        step = J.T if turn else J
        step = {
            "each": np.eye(d) + step,
            "none": step,
            "once": step,
            "double": 2 * np.eye(d) + step,
            "minus": np.eye(d) - step,
            "ones": np.ones((d, d)) + step,
            "number": 1 + step,
            "half": (np.eye(d) + step) / 2,
        }[identity]
        product = step @ product
    if identity == "once":
        product = product + np.eye(d)
    return {"vector": product @ g, "matrix": product, "without_identity": product @ g - g}[result]


RESIDUAL_GRADIENT = Exercise(
    id="residual_gradient",
    lesson=4,
    difficulty=3,
    minutes=12,
    signature="residual_gradient(jacobians, gradient)",
    solution=_residual_gradient,
    family=_residual_gradient,
    mistakes={
        "no_identity": ({"identity": "none"},),
        "identity_once": ({"identity": "once"},),
        "first_order": ({"identity": "first_order"},),
        "forward_order": ({"order": "forward"},),
        "not_transposed": ({"turn": False},),
        "forward_mode": ({"turn": False, "order": "forward"},),
        "layer_missing": ({"which": "no_first"}, {"which": "no_last"}, {"which": "only_last"}, {"which": "only_first"}),
        "identity_twice": ({"identity": "double"},),
        "sign": ({"identity": "minus"},),
        "ones": ({"identity": "ones"},),
        "halved": ({"identity": "half"},),
        "matrix": ({"result": "matrix"},),
        "path_removed": ({"result": "without_identity"},),
    },
    make_cases=lambda: cases(
        (np.array([[[0.0, 1.0], [2.0, 0.0]]]), np.array([1.0, 3.0])),
        (np.array([[[0.0, 1.0], [0.0, 2.0]], [[1.0, 0.0], [-1.0, 3.0]]]), np.array([1.0, 2.0])),
        (np.random.default_rng(19).normal(size=(4, 3, 3)) / 2, np.array([1.0, -2.0, 0.5])),
    ),
)


# ── the blocks ───────────────────────────────────────────────────────────────────────────────────


def plain_norm(x: np.ndarray, axis: int | None = -1, ddof: int = 0) -> np.ndarray:
    """Layer norm with γ = 1 and β = 0."""
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True, ddof=ddof) + 1e-5)


def block(
    x: Any,
    attention: Callable[[np.ndarray], np.ndarray],
    W1: Any,
    b1: Any,
    W2: Any,
    b2: Any,
    *,
    place: str = "post",
    axis: int | None = -1,
    ddof: int = 0,
    first_sum: str = "x",
    second_sum: str = "x",
    norms: str = "both",
    order: str = "attention",
    network: str = "relu",
    reads: str = "y",
    extra: str = "nothing",
) -> Any:
    """A block in either arrangement, right or with the wrong turns people take."""
    x = np.asarray(x, dtype=float)

    def norm(rows: np.ndarray) -> np.ndarray:
        return plain_norm(rows, axis, ddof)

    def mlp(rows: np.ndarray) -> np.ndarray:
        return two_layers(rows, W1, b1, W2, b2, network)

    def sublayer(rows: np.ndarray, function: Callable[[np.ndarray], np.ndarray], kept: str, normed: bool, source: np.ndarray) -> np.ndarray:
        n = norm if normed else lambda r: r
        inside = n(source) if place in ("pre", "both") else source
        found = function(inside)
        if place == "of_sublayer":
            found = n(found)
        base = {"x": rows, "none": 0.0 * rows, "original": x, "double": 2 * rows, "normed": n(rows)}[kept]
        total = base + found
        return n(total) if place in ("post", "both") else total

    steps = [attention, mlp] if order != "network" else [mlp, attention]
    if order == "parallel":
        if place == "pre":
            return x + attention(norm(x)) + mlp(norm(x))
        return norm(x + attention(x) + mlp(x))
    if order == "chained":  # one sum round both
        return norm(x + mlp(attention(x))) if place == "post" else x + mlp(attention(norm(x)))
    if order == "no_network":
        steps = steps[:1]
    if order == "no_attention":
        steps = [lambda rows: rows * 0.0, mlp] if norms != "skip" else [mlp]
    if order == "twice":
        steps = [attention, attention]
    y = sublayer(x, steps[0], first_sum, norms in ("both", "first"), x)
    if len(steps) == 1:
        return y
    y = sublayer(y, steps[1], second_sum, norms in ("both", "second"), y if reads == "y" else x)
    return {"nothing": y, "final_norm": norm(y), "residual": y + x}[extra]


def two_layers(x: np.ndarray, W1: Any, b1: Any, W2: Any, b2: Any, network: str = "relu") -> np.ndarray:
    """ReLU(x W1 + b1) W2 + b2, right or with the wrong turns people take."""

    def relu(rows: np.ndarray) -> np.ndarray:
        return np.maximum(rows, 0)

    return {
        "relu": lambda: relu(x @ W1 + b1) @ W2 + b2,
        "linear": lambda: (x @ W1 + b1) @ W2 + b2,
        "relu_last": lambda: relu((x @ W1 + b1) @ W2 + b2),
        "relu_both": lambda: relu(relu(x @ W1 + b1) @ W2 + b2),
        "relu_input": lambda: (relu(x) @ W1 + b1) @ W2 + b2,
        "bias_after": lambda: (relu(x @ W1) + b1) @ W2 + b2,
        "no_b1": lambda: relu(x @ W1) @ W2 + b2,
        "no_b2": lambda: relu(x @ W1 + b1) @ W2,
        "no_biases": lambda: relu(x @ W1) @ W2,
        "gelu": lambda: _gelu(x @ W1 + b1) @ W2 + b2,
        "sigmoid": lambda: 1 / (1 + np.exp(-(x @ W1 + b1))) @ W2 + b2,
        "tanh": lambda: np.tanh(x @ W1 + b1) @ W2 + b2,
        "leaky": lambda: np.where(x @ W1 + b1 > 0, x @ W1 + b1, 0.01 * (x @ W1 + b1)) @ W2 + b2,
        "softmax": lambda: weights_of(x @ W1 + b1) @ W2 + b2,
        "step": lambda: (x @ W1 + b1 > 0).astype(float) @ W2 + b2,
        "abs": lambda: np.abs(x @ W1 + b1) @ W2 + b2,
        "negative": lambda: np.minimum(x @ W1 + b1, 0) @ W2 + b2,
        "residual": lambda: x + relu(x @ W1 + b1) @ W2 + b2,
        "minus": lambda: relu(x @ W1 - b1) @ W2 - b2,
        "summed": lambda: relu((x @ W1).sum(axis=0) + b1) @ W2 + b2,
        "first_only": lambda: relu(x @ W1 + b1),
        "positions": lambda: relu(np.maximum(x @ W1 + b1, 0)).mean(axis=0, keepdims=True) @ W2 + b2 + 0 * x,
        "double_b2": lambda: relu(x @ W1 + b1) @ W2 + 2 * b2,
    }[network]()


def _gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


class Attention:
    """An attention ready for use: rows in, rows out, with a matrix of its own."""

    __name__ = "attention"

    def __init__(self, seed: int, d: int) -> None:
        self.W = np.random.default_rng(seed).normal(size=(d, d)) / np.sqrt(d)

    def __call__(self, x: Any) -> np.ndarray:
        rows = np.asarray(x, dtype=float)
        return weights_of(rows @ rows.T / np.sqrt(rows.shape[-1])) @ rows @ self.W


def block_cases() -> list[Case]:
    """Blocks of sizes that are all different; the first is small enough to write out."""
    made = []
    for seed, n, d, d_ff in ((20, 2, 3, 4), (21, 5, 4, 7), (22, 4, 6, 3)):
        rng = np.random.default_rng(seed)
        x = np.round(rng.normal(1, 2, size=(n, d)), 1)
        weights = (rng.normal(size=(d, d_ff)), rng.normal(size=d_ff), rng.normal(size=(d_ff, d)), rng.normal(size=d))
        made.append((x, Attention(seed, d), *(np.round(w, 1) for w in weights)))
    return cases(*made)


NETWORKS = {
    "no_relu": ({"network": "linear"},),
    "relu_misplaced": ({"network": "relu_last"}, {"network": "relu_both"}, {"network": "relu_input"}),
    "no_biases": ({"network": "no_b1"}, {"network": "no_b2"}, {"network": "no_biases"}),
}  # of the network inside a block

POST_NORM_BLOCK = Exercise(
    id="post_norm_block",
    lesson=4,
    difficulty=2,
    minutes=10,
    signature="post_norm_block(x, attention, W1, b1, W2, b2)",
    solution=block,
    family=block,
    mistakes={
        "pre_norm": ({"place": "pre"}, {"place": "pre", "extra": "final_norm"}),
        "norm_of_sublayer": ({"place": "of_sublayer"},),
        "norm_both_sides": ({"place": "both"},),
        "no_residual": ({"first_sum": "none", "second_sum": "none"},),
        "one_residual": ({"second_sum": "none"}, {"first_sum": "none"}),
        "residual_original": ({"second_sum": "original"},),
        "residual_doubled": ({"first_sum": "double", "second_sum": "double"}, {"first_sum": "double"}, {"second_sum": "double"}),
        "residual_after": ({"first_sum": "none", "second_sum": "none", "extra": "residual"}, {"extra": "residual"}),
        "no_norm": ({"norms": "none"},),
        "one_norm": ({"norms": "first"}, {"norms": "second"}),
        "columns": ({"axis": 0}, {"axis": None}),
        "ddof": ({"ddof": 1},),
        **NETWORKS,
        "order": ({"order": "network"},),
        "parallel": ({"order": "parallel"},),
        "chained": ({"order": "chained"},),
        "reads_x": ({"reads": "x"},),
        "sublayer_missing": (
            {"order": "no_network"},
            {"order": "no_attention"},
            {"order": "no_attention", "norms": "second"},
            {"order": "twice"},
        ),
    },
    make_cases=block_cases,
)

EXERCISES: tuple[Exercise, ...] = (LAYER_NORM, RESIDUAL_GRADIENT, POST_NORM_BLOCK)
