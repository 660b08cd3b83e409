"""Comparing what came out with what should: same numbers in any reasonable dress are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bloque.checks.exercise import Exercise
from bloque.texts import text

PRECISION = {"float16": 5e-3, "float32": 1e-4}  # of a result that comes in a coarser type
SHOWN = 24  # how many numbers in arrays a message writes out


@dataclass(frozen=True)
class Difference:
    """The first thing that differs, in the order of looking: number of results, type, shape, NaN, rows, values."""

    kind: str
    yours: str = ""
    right: str = ""
    rows: str = ""

    def sentence(self) -> str:
        """The difference in the reader's language."""
        return text(f"checks.differs.{self.kind}", yours=self.yours, right=self.right, rows=self.rows)


def difference(value: Any, expected: Any, tolerance: float, *, nan_is_nan: bool = False) -> Difference | None:
    """None when ``value`` is ``expected`` up to rounding, in whatever container it comes."""
    if isinstance(expected, tuple):
        if not isinstance(value, tuple | list | np.ndarray) or len(value) != len(expected):
            return Difference("count")
        parts = (difference(v, e, tolerance, nan_is_nan=nan_is_nan) for v, e in zip(value, expected, strict=True))
        return next((part for part in parts if part is not None), None)
    got, right = as_array(value), as_array(expected)
    if right is None:
        return None if got is None else Difference("type")
    if got is None or (right.dtype == bool) != (got.dtype == bool):
        return Difference("type", yours=type_name(value), right=type_name(expected))
    if got.shape != right.shape and not (right.ndim == 0 and got.size == 1):
        return Difference("shape", yours=str(got.shape), right=str(right.shape))
    got = got.reshape(right.shape)
    wrong = got != right if right.dtype == bool else ~_close(got, right, tolerance, nan_is_nan)
    if not wrong.any():
        return None
    if right.dtype != bool and not np.isfinite(got[wrong]).all() and np.isfinite(right).all():
        return Difference("nan")
    rows = wrong.reshape(wrong.shape[0], -1).any(axis=-1) if wrong.ndim > 1 else np.array([True])
    if rows.all():
        return Difference("values")
    return Difference("rows", rows=", ".join(str(i) for i in np.flatnonzero(rows)[:5]))


