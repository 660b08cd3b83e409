"""The exercises of the course, a module a lesson."""

from __future__ import annotations

import importlib
import pkgutil

from bloque.checks.exercise import Exercise


def _collected() -> dict[str, Exercise]:
    found: dict[str, Exercise] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for exercise in importlib.import_module(f"{__name__}.{module}").EXERCISES:
            if exercise.id in found:
                raise ValueError(f"two exercises are called {exercise.id}")
            found[exercise.id] = exercise
    return found


CATALOGUE = _collected()
