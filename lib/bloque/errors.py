"""Every argument check of the pieces, so that their bodies hold nothing but the formula.

A wrong argument is a ValueError in the reader's language that names the arguments, their shapes
and what was expected. Overflow is a ValueError too: no piece ever returns an inf or a NaN.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from bloque.texts import text

Result = TypeVar("Result")


def floating(*arrays: str) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Let a piece be written as its formula: what is the same in every piece is done here.

    Before the body, the named arguments become floating-point arrays of one type: integers and
    booleans become float64, float16 is computed in float32, lists are accepted, containers of
    arrays stay containers. An argument's annotation says whether it is an array, a container or a
    list of containers, and whether it may be None. After the body, results go back to float16 if
    that is what came in, and an inf or a NaN in them is a ValueError. NumPy's own warnings are
    silent inside: a product computed by several threads may lose them, and some systems' matrix
    products raise them for nothing.
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        code = function.__code__
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        places = {name: parameters.index(name) for name in arrays}

        @functools.wraps(function)
        def piece(*args: Any, **kwargs: Any) -> Result:
            positional = list(args)
            given = {name: args[place] for name, place in places.items() if place < len(args)}
            given |= {name: kwargs[name] for name in arrays if name in kwargs}
            with np.errstate(all="ignore"):
                given, dtype = _floats(given, _hints_of(function))
                for name, array in given.items():
                    if name in kwargs:
                        kwargs[name] = array
                    else:
                        positional[places[name]] = array
                return _returned(function(*positional, **kwargs), dtype, function.__name__)

        return piece

    return decorate


def finite(array: np.ndarray, name: str) -> np.ndarray:
    """The array itself; a ValueError that names it when it holds an inf or a NaN.

    Asked in the middle of a piece where an overflow would not show in the result.
    """
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
        known = dict(sizes)
        core = letters[1:] if free else letters
        if len(shape) < len(core) or (len(shape) > len(core) and not free):
            _wrong_shape(function, name, letters, given, known)
        split = len(shape) - len(core)
        leading.append(shape[:split])
        for letter, size in zip(core, shape[split:], strict=True):
            if sizes.setdefault(letter, size) != size:
                _wrong_shape(function, name, letters, given, known)
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        raise ValueError(text("errors.leading_axes", function=function, given=_listed(given))) from None
    return sizes


def same_shape(function: str, expected: tuple[int, ...], **arguments: Any) -> None:
    """Refuse an argument that has not exactly the expected shape: a gradient does not broadcast."""
    given = {name: np.shape(array) for name, array in arguments.items()}
    for name, shape in given.items():
        if shape != expected:
            raise ValueError(
                text("errors.shape", function=function, name=name, shape=shape, expected=expected, where="", given=_listed(given))
            )


def columns(function: str, name: str, array: np.ndarray) -> None:
    """Refuse rows without a single column."""
    if array.shape[-1] == 0:
        raise ValueError(text("errors.columns", function=function, name=name, shape=array.shape))


def attention_mask(mask: Any, scores: np.ndarray) -> np.ndarray | None:
    """A mask that is boolean, or floating point in the type of the scores, and broadcasts with them."""
    if mask is None:
        return None
    mask = np.atleast_1d(mask)
    if mask.dtype.kind not in "bf":
        raise ValueError(text("errors.mask_type", dtype=mask.dtype))
    try:
        together = np.broadcast_shapes(mask.shape, scores.shape)
    except ValueError:
        together = ()
    if together[-2:] != scores.shape[-2:]:  # a mask may add leading axes, not rows or columns
        raise ValueError(text("errors.mask_shape", mask=mask.shape, scores=scores.shape))
    if mask.dtype.kind == "b":
        return mask
    if np.isnan(mask).any() or np.isposinf(mask).any():
        raise ValueError(text("errors.mask_value"))
    added = mask.astype(scores.dtype, copy=False)
    if added is not mask:  # a finite −1e300 closes nothing by itself: in float32 it must not become −inf
        largest = np.finfo(scores.dtype).max
        np.clip(added, -largest, largest, out=added, where=np.isfinite(mask))
    return added


def softmax_rows(largest: np.ndarray, scores: np.ndarray, axis: int) -> None:
    """Refuse a row whose largest score is −inf (nothing to choose from), +inf or NaN."""
    if scores.size == 0 or np.isfinite(largest).all():
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
        raise ValueError(text("errors.heads", d_model=d_model, heads=heads, valid=", ".join(str(h) for h in valid)))


def axis(name: str, array: np.ndarray, value: int) -> None:
    """An axis that the array has."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not -array.ndim <= value < array.ndim:
        raise ValueError(text("errors.axis", name=name, shape=array.shape, axis=value))


