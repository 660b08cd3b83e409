"""Exercises of lesson 5: the position-wise network, masks, positions, the block with the norm in front, counting."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bloque.checks.catalogue.lesson1 import weights_of
from bloque.checks.catalogue.lesson2 import DIVISIONS, divided
from bloque.checks.catalogue.lesson4 import NETWORKS, block, block_cases, two_layers
from bloque.checks.exercise import Exercise, cases

# ── the network ──────────────────────────────────────────────────────────────────────────────────


def _feed_forward(x: Any, W1: Any, b1: Any, W2: Any, b2: Any, *, network: str = "relu") -> Any:
    return two_layers(np.asarray(x, dtype=float), W1, b1, W2, b2, network)


FEED_FORWARD = Exercise(
    id="feed_forward",
    lesson=5,
    difficulty=1,
    minutes=5,
    signature="feed_forward(x, W1, b1, W2, b2)",
    solution=_feed_forward,
    family=_feed_forward,
    mistakes={
        "no_relu": ({"network": "linear"},),
        "relu_last": ({"network": "relu_last"}, {"network": "relu_both"}),
        "relu_input": ({"network": "relu_input"},),
        "bias_after": ({"network": "bias_after"},),
        "no_b1": ({"network": "no_b1"},),
        "no_b2": ({"network": "no_b2"}, {"network": "double_b2"}),
        "no_biases": ({"network": "no_biases"},),
        "other_curve": (
            {"network": "gelu"},
            {"network": "sigmoid"},
            {"network": "tanh"},
            {"network": "leaky"},
            {"network": "softmax"},
            {"network": "step"},
            {"network": "abs"},
        ),
        "negative": ({"network": "negative"},),
        "residual": ({"network": "residual"},),
        "minus": ({"network": "minus"},),
        "mixes_rows": ({"network": "summed"}, {"network": "positions"}),
        "one_layer": ({"network": "first_only"},),
    },
    make_cases=lambda: cases(
        (
            np.array([[1.0, -1.0]]),
            np.array([[1.0, 0.0, -2.0], [2.0, 1.0, 1.0]]),
            np.array([0.5, -1.0, 4.0]),
            np.array([[1.0, 2.0], [0.0, -1.0], [3.0, 1.0]]),
            np.array([-4.0, -2.0]),
        ),
        *(
            (rng.normal(size=(n, d)), rng.normal(size=(d, d_ff)), rng.normal(size=d_ff), rng.normal(size=(d_ff, d)), rng.normal(size=d))
            for rng, n, d, d_ff in ((np.random.default_rng(23), 2, 3, 4), (np.random.default_rng(24), 5, 4, 7))
        ),
    ),
)


# ── the causal mask ──────────────────────────────────────────────────────────────────────────────


def _causal_mask(n: int, *, way: str = "may", written: str = "bool", size: int = 0) -> Any:
    i, j = np.arange(n + size)[:, None], np.arange(n + size)[None, :]
    mask = {
        "may": j <= i,
        "strict": j < i,
        "inverted": j > i,
        "upper": j >= i,
        "one_more": j <= i + 1,
        "everything": j == j + 0 * i,
        "diagonal": j == i,
        "last": i + j >= n - 1,
        "first": i + j <= n - 1,
        "window": (j <= i) & (j >= i - 1),
        "nothing": (j != j) & (i != i),
    }[way]
    mask = mask & np.ones_like(mask)
    return {
        "bool": lambda: mask,
        "numbers": lambda: mask.astype(float),
        "whole": lambda: mask.astype(int),
        "added": lambda: np.where(mask, 0.0, -np.inf),
        "sentinel": lambda: np.where(mask, 0.0, -1e9),
        "added_one": lambda: np.where(mask, 1.0, -np.inf),
    }[written]()


CAUSAL_MASK = Exercise(
    id="causal_mask",
    lesson=5,
    difficulty=1,
    minutes=4,
    signature="causal_mask(n)",
    solution=_causal_mask,
    family=_causal_mask,
    mistakes={
        "strict": ({"way": "strict"},),
        "inverted": ({"way": "inverted"},),
        "upper": ({"way": "upper"},),
        "one_more": ({"way": "one_more"},),
        "everything": ({"way": "everything"}, {"way": "nothing"}),
        "numbers": tuple(
            {"written": written, "way": way} for written in ("numbers", "whole") for way in ("may", "inverted", "upper", "strict")
        ),
        "added": tuple(
            {"written": written, "way": way}
            for written in ("added", "sentinel", "added_one")
            for way in ("may", "inverted", "upper", "strict")
        ),
        "only_itself": ({"way": "diagonal"}, {"way": "window"}),
        "other_diagonal": ({"way": "last"}, {"way": "first"}),
        "wrong_size": ({"size": 1}, {"size": -1}),
    },
    make_cases=lambda: cases((2,), (3,), (5,), (1,)),
)


# ── attention under a mask ───────────────────────────────────────────────────────────────────────


def _masked_attention(
    queries: Any,
    keys: Any,
    values: Any,
    mask: Any,
    *,
    how: str = "infinity",
    side: str = "may",
    divide: str = "root",
    axis: int | None = -1,
    second: str = "weights",
    averaged: str = "values",
) -> Any:
    q, k, v = (np.asarray(array, dtype=float) for array in (queries, keys, values))
    scores = divided(q @ k.T, q, k, divide)
    allowed = np.asarray(mask)
    allowed = {"may": allowed, "inverted": ~allowed, "turned": allowed.T, "causal": np.tri(*allowed.shape) > 0}[side]
    masked = {
        "infinity": lambda: np.where(allowed, scores, -np.inf),
        "none": lambda: scores,
        "zero": lambda: np.where(allowed, scores, 0.0),
        "ones": lambda: scores + allowed,
        "weak": lambda: np.where(allowed, scores, -1.0),
        "ten": lambda: np.where(allowed, scores, -10.0),
        "minus_one": lambda: scores - 1.0 * ~allowed,
        "nan": lambda: scores + (1 - allowed) * -np.inf,
        "plus": lambda: np.where(allowed, scores, np.inf),
        "tiny": lambda: np.where(allowed, scores, 1e-9),
        "scaled": lambda: np.where(allowed, q @ k.T, -1e9) / np.sqrt(q.shape[-1]),
    }
    if how in masked:
        used = masked[how]()
        largest = used.max(axis=axis, keepdims=True)
        exponentials = np.exp(used - np.where(np.isneginf(largest), 0.0, largest))
        weights = exponentials / exponentials.sum(axis=axis, keepdims=True)
    else:
        used = scores
        weights = weights_of(scores, axis)
        weights = {
            "after": lambda: weights * allowed,
            "minus_after": lambda: np.where(allowed, weights, -np.inf),
            "rows": lambda: weights * allowed.any(axis=-1, keepdims=True),
            "output": lambda: weights,
        }[how]()
    output = weights @ {"values": v, "keys": k}[averaged]
    if how == "output":
        output = (weights * allowed) @ v
    return output, {"weights": weights, "scores": used, "unmasked": weights_of(scores)}[second]


MASKED_ATTENTION = Exercise(
    id="masked_attention",
    lesson=5,
    difficulty=2,
    minutes=8,
    signature="masked_attention(queries, keys, values, mask)",
    solution=_masked_attention,
    family=_masked_attention,
    mistakes={
        "after_softmax": ({"how": "after"}, {"how": "output"}, {"how": "minus_after"}),
        "multiplied": ({"how": "zero"}, {"how": "tiny"}),
        "inverted": ({"side": "inverted"},),
        "ignored": ({"how": "none"}, {"how": "rows"}),
        "added_as_numbers": ({"how": "ones"}, {"how": "minus_one"}),
        "weak_number": ({"how": "weak"}, {"how": "ten"}),
        "zero_times_infinity": ({"how": "nan"},),
        "plus_infinity": ({"how": "plus"},),
        "turned": ({"side": "turned"},),
        "own_mask": ({"side": "causal"},),
        "axis": ({"axis": 0}, {"axis": None}),
        "second_result": ({"second": "scores"}, {"second": "unmasked"}),
        "keys_averaged": ({"averaged": "keys"},),
        **{"multiplied_scores" if mistake == "multiplied" else mistake: ways for mistake, ways in DIVISIONS.items()},
    },
    make_cases=lambda: cases(
        (
            np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
            np.array([[2.0, 1.0], [0.0, 1.0], [1.0, 3.0]]),
            np.array([[1.0], [2.0], [5.0]]),
            np.array([[True, False, True], [True, True, False], [False, False, True]]),
        ),
        (
            *(np.random.default_rng(25 + i).normal(size=size) for i, size in enumerate([(4, 6), (5, 6), (5, 3)])),
            np.array([[1, 1, 0, 1, 0], [0, 1, 1, 0, 1], [1, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=bool),
        ),
        (
            *(np.random.default_rng(28 + i).normal(size=size) for i, size in enumerate([(5, 3), (5, 3), (5, 2)])),
            np.array([[1, 0, 0, 1, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [0, 1, 0, 1, 1]], dtype=bool),
        ),
    ),
)


# ── positions ────────────────────────────────────────────────────────────────────────────────────


def _positional_encoding(
    n: int,
    d_model: int,
    *,
    layout: str = "interleaved",
    exponent: str = "pair",
    base: float = 10000.0,
    start: int = 0,
    act: str = "divide",
    waves: str = "both",
    turned: bool = False,
) -> Any:
    t = np.arange(start, n + start)[:, None]
    half = d_model // 2
    i = np.arange(half)
    powers = {
        "pair": (2 * i / d_model, 2 * i / d_model),
        "index": (i / d_model, i / d_model),
        "next": (2 * i / d_model, 2 * (i + 1) / d_model),
        "odd": (2 * i / d_model, (2 * i + 1) / d_model),
        "not_divided": (2.0 * i, 2.0 * i),
        "zero": (0.0 * i, 0.0 * i),
        "half": (4 * i / d_model, 4 * i / d_model),
        "end": (i / max(half - 1, 1), i / max(half - 1, 1)),
        "one": (2 * (i + 1) / d_model, 2 * (i + 1) / d_model),
        "column": (2 * (2 * i) / d_model, 2 * (2 * i + 1) / d_model),
    }[exponent]
    angles = [t / base**p if act == "divide" else t * base**p if act == "times" else t * p for p in powers]
    sin, cos = np.sin(angles[0]), np.cos(angles[1])
    sin, cos = {"both": (sin, cos), "swapped": (cos, sin), "sines": (sin, np.sin(angles[1])), "cosines": (np.cos(angles[0]), cos)}[waves]
    if layout == "halves":
        encoding = np.concatenate([sin, cos], axis=-1)
    elif layout == "rows":  # sine on even positions, cosine on odd ones
        even = (t % 2 == 0) & np.ones(d_model, dtype=bool)
        full = t / base ** (np.arange(d_model) / d_model)
        encoding = np.where(even, np.sin(full), np.cos(full))
    else:
        encoding = np.stack([sin, cos], axis=-1).reshape(n, 2 * half)
    return encoding.T if turned else encoding


POSITIONAL_ENCODING = Exercise(
    id="positional_encoding",
    lesson=5,
    difficulty=2,
    minutes=8,
    signature="positional_encoding(n, d_model)",
    solution=_positional_encoding,
    family=_positional_encoding,
    mistakes={
        "halves": ({"layout": "halves"},),
        "cosine_next": ({"exponent": "next"}, {"exponent": "odd"}),
        "swapped": ({"waves": "swapped"},),
        "one_wave": ({"waves": "sines"}, {"waves": "cosines"}),
        "index": ({"exponent": "index"},),
        "column": ({"exponent": "column"},),
        "not_divided": ({"exponent": "not_divided"},),
        "one_frequency": ({"exponent": "zero"},),
        "wrong_exponent": ({"exponent": "half"}, {"exponent": "end"}, {"exponent": "one"}),
        "wrong_base": ({"base": 1000.0}, {"base": float(np.e)}, {"base": 100000.0}, {"base": 10.0}),
        "starts_at_one": ({"start": 1},),
        "multiplied": ({"act": "times"}, {"act": "plain"}),
        "by_position": ({"layout": "rows"},),
        "turned": ({"turned": True},),
    },
    make_cases=lambda: cases((2, 4), (3, 6), (7, 10)),
)


# ── the block with the norm in front ─────────────────────────────────────────────────────────────

_pre_norm_block = functools.partial(block, place="pre")

PRE_NORM_BLOCK = Exercise(
    id="pre_norm_block",
    lesson=5,
    difficulty=2,
    minutes=8,
    signature="pre_norm_block(x, attention, W1, b1, W2, b2)",
    solution=_pre_norm_block,
    family=_pre_norm_block,
    mistakes={
        "post_norm": ({"place": "post"},),
        "norm_of_sublayer": ({"place": "of_sublayer"},),
        "norm_both_sides": ({"place": "both"},),
        "final_norm": ({"extra": "final_norm"},),
        "normed_residual": ({"first_sum": "normed", "second_sum": "normed"}, {"first_sum": "normed"}, {"second_sum": "normed"}),
        "no_residual": ({"first_sum": "none", "second_sum": "none"},),
        "one_residual": ({"second_sum": "none"}, {"first_sum": "none"}),
        "residual_original": ({"second_sum": "original"},),
        "residual_doubled": ({"first_sum": "double", "second_sum": "double"}, {"first_sum": "double"}, {"second_sum": "double"}),
        "no_norm": ({"norms": "none"},),
        "one_norm": ({"norms": "first"}, {"norms": "second"}),
        "columns": ({"axis": 0}, {"axis": None}),
        "ddof": ({"ddof": 1},),
        **NETWORKS,
        "order": ({"order": "network"},),
        "parallel": ({"order": "parallel"}, {"reads": "x"}),
        "chained": ({"order": "chained"},),
        "sublayer_missing": ({"order": "no_network"}, {"order": "no_attention"}, {"order": "twice"}),
    },
    make_cases=block_cases,
)


# ── counting ─────────────────────────────────────────────────────────────────────────────────────


def _count_parameters(
    d_model: int,
    heads: int,
    d_ff: int,
    layers: int,
    *,
    matrices: str = "four",
    attention_bias: bool = False,
    network: str = "two",
    network_bias: str = "both",
    norm: str = "two",
    stacked: str = "all",
) -> int:
    width = d_model // heads
    attention = {
        "four": 4 * d_model**2,
        "three": 3 * d_model**2,
        "one": d_model**2,
        "heads": 4 * d_model**2 * heads,
        "wide_heads": 3 * d_model**2 * heads + d_model**2,
        "one_head": 4 * d_model * width,
        "narrow": 3 * d_model * width + d_model**2,
        "none": 0,
    }[matrices] + 4 * d_model * attention_bias
    mlp = {
        "two": 2 * d_model * d_ff,
        "one": d_model * d_ff,
        "square": 2 * d_ff**2,
        "model_square": d_model * d_ff + d_ff**2,
        "heads": 2 * d_model * d_ff * heads,
    }[network]
    mlp += {"both": d_ff + d_model, "none": 0, "first": d_ff, "second": d_model, "wide": 2 * d_ff, "narrow": 2 * d_model}[network_bias]
    norms = {"two": 4 * d_model, "one": 2 * d_model, "none": 0, "gamma": 2 * d_model, "numbers": 4, "three": 6 * d_model}[norm]
    if stacked == "attention_only":
        return layers * attention + mlp + norms
    if stacked == "norms_once":
        return layers * (attention + mlp) + norms
    return {"all": layers, "one": 1, "one_more": layers + 1, "twice": 2 * layers}[stacked] * (attention + mlp + norms)


COUNT_PARAMETERS = Exercise(
    id="count_parameters",
    lesson=5,
    difficulty=1,
    minutes=6,
    signature="count_parameters(d_model, heads, d_ff, layers)",
    solution=_count_parameters,
    family=_count_parameters,
    mistakes={
        "no_output_matrix": ({"matrices": "three"},),
        "one_matrix": ({"matrices": "one"}, {"matrices": "none"}),
        "times_heads": ({"matrices": "heads"}, {"matrices": "wide_heads"}, {"network": "heads"}),
        "one_head": ({"matrices": "one_head"}, {"matrices": "narrow"}),
        "attention_bias": ({"attention_bias": True},),
        "one_network_matrix": ({"network": "one"}, {"network": "square"}, {"network": "model_square"}),
        "no_network_bias": ({"network_bias": "none"},),
        "wrong_network_bias": ({"network_bias": "first"}, {"network_bias": "second"}, {"network_bias": "wide"}, {"network_bias": "narrow"}),
        "no_norms": ({"norm": "none"},),
        "one_norm": ({"norm": "one"},),
        "wrong_norms": ({"norm": "numbers"}, {"norm": "three"}),
        "layers_forgotten": ({"stacked": "one"}, {"stacked": "one_more"}, {"stacked": "twice"}),
        "not_every_layer": ({"stacked": "attention_only"}, {"stacked": "norms_once"}),
        "only_matrices": ({"network_bias": "none", "norm": "none"},),
    },
    make_cases=lambda: cases((4, 2, 6, 1), (6, 3, 10, 2), (512, 8, 2048, 6)),
    tolerance=1e-12,
)

EXERCISES: tuple[Exercise, ...] = (
    FEED_FORWARD,
    CAUSAL_MASK,
    MASKED_ATTENTION,
    POSITIONAL_ENCODING,
    PRE_NORM_BLOCK,
    COUNT_PARAMETERS,
)
