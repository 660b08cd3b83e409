"""Every argument check of the pieces, so that their bodies hold nothing but the formula.

A wrong argument is a ValueError in the reader's language that names the arguments, their shapes
and what was expected. Overflow is a ValueError too: no piece ever returns an inf or a NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np

from bloque.texts import text

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def checks_overflow(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Silence NumPy's floating-point warnings in a function that asks `finite` instead.

    The warnings cannot be relied on: a product computed by several threads may lose them, and
    some systems' matrix products raise them for nothing.
    """

    @functools.wraps(function)
    def quiet(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*args, **kwargs)

    return quiet


def finite(array: np.ndarray, name: str) -> np.ndarray:
    """The array itself; a ValueError that names it when it holds an inf or a NaN."""
    if np.isfinite(array.sum()):  # one pass and no copy; a sum of finite numbers may still overflow
        return array
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong) == 0:
        return array
    place = tuple(wrong[0])
    raise ValueError(
        text(
            "errors.overflow",
            name=name,
            place=", ".join(str(index) for index in place),
            value=_not_finite(float(array[place])),
            dtype=array.dtype,
            largest=f"{np.finfo(array.dtype).max:.1e}",
        )
    )


def floats(**arrays: Any) -> tuple[Any, ...]:
    """The arguments as floating-point arrays of one type, followed by the type of the result.

    Integers and booleans become float64. float16 is computed in float32 (and the result goes back
    to float16 by `as_type`). None stays None; a container of arrays stays a container.
    """
    trees = {name: _as_arrays(value, name) for name, value in arrays.items()}
    types = [leaf.dtype if leaf.dtype.kind == "f" else np.dtype(np.float64) for tree in trees.values() for leaf in _leaves(tree)]
    dtype = np.result_type(*types)
    working = np.dtype(np.float32) if dtype == np.float16 else dtype
    return (*(_cast(tree, working) for tree in trees.values()), dtype)


def as_type(array: np.ndarray, dtype: np.dtype, name: str) -> np.ndarray:
    """A finite result in the type it is returned in; a ValueError when it does not fit there."""
    return finite(finite(array, name).astype(dtype, copy=False), name)


def shapes(function: str, **arguments: tuple[Any, str]) -> dict[str, int]:
    """Check shapes written as letters, and return the size of each letter.

    ``shapes("attention", queries=(queries, "... n_q d_k"), keys=(keys, "... n_k d_k"))``: equal
    letters must have equal sizes, "..." stands for leading axes that broadcast together, and an
    argument that is None is not looked at.
    """
    given = {name: np.shape(array) for name, (array, _) in arguments.items() if array is not None}
    sizes: dict[str, int] = {}
    leading: list[tuple[int, ...]] = []
    for name, shape in given.items():
        letters = arguments[name][1].split()
        free = letters[0] == "..."
        core = letters[1:] if free else letters
        if len(shape) < len(core) or (len(shape) > len(core) and not free):
            _wrong_shape(function, name, letters, given, sizes)
        split = len(shape) - len(core)
        leading.append(shape[:split])
        for letter, size in zip(core, shape[split:], strict=True):
            if sizes.setdefault(letter, size) != size:
                _wrong_shape(function, name, letters, given, sizes)
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise ValueError(text("errors.leading_axes", function=function, given=_listed(given))) from None
    return sizes


def attention_mask(mask: Any, scores: tuple[int, ...], dtype: np.dtype) -> np.ndarray | None:
    """A mask that is boolean, or floating-point of type ``dtype``, and broadcasts with the scores."""
    if mask is None:
        return None
    mask = np.asarray(mask)
    if mask.dtype.kind not in "bf":
        raise ValueError(text("errors.mask_type", dtype=mask.dtype))
    try:
        np.broadcast_shapes(mask.shape, scores)
        fits = mask.ndim == 0 or mask.shape[-1] in (1, scores[-1])
        fits = fits and (mask.ndim < 2 or mask.shape[-2] in (1, scores[-2]))
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(text("errors.mask_shape", mask=mask.shape, scores=scores))
    if mask.dtype.kind == "b":
        return mask
    if np.isnan(mask).any() or np.isposinf(mask).any():
        raise ValueError(text("errors.mask_value"))
    return mask.astype(dtype, copy=False)


def softmax_rows(largest: np.ndarray, axis: int) -> None:
    """Refuse a row whose largest score is −inf (nothing to choose), +inf or NaN."""
    if np.isfinite(largest).all():
        return
    place = tuple(np.argwhere(~np.isfinite(largest))[0])
    axis = axis % largest.ndim
    row = ", ".join(":" if i == axis else str(index) for i, index in enumerate(place))
    value = float(largest[place])
    kind = "nan" if np.isnan(value) else "positive" if value > 0 else "negative"
    raise ValueError(text(f"errors.softmax_{kind}", row=f"scores[{row}]"))


def divisible(d_model: int, heads: int) -> None:
    """Refuse heads that do not divide d_model, and say which would."""
    whole("heads", heads, 1)
    if d_model % heads:
        valid = [h for h in range(1, d_model + 1) if d_model % h == 0]
        if len(valid) > 12:  # the nearest are the useful ones
            valid = sorted(sorted(valid, key=lambda h: abs(h - heads))[:12])
        raise ValueError(
            text("errors.heads", d_model=d_model, heads=heads, valid=", ".join(str(h) for h in valid))
        )


def whole(name: str, value: Any, least: int) -> int:
    """A whole number that is at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(text("errors.whole", name=name, value=repr(value), least=least))
    return int(value)


def choice(name: str, value: Any, options: tuple[str, ...]) -> None:
    """One of a few words."""
    if value not in options:
        raise ValueError(
            text("errors.choice", name=name, value=repr(value), options=", ".join(repr(o) for o in options))
        )


def _wrong_shape(
    function: str, name: str, letters: list[str], given: dict[str, tuple[int, ...]], sizes: dict[str, int]
) -> NoReturn:
    known = [f"{letter} = {sizes[letter]}" for letter in letters if letter in sizes]
    raise ValueError(
        text(
            "errors.shape",
            function=function,
            name=name,
            shape=given[name],
            expected="(" + ", ".join(letters) + ("," if len(letters) == 1 else "") + ")",
            where=text("errors.where", sizes=", ".join(known)) if known else "",
            given=_listed(given),
        )
    )


def _listed(given: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in given.items())


def _not_finite(value: float) -> str:
    return "NaN" if np.isnan(value) else "inf" if value > 0 else "−inf"


def _as_arrays(value: Any, name: str) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_as_arrays(part, f"{name}.{field}") for field, part in zip(value._fields, value, strict=True)))
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(text("errors.ragged", name=name)) from None
    if array.dtype.kind not in "biuf":
        raise ValueError(text("errors.not_numbers", name=name, dtype=array.dtype))
    return array


def _leaves(tree: Any) -> list[np.ndarray]:
    if tree is None:
        return []
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in _leaves(part)]
    return [tree]


def _cast(tree: Any, dtype: np.dtype) -> Any:
    if tree is None:
        return None
    if isinstance(tree, tuple):
        return type(tree)(*(_cast(part, dtype) for part in tree))
    return tree.astype(dtype, copy=False)