def number(name: str, value: Any, least: float | None = None) -> float:
    """A finite real number, at least ``least`` where one is given."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not np.isfinite(value):
        raise ValueError(text("errors.number", name=name, value=repr(value)))
    if least is not None and value < least:
        raise ValueError(text("errors.number_least", name=name, value=value, least=least))
    return float(value)


def whole(name: str, value: Any, least: int) -> int:
    """A whole number that is at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(text("errors.whole", name=name, value=repr(value), least=least))
    return int(value)


def floating_type(name: str, value: Any) -> np.dtype:
    """A floating-point type, as NumPy spells it in any way."""
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind != "f":
        raise ValueError(text("errors.floating_type", name=name, value=getattr(value, "__name__", value)))
    return dtype


def choice(name: str, value: Any, options: tuple[str, ...]) -> None:
    """One of a few words."""
    if value not in options:
        raise ValueError(text("errors.choice", name=name, value=repr(value), options=", ".join(repr(o) for o in options)))


def _wrong_shape(function: str, name: str, letters: list[str], given: dict[str, tuple[int, ...]], sizes: dict[str, int]) -> NoReturn:
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


def _floats(given: dict[str, Any], hints: dict[str, Any]) -> tuple[dict[str, Any], np.dtype]:
    """The arguments in the type to compute in, and the type of the result."""
    trees = {name: _read(value, hints[name], name) for name, value in given.items()}
    dtype = np.result_type(*(array.dtype if array.dtype.kind == "f" else np.float64 for tree in trees.values() for array in _leaves(tree)))
    working = np.dtype(np.float32) if dtype == np.float16 else dtype
    cast = {name: _tree(lambda array, _: array.astype(working, copy=False), tree, "") for name, tree in trees.items()}
    return cast, dtype


def _returned(result: Any, dtype: np.dtype, function: str) -> Any:
    """The arrays of a result, finite and in their type; anything that is not an array as it is."""

    def returned(value: Any, name: str) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        return finite(finite(value, name).astype(dtype, copy=False), name)

    if type(result) is tuple:
        return tuple(_tree(returned, part, f"{function}[{i}]") for i, part in enumerate(result))
    return _tree(returned, result, function)


def _tree(apply: Callable[[Any, str], Any], tree: Any, name: str) -> Any:
    """Apply a function to an array, or to each array of a container or of a list of containers."""
    if tree is None:
        return None
    if hasattr(tree, "_fields"):
        parts = zip(tree._fields, tree, strict=True)
        return type(tree)(*(_tree(apply, part, f"{name}.{field}") for field, part in parts))
    if isinstance(tree, list):
        return [_tree(apply, part, f"{name}[{i}]") for i, part in enumerate(tree)]
    return apply(tree, name)


def _leaves(tree: Any) -> Iterator[np.ndarray]:
    """The arrays of such a tree."""
    if isinstance(tree, np.ndarray):
        yield tree
    elif tree is not None:
        for part in tree:
            yield from _leaves(part)


class _Kind(NamedTuple):
    """What an annotation says of an argument."""

    container: Any  # the class of a container of arrays; None: it is an array
    several: bool  # a list of such containers
    optional: bool  # None may stand in its place


@functools.cache
def _kind(hint: Any) -> _Kind:
    alternatives = typing.get_args(hint)
    optional = type(None) in alternatives
    kind = alternatives[0] if optional else hint
    several = typing.get_origin(kind) is Sequence
    if several:
        (kind,) = typing.get_args(kind)
    return _Kind(kind if hasattr(kind, "_fields") else None, several, optional)


_hints_of = functools.cache(typing.get_type_hints)  # asked for at the first call, so that importing costs nothing


def _read(value: Any, hint: Any, name: str) -> Any:
    """An argument as its annotation wants it: an array, a container of arrays, or a list of containers."""
    container, several, optional = _kind(hint)
    if value is None and optional:
        return None
    if several:
        if not isinstance(value, list | tuple) or hasattr(value, "_fields"):
            raise ValueError(text("errors.containers", name=name, container=container.__name__, type=type(value).__name__))
        return [_read(part, container, f"{name}[{i}]") for i, part in enumerate(value)]
    if container is None:
        return _as_array(value, name)
    if getattr(value, "_fields", None) != container._fields:
        raise ValueError(text("errors.container", name=name, container=container.__name__, type=type(value).__name__))
    hints = _hints_of(container)
    return type(value)(*(_read(part, hints[field], f"{name}.{field}") for field, part in zip(container._fields, value, strict=True)))


def _as_array(value: Any, name: str) -> np.ndarray:
    if value is None:
        raise ValueError(text("errors.none", name=name))
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(text("errors.ragged", name=name)) from None
    if array.dtype.kind not in "biuf":
        raise ValueError(text("errors.not_numbers", name=name, dtype=array.dtype))
    return array
