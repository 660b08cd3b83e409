"""Exercises of lesson 6: one step of Adam, the paper's learning rate, and counting the right answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from bloque.checks.exercise import Exercise, cases

# ── one step of Adam ─────────────────────────────────────────────────────────────────────────────

BETA1, BETA2, EPS = 0.9, 0.98, 1e-9


def _adam_step(
    parameters: Any,
    gradient: Any,
    mean: Any,
    square: Any,
    step: Any,
    rate: Any,
    *,
    hats: str = "both",
    sign: float = -1,
    root: bool = True,
    squared: bool = True,
    betas: str = "right",
    over: str = "hat",
    count: int = 0,
    numerator: str = "mean",
    returned: str = "right",
) -> Any:
    parameters, gradient, mean, square = (np.asarray(a, dtype=float) for a in (parameters, gradient, mean, square))
    beta1, beta2 = (BETA2, BETA1) if betas == "swapped" else (BETA1, BETA2)
    keep1, keep2 = (1 - beta1, 1 - beta2) if betas == "turned" else (beta1, beta2)
    new1, new2 = (1.0, 1.0) if betas == "whole" else (1 - keep1, 1 - keep2)
    mean = keep1 * mean + new1 * gradient
    square = keep2 * square + new2 * (gradient**2 if squared else gradient)
    t = step + count
    with np.errstate(all="ignore"):
        undo1 = {"once": 1 - beta1, "add": 1 + beta1**t}.get(hats, 1 - beta1**t) if hats not in ("none", "square") else 1.0
        undo2 = {"once": 1 - beta2, "add": 1 + beta2**t}.get(hats, 1 - beta2**t) if hats not in ("none", "mean") else 1.0
        if hats == "multiplied":
            undo1, undo2 = 1 / undo1, 1 / undo2
        mean_hat, square_hat = mean / undo1, square / undo2
        below = np.sqrt(square_hat) if root else square_hat
        top = gradient if numerator == "gradient" else mean_hat
        below = np.ones_like(below) if over == "nothing" else below
        moved = parameters + sign * rate * top / (below + EPS)
    if returned == "hats":
        return moved, mean_hat, square_hat
    if returned == "change":
        return moved - parameters, mean, square
    return moved, mean, square


def _adam_cases() -> Any:
    rng = np.random.default_rng(61)
    first = (np.array([1.0, -2.0]), np.array([0.5, -0.25]), np.zeros(2), np.zeros(2), 1, 0.1)
    later = (np.array([1.0, -2.0]), np.array([0.5, -0.25]), np.array([0.25, 0.5]), np.array([0.5, 0.125]), 3, 0.1)
    more = [
        (rng.normal(size=shape), rng.normal(size=shape), rng.normal(size=shape), 0.2 + rng.random(shape), step, rate)
        for shape, step, rate in (((3,), 2, 0.03), ((2, 4), 7, 0.5))
    ]
    return cases(later, first, *more)


ADAM_STEP = Exercise(
    id="adam_step",
    lesson=6,
    difficulty=2,
    minutes=8,
    signature="adam_step(parameters, gradient, mean, square, step, rate)",
    solution=_adam_step,
    family=_adam_step,
    mistakes={
        "no_hats": ({"hats": "none"},),
        "one_hat": ({"hats": "mean"}, {"hats": "square"}),
        "hats_without_power": ({"hats": "once"},),
        "hats_multiplied": ({"hats": "multiplied"}, {"hats": "add"}),
        "hats_returned": ({"returned": "hats"},),
        "step_from_zero": ({"count": -1}, {"count": 1}),
        "uphill": ({"sign": 1},),
        "no_root": ({"root": False},),
        "no_square": ({"squared": False},),
        "betas_swapped": ({"betas": "swapped"},),
        "betas_turned": ({"betas": "turned"},),
        "no_average": ({"betas": "whole"},),
        "only_momentum": ({"over": "nothing"},),
        "no_momentum": ({"numerator": "gradient"},),
        "only_the_change": ({"returned": "change"},),
    },
    make_cases=_adam_cases,
)


# ── the learning rate of the paper ───────────────────────────────────────────────────────────────


def _paper_schedule(
    step: Any, d_model: Any, warm_up: Any, *, chosen: str = "min", width: str = "root", rise: float = 1.5, fall: float = 0.5
) -> Any:
    falling, rising = 1 / step**fall, step / warm_up**rise
    rate = {"min": min(falling, rising), "max": max(falling, rising), "rising": rising, "falling": falling, "sum": falling + rising}[chosen]
    return rate * {"root": d_model**-0.5, "up": d_model**0.5, "none": 1.0, "whole": 1 / d_model}[width]


PAPER_SCHEDULE = Exercise(
    id="paper_schedule",
    lesson=6,
    difficulty=1,
    minutes=5,
    signature="paper_schedule(step, d_model, warm_up)",
    solution=_paper_schedule,
    family=_paper_schedule,
    mistakes={
        "max": ({"chosen": "max"},),
        "no_warm_up": ({"chosen": "falling"},),
        "never_falls": ({"chosen": "rising"},),
        "sum": ({"chosen": "sum"},),
        "d_model_up": ({"width": "up"},),
        "no_d_model": ({"width": "none"},),
        "d_model_whole": ({"width": "whole"},),
        "wrong_rise": ({"rise": 0.5}, {"rise": 1.0}),
        "wrong_fall": ({"fall": 1.0}, {"fall": 1.5}),
    },
    make_cases=lambda: cases((2, 16, 9), (5, 16, 9), (9, 36, 9), (40, 36, 9), (4000, 512, 4000), (100, 512, 4000), (20_000, 64, 300)),
    tolerance=1e-7,
)


# ── how many answers are right ───────────────────────────────────────────────────────────────────


def _induction_accuracy(logits: Any, targets: Any, asked: Any, *, axis: int = -1, best: str = "max", over: str = "asked") -> Any:
    logits, targets, asked = np.asarray(logits), np.asarray(targets), np.asarray(asked, dtype=bool)
    if axis == -1:
        answers = logits.argmax(axis=-1) if best == "max" else logits.argmin(axis=-1)
        right = answers == targets
    else:
        right = logits.argmax(axis=1)[:, :1] == targets  # the position with the largest logit, not the token
    if over == "asked":
        return right[asked].mean()
    if over == "all":
        return right.mean()
    if over == "asked over all":
        return (right & asked).mean()
    if over == "not asked":
        return right[~asked].mean()
    if over == "count":
        return right[asked].sum()
    if over == "errors":
        return 1 - right[asked].mean()
    if over == "rows":
        return (right | ~asked).all(axis=-1).mean()
    return right[:, -1].mean()  # "last"


def _accuracy_cases() -> Any:
    logits = np.array([[[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [0.5, 1.5, 0.0]]])
    found = [(logits, np.array([[1, 1, 2, 0]]), np.array([[False, True, True, True]]))]
    for seed, batch, n, vocabulary in ((62, 3, 7, 5), (63, 4, 6, 9)):
        rng = np.random.default_rng(seed)
        targets = rng.integers(0, vocabulary, (batch, n))
        logits = rng.normal(size=(batch, n, vocabulary))
        helped = rng.random((batch, n)) < 0.6
        np.put_along_axis(logits, targets[..., None], np.where(helped, 4.0, -1.0)[..., None], axis=-1)
        asked = rng.random((batch, n)) < 0.55
        found.append((logits, targets, asked))
    return cases(*found)


INDUCTION_ACCURACY = Exercise(
    id="induction_accuracy",
    lesson=6,
    difficulty=1,
    minutes=4,
    signature="induction_accuracy(logits, targets, asked)",
    solution=_induction_accuracy,
    family=_induction_accuracy,
    mistakes={
        "every_position": ({"over": "all"},),
        "divided_by_all": ({"over": "asked over all"},),
        "not_asked": ({"over": "not asked"},),
        "counted": ({"over": "count"},),
        "errors": ({"over": "errors"},),
        "whole_sequences": ({"over": "rows"},),
        "last_only": ({"over": "last"},),
        "smallest": ({"best": "min"},),
        "axis": ({"axis": 1},),
    },
    make_cases=_accuracy_cases,
)

EXERCISES = (ADAM_STEP, PAPER_SCHEDULE, INDUCTION_ACCURACY)
