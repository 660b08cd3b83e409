"""What an exercise is: a function to write, inputs to try it on, and the wrong turns people take."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bloque.texts import entry, text

Function = Callable[..., Any]
Variant = Mapping[str, Any] | Function


@dataclass(frozen=True)
class Case:
    """One call of the function.

    Cases stand in order, the smallest first, and in kinds: a wrong answer is judged by the first kind
    of case where it fails, so that a mistake which shows everywhere is not confused with one that
    shows with extreme inputs only.
    """

    args: tuple[Any, ...]
    kind: str = "core"


@dataclass(frozen=True)
class Exercise:
    """An exercise of the course; its texts stand under ``checks.exercise.<id>``."""

    id: str
    lesson: int
    difficulty: int  # 1 to 3
    minutes: int
    signature: str  # as the learner writes it: "softmax(scores)"
    solution: Function  # a right answer
    family: Function  # a right answer that also takes the known wrong turns, as keyword arguments
    mistakes: Mapping[str, tuple[Variant, ...]]  # the ways to make each; the first is the usual one
    make_cases: Callable[[], list[Case]]
    accepts: tuple[Function, ...] = ()  # other right answers with other results (1/n or 1/(n − 1), say)
    tolerance: float = 1e-5  # relative to the largest entry, for float64

    @functools.cached_property
    def cases(self) -> list[Case]:
        return self.make_cases()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        inside = self.signature[self.signature.index("(") + 1 : -1]
        return tuple(name.strip() for name in inside.split(","))

    @property
    def title(self) -> str:
        return text(f"checks.exercise.{self.id}.title")

    @property
    def task(self) -> str:
        """What to write."""
        return text(f"checks.exercise.{self.id}.task")

    @property
    def hints(self) -> list[str]:
        """Three, from a nudge to almost there."""
        return list(entry(f"checks.exercise.{self.id}.hints"))

    def explanation(self, mistake: str) -> str:
        """What a known mistake does and what to look at."""
        return text(f"checks.exercise.{self.id}.mistakes.{mistake}")

    def variants(self, mistake: str) -> list[Function]:
        """The functions that make a known mistake."""
        return [self.variant(variant) for variant in self.mistakes[mistake]]

    def variant(self, variant: Variant) -> Function:
        return variant if callable(variant) else functools.partial(self.family, **variant)


def cases(*calls: tuple[Any, ...], kind: str = "core") -> list[Case]:
    """Cases of one kind, from the tuples of their arguments."""
    return [Case(args, kind) for args in calls]
