"""The induction task: what followed this token the last time it was seen?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bloque import errors


class Batch(NamedTuple):
    """Sequences, and what is to be answered after each position."""

    tokens: np.ndarray  # (batch, n), whole numbers from 0 to vocabulary − 1
    targets: np.ndarray  # (batch, n), the token that comes next
    asked: np.ndarray  # (batch, n) boolean: the positions where it can be known


def induction_batch(rng: np.random.Generator, batch: int, n: int, vocabulary: int) -> Batch:
    """Sequences whose last third repeats a piece of the rest, from a place that is different in each.

    The first part holds each token at most once, so a repeated token tells where the copy is being
    read, and the answer is the token that followed it there. The place being random, no fixed
    distance helps: the model must look for the token itself.
    Raises ValueError when the vocabulary has fewer tokens than the first part, n is less than 6 or
    batch less than 1.
    """
    errors.whole("batch", batch, 1)
    repeated = errors.whole("n", n, 6) // 3
    first = n - repeated  # tokens that differ from each other
    errors.whole("vocabulary", vocabulary, first)
    order = rng.random((batch, vocabulary)).argsort(axis=1)[:, :first]  # (batch, first)
    start = rng.integers(0, first - repeated, size=(batch, 1))  # a place with `repeated` tokens and one more after it
    copied = np.take_along_axis(order, start + np.arange(repeated + 1), axis=1)  # (batch, repeated + 1)
    sequence = np.concatenate([order, copied], axis=1)  # (batch, n + 1)
    asked = np.broadcast_to(np.arange(n) >= first, (batch, n))
    return Batch(sequence[:, :-1], sequence[:, 1:], asked)


def answer_places(tokens: np.ndarray) -> np.ndarray:
    """Where the answer stands: one after the last place where this token stood before.

    tokens: (batch, n). Returns (batch, n), −1 where the token had not been seen before.
    """
    n = tokens.shape[-1]
    same = (tokens[..., :, None] == tokens[..., None, :]) & np.tri(n, k=-1, dtype=bool)  # (batch, n, n), strictly before
    last = n - 1 - same[..., ::-1].argmax(axis=-1)  # (batch, n), meaningless where nothing is the same
    return np.where(same.any(axis=-1), last + 1, -1)


def induction_answer(tokens: np.ndarray) -> np.ndarray:
    """The rule itself, without learning: the token after the last place where this one stood.

    tokens: (batch, n). Returns (batch, n), −1 where the token had not been seen before.
    """
    places = answer_places(tokens)
    return np.where(places >= 0, np.take_along_axis(tokens, np.maximum(places, 0), axis=-1), -1)


def induction_accuracy(logits: np.ndarray, batch: Batch) -> float:
    """The fraction of the asked positions whose largest logit is the target.

    logits: (batch, n, vocabulary).
    """
    right = logits.argmax(axis=-1) == batch.targets  # (batch, n)
    return float(right[batch.asked].mean())
