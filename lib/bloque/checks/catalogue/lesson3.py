"""Exercises of lesson 3: heads split and merged, attention in each, what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from bloque.checks.catalogue.lesson1 import weights_of
from bloque.checks.exercise import Exercise, cases

# ── splitting ────────────────────────────────────────────────────────────────────────────────────


def _split(x: Any, heads: int, *, way: str = "columns", turn: bool = False) -> Any:
    x = np.asarray(x)
    n, d = x.shape
    width = d // heads
    split = {
        "columns": lambda: x.reshape(n, heads, width).transpose(1, 0, 2),
        "straight": lambda: x.reshape(heads, n, width),
        "no_transpose": lambda: x.reshape(n, heads, width),
        "interleaved": lambda: x.reshape(n, width, heads).transpose(2, 0, 1),
        "rows": lambda: x.reshape(heads, n // heads, d),
        "copies": lambda: np.stack([x] * heads),
        "width_for_count": lambda: x.reshape(n, width, heads).transpose(1, 0, 2),
        "columns_first": lambda: x.T.reshape(heads, n, width),
        "left_whole": lambda: x.reshape(1, n, d),
        "fortran": lambda: x.reshape(heads, n, width, order="F"),
        "swapped_2": lambda: x.reshape(n, heads, width).transpose(2, 1, 0),
        "swapped_3": lambda: x.reshape(n, heads, width).transpose(2, 0, 1),
        "swapped_4": lambda: x.reshape(n, heads, width).transpose(0, 2, 1),
        "reversed": lambda: x.reshape(n, heads, width).transpose(1, 0, 2)[::-1],
        "reversed_inside": lambda: x[:, ::-1].reshape(n, heads, width).transpose(1, 0, 2),
        "first": lambda: x[:, :width],
    }[way]()
    return split.swapaxes(-1, -2) if turn else split


SPLIT_HEADS = Exercise(
    id="split_heads",
    lesson=3,
    difficulty=1,
    minutes=5,
    signature="split_heads(x, heads)",
    solution=_split,
    family=_split,
    mistakes={
        "straight": ({"way": "straight"}, {"way": "columns_first"}, {"way": "fortran"}),
        "no_transpose": ({"way": "no_transpose"},),
        "interleaved": ({"way": "interleaved"},),
        "turned": ({"turn": True}, {"way": "swapped_2"}, {"way": "swapped_3"}, {"way": "swapped_4"}),
        "rows": ({"way": "rows"},),
        "copies": ({"way": "copies"},),
        "reversed": ({"way": "reversed"}, {"way": "reversed_inside"}),
        "width_for_count": ({"way": "width_for_count"},),
        "one_head": ({"way": "first"}, {"way": "left_whole"}),
    },
    make_cases=lambda: cases(
        (np.arange(24.0).reshape(4, 6), 3),
        (np.arange(24.0).reshape(4, 6), 2),
        (np.random.default_rng(12).normal(size=(5, 12)), 4),
    ),
)


# ── merging ──────────────────────────────────────────────────────────────────────────────────────


def _merge(x: Any, *, way: str = "columns") -> Any:
    x = np.asarray(x)
    heads, n, width = x.shape
    return {
        "columns": lambda: x.transpose(1, 0, 2).reshape(n, heads * width),
        "straight": lambda: x.reshape(n, heads * width),
        "interleaved": lambda: x.transpose(1, 2, 0).reshape(n, heads * width),
        "stacked": lambda: x.reshape(heads * n, width),
        "no_reshape": lambda: x.transpose(1, 0, 2),
        "reversed": lambda: x[::-1].transpose(1, 0, 2).reshape(n, heads * width),
        "swapped": lambda: x.transpose(0, 2, 1).reshape(n, heads * width),
        "swapped_2": lambda: x.transpose(2, 0, 1).reshape(n, heads * width),
        "swapped_3": lambda: x.transpose(2, 1, 0).reshape(n, heads * width),
        "swapaxes": lambda: x.swapaxes(0, 2).reshape(n, heads * width),
        "turned": lambda: x.transpose(0, 2, 1).reshape(heads * width, n),
        "summed": lambda: x.sum(axis=0),
        "mean": lambda: x.mean(axis=0),
        "first": lambda: x[0],
        "flat": lambda: x.reshape(-1),
        "tokens_reversed": lambda: x[:, ::-1].transpose(1, 0, 2).reshape(n, heads * width),
    }[way]()


MERGE_HEADS = Exercise(
    id="merge_heads",
    lesson=3,
    difficulty=1,
    minutes=5,
    signature="merge_heads(x)",
    solution=_merge,
    family=_merge,
    mistakes={
        "straight": ({"way": "straight"},),
        "interleaved": ({"way": "interleaved"},),
        "stacked": ({"way": "stacked"},),
        "no_reshape": ({"way": "no_reshape"},),
        "reversed": ({"way": "reversed"},),
        "wrong_axes": ({"way": "swapped"}, {"way": "swapped_2"}, {"way": "swapped_3"}, {"way": "turned"}),
        "summed": ({"way": "summed"}, {"way": "mean"}),
        "one_head": ({"way": "first"},),
        "flat": ({"way": "flat"},),
        "tokens_reversed": ({"way": "tokens_reversed"},),
    },
    make_cases=lambda: cases(
        (np.arange(24.0).reshape(3, 4, 2),),
        (np.arange(24.0).reshape(2, 3, 4),),
        (np.random.default_rng(13).normal(size=(4, 5, 3)),),
    ),
)


# ── multi-head attention ─────────────────────────────────────────────────────────────────────────


def _multi_head(
    x: Any,
    W_Q: Any,
    W_K: Any,
    W_V: Any,
    W_O: Any,
    heads: int,
    *,
    split: str = "columns",
    merge: str = "columns",
    divide: str = "d_k",
    axis: int | None = -1,
    share: str = "softmax",
    matrices: str = "own",
    last: str = "W_O",
    count: str = "given",
    residual: bool = False,
) -> Any:
    x = np.asarray(x, dtype=float)
    n, d = x.shape
    heads = heads if count == "given" else 1
    width = d // heads
    a, b, c = {
        "own": (W_Q, W_K, W_V),
        "keys_as_queries": (W_Q, W_Q, W_V),
        "values_as_keys": (W_Q, W_K, W_K),
        "swapped": (W_K, W_Q, W_V),
        "all_one": (W_Q, W_Q, W_Q),
        "values_unprojected": (W_Q, W_K, np.eye(d)),
        "unprojected": (np.eye(d), np.eye(d), np.eye(d)),
        "turned": (W_Q.T, W_K.T, W_V.T),
        "sliced": tuple(np.kron(np.eye(heads), np.ones((width, width))) * W for W in (W_Q, W_K, W_V)),
        "shared": tuple(np.tile(W[:, :width], heads) for W in (W_Q, W_K, W_V)),
    }[matrices]
    q, k, v = (_split(x @ W, heads, way=split) for W in (a, b, c))
    divisor = {
        "d_k": np.sqrt(width),
        "d_model": np.sqrt(d),
        "none": 1.0,
        "no_root": float(width),
        "heads": np.sqrt(heads),
        "n": np.sqrt(n),
    }[divide]
    scores = q @ k.swapaxes(-1, -2) / divisor
    if axis is None:
        weights = np.stack([weights_of(one, None) for one in scores])
    else:
        weights = {"softmax": lambda: weights_of(scores, axis), "none": lambda: scores}[share]()
    found = weights @ v
    if merge in ("summed", "mean"):
        merged = _merge(found, way=merge)
        output = merged @ W_O[:width]
    else:
        merged = _merge(found, way=merge)
        output = {
            "W_O": lambda: merged @ W_O,
            "nothing": lambda: merged,
            "turned": lambda: merged @ W_O.T,
            "twice": lambda: merged @ W_O @ W_O,
            "first_rows": lambda: sum(head @ W_O[:width] for head in found),
            "mean": lambda: merged @ W_O / heads,
        }[last]()
    return output + x if residual else output


MULTI_HEAD_ATTENTION = Exercise(
    id="multi_head_attention",
    lesson=3,
    difficulty=2,
    minutes=12,
    signature="multi_head_attention(x, W_Q, W_K, W_V, W_O, heads)",
    solution=_multi_head,
    family=_multi_head,
    mistakes={
        "no_output_matrix": ({"last": "nothing"},),
        "d_model": ({"divide": "d_model"},),
        "no_division": ({"divide": "none"},),
        "no_root": ({"divide": "no_root"},),
        "wrong_size": ({"divide": "heads"}, {"divide": "n"}),
        "split_straight": ({"split": "straight"}, {"split": "straight", "merge": "straight"}, {"split": "columns_first"}),
        "split_interleaved": ({"split": "interleaved"},),
        "merge_straight": ({"merge": "straight"}, {"merge": "swapped"}, {"merge": "swapped_2"}),
        "merge_interleaved": ({"merge": "interleaved"},),
        "merge_reversed": ({"merge": "reversed"},),
        "summed": ({"merge": "summed"}, {"merge": "mean"}, {"last": "first_rows"}, {"last": "mean"}),
        "sliced": ({"matrices": "sliced"},),
        "shared": ({"matrices": "shared"},),
        "one_head": ({"count": "one"},),
        "wrong_matrix": (
            {"matrices": "keys_as_queries"},
            {"matrices": "values_as_keys"},
            {"matrices": "swapped"},
            {"matrices": "all_one"},
        ),
        "unprojected": ({"matrices": "values_unprojected"}, {"matrices": "unprojected"}),
        "turned": ({"matrices": "turned"}, {"last": "turned"}, {"matrices": "turned", "last": "turned"}),
        "axis": ({"axis": -2}, {"axis": None}, {"axis": 0}),
        "no_softmax": ({"share": "none"},),
        "residual": ({"residual": True},),
        "output_twice": ({"last": "twice"},),
    },
    make_cases=lambda: cases(
        *(
            (rng.normal(size=(n, d)), *(rng.normal(size=(d, d)) / np.sqrt(d) * 1.5 for _ in range(4)), heads)
            for rng, n, d, heads in (
                (np.random.default_rng(14), 3, 8, 2),
                (np.random.default_rng(15), 5, 6, 3),
                (np.random.default_rng(16), 7, 12, 4),
            )
        )
    ),
)


# ── what heads cost ──────────────────────────────────────────────────────────────────────────────


def _head_cost(n: int, d_model: int, heads: int, *, width: str = "share", scores: str = "one", weights: str = "four") -> Any:
    return (
        {"share": d_model // heads, "whole": d_model, "times": d_model * heads, "root": round(d_model**0.5)}[width],
        {
            "one": n * n,
            "all": heads * n * n,
            "width": n * n * (d_model // heads),
            "linear": n * (d_model // heads),
            "n": n,
            "pairs": n * (n - 1) // 2,
            "others": n * (n - 1),
            "triangle": n * (n + 1) // 2,
            "share": n * n // heads,
            "d": n * d_model,
        }[scores],
        {
            "four": 4 * d_model**2,
            "three": 3 * d_model**2,
            "one": d_model**2,
            "heads": 4 * d_model**2 * heads,
            "per_head": 4 * d_model * (d_model // heads),
            "biases": 4 * (d_model**2 + d_model),
            "narrow": 3 * d_model * (d_model // heads) + d_model**2,
            "three_heads": 3 * d_model**2 * heads + d_model**2,
        }[weights],
    )


HEAD_COST = Exercise(
    id="head_cost",
    lesson=3,
    difficulty=1,
    minutes=4,
    signature="head_cost(n, d_model, heads)",
    solution=_head_cost,
    family=_head_cost,
    mistakes={
        "wide_heads": ({"width": "whole"}, {"width": "times"}, {"width": "root"}),
        "all_heads": ({"scores": "all"}, {"scores": "share"}),
        "width_in_scores": ({"scores": "width"}, {"scores": "linear"}, {"scores": "d"}),
        "not_every_pair": ({"scores": "pairs"}, {"scores": "others"}, {"scores": "triangle"}, {"scores": "n"}),
        "times_heads": ({"weights": "heads"}, {"weights": "three_heads"}),
        "no_output_matrix": ({"weights": "three"},),
        "one_matrix": ({"weights": "one"},),
        "one_head": ({"weights": "per_head"}, {"weights": "narrow"}),
        "biases": ({"weights": "biases"},),
    },
    make_cases=lambda: cases((3, 8, 2), (100, 256, 4), (10, 36, 3)),
)

EXERCISES: tuple[Exercise, ...] = (SPLIT_HEADS, MERGE_HEADS, MULTI_HEAD_ATTENTION, HEAD_COST)
