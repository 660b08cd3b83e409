"""Reading the number that somebody typed: with a point or a comma, and never a silent factor of 1000."""

from __future__ import annotations

import math
import re

from bloque.texts import text

SPACES = dict.fromkeys(map(ord, " \u00a0\u2009\u202f'’"))
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


class Unreadable(ValueError):
    """What was typed is not one number; the message says why, to the reader."""


def read_number(written: str) -> float:
    """The number; "0,5" and "0.5" are the same, "1 048 576" may have its spaces.

    Raises Unreadable for anything that could be two different numbers, and for what is none.
    """
    bare = written.strip().translate(SPACES).replace("−", "-").replace("–", "-")
    bare = re.sub(r"[·×x*]10\^?\(?([+-]?\d+)\)?$", r"e\1", bare)
    if not bare:
        raise Unreadable(text("quiz.number.empty"))
    if len(re.findall(r"[.,]", bare)) > 1:
        raise Unreadable(text("quiz.number.two_marks", written=written.strip()))
    if not NUMBER.fullmatch(bare):
        raise Unreadable(text("quiz.number.unreadable", written=written.strip()))
    number = float(bare.replace(",", "."))
    if not math.isfinite(number):
        raise Unreadable(text("quiz.number.unreadable", written=written.strip()))
    return number


def as_thousands(written: str) -> float | None:
    """What "1.234" would be if its mark grouped thousands; None when it cannot."""
    bare = written.strip().translate(SPACES)
    return float(re.sub(r"[.,]", "", bare)) if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", bare) else None