def as_array(value: Any) -> np.ndarray | None:
    """Numbers as an array; None for anything else."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        return None
    if array.dtype == object or array.dtype.kind not in "biuf":
        return None
    return array


def _close(got: np.ndarray, right: np.ndarray, tolerance: float, nan_is_nan: bool) -> np.ndarray:
    if got.dtype.kind == "f" and got.dtype.name in PRECISION:
        tolerance = max(tolerance, PRECISION[got.dtype.name])
    wide, exact = got.astype(np.float64), right.astype(np.float64)
    finite = np.abs(exact[np.isfinite(exact)])
    largest = finite.max() if finite.size else 0.0
    with np.errstate(all="ignore"):
        close = np.abs(wide - exact) <= tolerance * largest
    close |= wide == exact  # infinities
    if nan_is_nan:
        close |= np.isnan(wide) & np.isnan(exact)
    return close


def type_name(value: Any) -> str:
    """What a value is: int, float or bool for numbers in any container, else the name of its type."""
    array = as_array(value)
    if array is None:
        return type(value).__name__
    return {"b": "bool", "i": "int", "u": "int", "f": "float"}[array.dtype.kind]


def shapes(value: Any) -> str:
    """The shape of a result, or of each of several."""
    if isinstance(value, tuple):
        return ", ".join(str(np.shape(part)) for part in value)
    return str(np.shape(value))


def holds_ellipsis(value: Any) -> bool:
    """Whether a blank `...` was returned, alone or among other results."""
    if value is Ellipsis:
        return True
    if isinstance(value, np.ndarray) and value.dtype == object:
        return any(item is Ellipsis for item in value.flat)
    return isinstance(value, tuple | list) and any(holds_ellipsis(part) for part in value)


def all_zero(value: Any) -> bool:
    """Whether every number of every result is 0."""
    if isinstance(value, tuple | list) and not all(np.isscalar(part) for part in value):
        return bool(value) and all(all_zero(part) for part in value)
    array = as_array(value)
    return array is not None and not array.any()


# ── what is often behind a difference, in any exercise ───────────────────────────────────────────


def wrong_count(value: Any, expected: Any, tolerance: float) -> bool:
    """Too many results or too few; one that is right among several counts as too many."""
    if isinstance(expected, tuple):
        return not isinstance(value, tuple | list | np.ndarray) or len(value) != len(expected)
    return isinstance(value, tuple) and any(difference(part, expected, tolerance) is None for part in value)


def swapped(value: Any, expected: Any, tolerance: float) -> bool:
    """Two results in the other order."""
    both = isinstance(value, tuple | list) and isinstance(expected, tuple) and len(value) == len(expected) == 2
    return both and difference((value[1], value[0]), expected, tolerance) is None


def not_numbers(value: Any, expected: Any, tolerance: float) -> bool:
    """Something that is no number, or numbers for truth values, or the other way round."""
    found = difference(value, expected, tolerance)
    return found is not None and found.kind == "type"


def cut_to_integers(value: Any, expected: Any, tolerance: float) -> bool:
    """The right numbers without their fractions."""
    got, right = as_array(value), as_array(expected)
    if got is None or right is None or got.dtype.kind not in "iu" or right.dtype.kind != "f":
        return False
    return got.shape == right.shape and np.array_equal(got, np.trunc(right))


def extra_axis(value: Any, expected: Any, tolerance: float) -> bool:
    """The right numbers with axes of size 1 too many, or too few."""

    def same(got: Any, right: Any) -> bool:
        a, b = as_array(got), as_array(right)
        if a is None or b is None or a.shape == b.shape:
            return difference(got, right, tolerance) is None
        return difference(a.squeeze(), b.squeeze(), tolerance) is None

    return _pairwise(value, expected, same)


def transposed(value: Any, expected: Any, tolerance: float) -> bool:
    """The right numbers with the last two axes exchanged, in any of the results."""

    def same(got: Any, right: Any) -> bool:
        if difference(got, right, tolerance) is None:
            return True
        array = as_array(got)
        return array is not None and array.ndim >= 2 and difference(array.swapaxes(-1, -2), right, tolerance) is None

    return _pairwise(value, expected, same)


def _pairwise(value: Any, expected: Any, same: Callable[[Any, Any], bool]) -> bool:
    if isinstance(expected, tuple):
        fits = isinstance(value, tuple | list) and len(value) == len(expected)
        return fits and all(same(v, e) for v, e in zip(value, expected, strict=True))
    return same(value, expected)


def factor(value: Any, expected: Any, tolerance: float) -> float | None:
    """The one number by which every right number was multiplied; None when there is none."""
    got, right = as_array(value), as_array(expected)
    if got is None or right is None or got.shape != right.shape or right.dtype == bool or got.size < 2:
        return None
    largest = np.unravel_index(np.abs(right).argmax(), right.shape)
    if not np.isfinite(got).all() or right[largest] == 0 or got[largest] == 0:
        return None
    ratio = float(got[largest] / right[largest])
    if difference(got / ratio, right, tolerance) is not None:
        return None
    return -1.0 if abs(ratio + 1) < 1e-6 else ratio


# ── writing inputs out ───────────────────────────────────────────────────────────────────────────


def written(exercise: Exercise, name: str | None, args: tuple[Any, ...]) -> str:
    """The input of a case: code that runs when it is pasted, or words where there is too much to write out.

    ``name`` is what the learner's own function is called; without it, the code is the arguments alone.
    """
    if any(callable(value) for value in args) or sum(np.size(value) for value in args if np.ndim(value)) > SHOWN:
        return _words(exercise, args)
    code = ", ".join(_code(value) for value in args)
    return f"`{name}({code})`" if name else f"`{code}`"


def _code(value: Any) -> str:
    return f"np.array({_list(value)})" if isinstance(value, np.ndarray) else _list(np.asarray(value))


def _words(exercise: Exercise, args: tuple[Any, ...]) -> str:
    """The arguments by their names: the shapes of arrays, the values of numbers, nothing of functions."""
    parts: list[str] = []
    for name, value in zip(exercise.arguments, args, strict=True):
        if callable(value):
            continue
        if not np.ndim(value):
            parts.append(f"{name} = {_code(value)}")
        elif parts:
            parts.append(f"{name} {np.shape(value)}")
        else:  # said once
            parts.append(text("checks.array", name=name, shape=np.shape(value)))
    return f" {text('checks.and')} ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def _list(array: np.ndarray) -> str:
    if array.ndim:
        return "[" + ", ".join(_list(part) for part in array) + "]"
    if array.dtype.kind != "f":
        return str(array.item())
    if not np.isfinite(array):
        return f"np.{array.item()}".replace("np.-", "-np.")
    whole = f"{array.item():.10g}"
    short = whole if float(whole) == array.item() else f"{array.item():.6g}"
    return short if set(short) & set(".e") else f"{short}."  # whole numbers stay floats
