"""Checks that name the mistake.

from bloque.checks import check, exercises, hint

check("softmax", my_softmax)      # -> Result(passed, mistake, message); shows itself in a notebook
hint("softmax")                   # -> the first hint; hint("softmax", 2) the next
exercises()                       # -> the ids
"""

from __future__ import annotations

import difflib
from typing import Any

from bloque.checks.catalogue import CATALOGUE
from bloque.checks.diagnosis import diagnose
from bloque.checks.exercise import Exercise
from bloque.checks.result import Result
from bloque.texts import text

__all__ = ["Exercise", "Result", "check", "exercise", "exercises", "hint"]


def check(id: str, candidate: Any) -> Result:
    """Try a function on the cases of an exercise; a wrong one is told what its mistake is.

    The candidate gets copies of the inputs, in order and without names, and a few seconds in all. An
    endless loop in Python is stopped; one long call inside NumPy cannot be and runs to its end.
    Raises ValueError when there is no such exercise.
    """
    return diagnose(exercise(id), candidate)


def exercises(lesson: int | None = None) -> list[str]:
    """The ids of the exercises, in the order of the course; of one lesson if asked."""
    return [e.id for e in CATALOGUE.values() if lesson in (None, e.lesson)]


def exercise(id: str) -> Exercise:
    """What is known of an exercise: lesson, difficulty, minutes, signature, task, hints."""
    if id not in CATALOGUE:
        near = difflib.get_close_matches(str(id), CATALOGUE, n=3) or list(CATALOGUE)
        raise ValueError(text("checks.unknown", id=repr(id), near=", ".join(near)))
    return CATALOGUE[id]


def hint(id: str, step: int = 1) -> Hint:
    """The first, second or third hint of an exercise; the last stays the last."""
    hints = exercise(id).hints
    step = min(max(step, 1), len(hints))
    return Hint(f"{text('checks.hint', step=step, steps=len(hints))} {hints[step - 1]}")


class Hint(str):
    """A hint, shown without quotes."""

    def __repr__(self) -> str:
        return str(self)
