"""Every string a reader sees, one table a language, and the language in force.

This is a leaf of the library: it imports nothing of the course, so that every floor may speak
the reader's language. A table is ``texts/<code>.toml`` plus ``texts/<code>/*.toml``: adding a
language is adding files.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterable
from typing import Any

THIN_SPACE = "\u202f"  # as thin as U+2009, but a line never breaks in the middle of a number

_FOLDER = os.path.dirname(__file__)
_current = "en"


def languages() -> list[str]:
    """The codes of the languages that have a table, in alphabetical order."""
    return sorted(name.removesuffix(".toml") for name in os.listdir(_FOLDER) if name.endswith(".toml"))


def language(code: str | None = None) -> str:
    """Choose the language of everything the library shows; without a code, say which it is.

    Raises ValueError when there is no table for ``code``.
    """
    global _current
    if code is not None:
        if code not in languages():
            raise ValueError(text("errors.unknown_language", code=code, languages=", ".join(languages())))
        _current = code
    return _current


def text(key: str, /, *, lang: str | None = None, **values: Any) -> str:
    """The string under the dotted ``key`` in the language in force, its {fields} filled in.

    Raises KeyError when the table has no such string: a missing text is a defect, never a blank.
    """
    found = entry(key, lang=lang)
    if not isinstance(found, str):
        raise KeyError(f"texts/{lang or _current}: {key} is not a string")
    return found.format(**values) if values else found


def optional(key: str, /) -> str | None:
    """The string under the dotted ``key``, or None where the table has none: for what an author may leave out."""
    try:
        entry(key)
    except KeyError:
        return None
    return text(key)


def entry(key: str, /, *, lang: str | None = None) -> Any:
    """Whatever stands under the dotted ``key``: a string, a list or a table."""
    node: Any = table(lang or _current)
    for part in key.split("."):
        if not isinstance(node, dict) or part not in node:
            raise KeyError(f"texts/{lang or _current}: {key}")
        node = node[part]
    return node


@functools.cache
def table(code: str) -> dict[str, Any]:
    """The whole table of a language, all its files merged."""
    import tomllib  # here, so that importing the course costs no more than importing NumPy

    files = [f"{code}.toml"]
    folder = os.path.join(_FOLDER, code)
    if os.path.isdir(folder):
        files += [os.path.join(code, name) for name in sorted(os.listdir(folder)) if name.endswith(".toml")]
    merged: dict[str, Any] = {}
    for file in files:
        with open(os.path.join(_FOLDER, file), "rb") as opened:
            _merge(merged, tomllib.load(opened), file)
    return merged


def _merge(into: dict[str, Any], new: dict[str, Any], where: str) -> None:
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value, where)
        elif key in into:
            raise KeyError(f"{where}: {key} stands in two files")
        else:
            into[key] = value


def number(value: float, decimals: int | None = None, *, significant: int | None = None) -> str:
    """A number as the course writes it in both languages: decimal point, thin space by thousands.

    ``decimals`` fixes the digits after the point, whatever the size. ``significant`` asks for at least
    so many significant digits, trailing zeros among them; an integer part is always written whole:
    123 456.7 with three is 123 457. Numbers under 1e−4, and from 1e6 on (later where more digits are
    asked for), are then written as 1.7e−5. Neither: a whole number as it is, anything else with
    ``significant=3``. Minus zero is zero.
    """
    value = float(value) if not isinstance(value, int) else value
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "NaN")
    if decimals is None and significant is None:
        if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
            return _grouped(f"{int(value)}")
        significant = 3
    if decimals is not None:
        return _grouped(f"{value:.{decimals}f}")
    assert significant is not None
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{significant - 1}e}".split("e")
    if -4 <= int(exponent) < max(significant, 6):
        return _grouped(f"{value:.{max(significant - 1 - int(exponent), 0)}f}")
    return _grouped(mantissa) + "e" + _grouped(str(int(exponent)))


def setting(value: float) -> str:
    """A number that was put in: as ``number`` with three significant digits, but without zeros at the end: 1 and 1e−5, not 1.00."""
    mantissa, e, exponent = number(value, significant=3).partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + e + exponent


def _grouped(digits: str) -> str:
    sign = "−" if digits.startswith("-") else ""
    whole, point, fraction = digits.lstrip("-").partition(".")
    if not (whole + fraction).strip("0"):
        sign = ""
    if len(whole) > 4:
        head = len(whole) % 3
        groups: Iterable[str] = ([whole[:head]] if head else []) + [whole[i : i + 3] for i in range(head, len(whole), 3)]
        whole = THIN_SPACE.join(groups)
    return sign + whole + point + fraction
