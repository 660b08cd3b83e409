"""The training loop: it can be stopped after any step and taken up again, with the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bloque import errors
from bloque.training.model import (
    ModelParameters,
    ModelSettings,
    cross_entropy,
    model_backward,
    model_forward,
    model_parameters,
)
from bloque.training.optimiser import AdamState, adam_start, adam_step, warm_up
from bloque.training.task import Batch, induction_accuracy, induction_batch

HELD_OUT = 12345  # the seed of the sequences that training never draws


@dataclass
class History:
    """One entry a step: loss and accuracy of that step's batch before it is learned from, and gradients."""

    loss: list[float] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    arriving: list[list[float]] = field(default_factory=list)  # gradient norm at the input of each block


class Examination(NamedTuple):
    """What one forward pass over a batch says of the model."""

    loss: float
    accuracy: float
    maps: list[np.ndarray]  # the attention weights of each block, (batch, heads, n, n)


class Training:
    """A model, its optimiser and its data, at some step.

    peak, warm_up_steps: the learning rate, see `warm_up`;  batch: sequences a step;  seed: of the
    parameters and of the data.
    Raises ValueError when batch is not a whole number of at least 1, seed not one of at least 0, or
    the settings have no such model.
    """

    def __init__(self, settings: ModelSettings, *, peak: float = 3e-3, warm_up_steps: int = 50, batch: int = 32, seed: int = 0):
        self.settings = settings
        self.peak, self.warm_up_steps, self.batch = peak, warm_up_steps, errors.whole("batch", batch, 1)
        self.shape = model_parameters(settings, seed)
        self.flat = flattened(self.shape)  # all parameters in one row, which Adam updates at once
        self.adam: AdamState = adam_start(self.flat)
        self.rng = np.random.default_rng([seed, 1])  # held_out has a 2 there
        self.history = History()

    @property
    def parameters(self) -> ModelParameters:
        """The parameters in their containers, as views of the row."""
        return unflattened(self.flat, self.shape)

    @property
    def steps(self) -> int:
        """The steps taken so far."""
        return self.adam.step

    def new_batch(self, rng: np.random.Generator | None = None, size: int | None = None) -> Batch:
        """Fresh sequences: `size` of them, or as many as a step takes; without a generator, the next that training would draw.

        Raises ValueError when size is not a whole number of at least 1.
        """
        size = self.batch if size is None else errors.whole("size", size, 1)
        return induction_batch(self.rng if rng is None else rng, size, self.settings.n, self.settings.vocabulary)

    def held_out(self, size: int = 256, seed: int = HELD_OUT) -> Batch:
        """Sequences that training never draws, the same ones at every call.

        Raises ValueError when size is not a whole number of at least 1, or seed not one of at least 0.
        """
        return self.new_batch(np.random.default_rng([errors.whole("seed", seed, 0), 2]), size)

    def step(self) -> None:
        """One batch: forward, loss, backward, Adam."""
        batch, parameters = self.new_batch(), self.parameters
        logits, kept = model_forward(batch.tokens, parameters, self.settings)
        loss, by_logits = cross_entropy(logits, batch)
        by_parameters, arriving = model_backward(by_logits, kept, self.settings)
        rate = warm_up(self.adam.step + 1, self.peak, self.warm_up_steps)
        self.flat, self.adam = adam_step(self.flat, flattened(by_parameters), self.adam, rate)
        self.history.loss.append(loss)
        self.history.accuracy.append(induction_accuracy(logits, batch))
        self.history.rate.append(rate)
        self.history.arriving.append(arriving)

    def run(self, steps: int, *, stop: Callable[[], bool] = lambda: False, report: Callable[[Training], None] | None = None) -> None:
        """Take steps until there are `steps` more, or until stop() says so; call it again to go on."""
        for _ in range(steps):
            if stop():
                return
            self.step()
            if report is not None:
                report(self)

    def evaluate(self, size: int = 256, seed: int = HELD_OUT) -> tuple[float, float]:
        """Loss and accuracy on sequences that training never draws, those of `held_out`."""
        loss, accuracy, _ = self.examine(self.held_out(size, seed))
        return loss, accuracy

    def examine(self, batch: Batch) -> Examination:
        """Loss, accuracy and attention on a batch, all from one forward pass; nothing is learned from it."""
        logits, kept = model_forward(batch.tokens, self.parameters, self.settings)
        return Examination(cross_entropy(logits, batch)[0], induction_accuracy(logits, batch), kept.maps)


def arrays(tree: Any) -> Iterator[np.ndarray]:
    """The arrays of nested containers, in order."""
    if tree is None:
        return
    if isinstance(tree, tuple | list):
        for part in tree:
            yield from arrays(part)
    else:
        yield tree


def flattened(tree: Any) -> np.ndarray:
    """All the numbers of nested containers in one row."""
    return np.concatenate([array.ravel() for array in arrays(tree)])


def unflattened(row: np.ndarray, like: Any) -> Any:
    """The containers of `like`, filled with views of the row, in order."""
    start = 0

    def fill(part: Any) -> Any:
        nonlocal start
        if part is None:
            return None
        if isinstance(part, tuple):
            return type(part)(*map(fill, part))
        if isinstance(part, list):
            return [fill(each) for each in part]
        start += part.size
        return row[start - part.size : start].reshape(part.shape)

    return fill(like)
