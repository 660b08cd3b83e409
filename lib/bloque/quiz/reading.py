"""Reading the number that somebody typed: with a point or a comma, and never a silent factor of 1000.

The pages of the site read numbers by the same rules in tools/site/assets/quiz.js; a test runs one table through both.
"""

from __future__ import annotations

import math
import re

from bloque.texts import text

SPACES = dict.fromkeys(map(ord, " \u00a0\u2009\u202f'’"))
NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
POWER_OF_TEN = re.compile(r"[·×x*]10(\^\(?[+-]?[0-9]+\)?|[+-][0-9]+)$")  # 3·10^-4, 3x10-4; but 2x100 is no power written so


class Unreadable(ValueError):
    """What was typed is not one number; the message says why, to the reader."""


def read_number(written: str) -> float:
    """The number; "0,5" and "0.5" are the same, "1 048 576" may have its spaces.

    Raises Unreadable for anything that could be two different numbers, and for what is none.
    """
    bare = written.strip().translate(SPACES).replace("−", "-").replace("–", "-")
    bare = POWER_OF_TEN.sub(lambda power: "e" + power[1].strip("^()"), bare)
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
    return float(re.sub(r"[.,]", "", bare)) if re.fullmatch(r"[1-9][0-9]{0,2}[.,][0-9]{3}", bare) else None
