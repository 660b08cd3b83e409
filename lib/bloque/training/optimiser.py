"""Adam, and the learning rate that warms up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class AdamState(NamedTuple):
    """Adam's memory: running means of the gradient and of its square, and the steps taken."""

    mean: np.ndarray
    square: np.ndarray
    step: int


def adam_start(parameters: np.ndarray) -> AdamState:
    """The memory before the first step."""
    return AdamState(np.zeros_like(parameters), np.zeros_like(parameters), 0)


def adam_step(
    parameters: np.ndarray,
    gradient: np.ndarray,
    state: AdamState,
    rate: float,
    *,
    beta1: float = 0.9,
    beta2: float = 0.98,
    eps: float = 1e-9,
) -> tuple[np.ndarray, AdamState]:
    """One step of Adam: each parameter moves about `rate`, whatever the size of its gradient.

        m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
        θ ← θ − rate · m̂ / (√v̂ + ε),   m̂ = m / (1 − β₁ᵗ),   v̂ = v / (1 − β₂ᵗ)
                                                     Kingma and Ba (2015), algorithm 1

    m and v start at 0, so the first means are too small: the hats undo it. β₁, β₂ and ε are those
    of Vaswani et al. (2017), section 5.3.
    All arrays have the same shape. Returns the new parameters and the new memory.
    """
    step = state.step + 1
    mean = beta1 * state.mean + (1 - beta1) * gradient
    square = beta2 * state.square + (1 - beta2) * np.square(gradient)
    mean_hat = mean / (1 - beta1**step)
    square_hat = square / (1 - beta2**step)
    moved = parameters - rate * mean_hat / (np.sqrt(square_hat) + eps)
    return moved.astype(parameters.dtype, copy=False), AdamState(mean, square, step)


def warm_up(step: int, peak: float, steps: int) -> float:
    """The learning rate of step 1, 2, …: a straight line up to `peak` in `steps` steps, then flat.

    steps = 0 means no warm-up: `peak` from the first step.
    """
    return peak * min(1.0, step / steps) if steps else peak


def paper_schedule(step: int, d_model: int, steps: int) -> float:
    """The paper's own: a straight line up in `steps` steps, then down as 1/√step.

    rate = d_model^(−1/2) · min(step^(−1/2), step · steps^(−3/2))
                                                 Vaswani et al. (2017), equation 3
    """
    return d_model**-0.5 * min(step**-0.5, step * steps**-1.5)
