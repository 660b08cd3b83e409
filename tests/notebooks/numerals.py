"""Numbers as the course writes them in prose and in outputs: finding them, and comparing them loosely."""

from __future__ import annotations

import re
from typing import NamedTuple

THIN = "\u202f"  # between thousands
MINUS = "\u2212"

# 12 · 4096 · 1 048 576 (thin) · 0.875 · −1.6 · 1.7e−5 · an ASCII minus counts where it does not join two words
NUMERAL = re.compile(
    rf"""
    (?<![\w.])                                    # not inside a name (W1, d_2) nor after a point (0.875)
    (?P<sign>[{MINUS}-]?)
    (?P<whole>\d{{1,3}}(?:{THIN}\d{{3}})+|\d+)
    (?P<fraction>\.\d+)?
    (?P<exponent>[eE][+{MINUS}-]?\d+)?
    (?![\w])(?!\.\d)
    """,
    re.VERBOSE,
)


class Numeral(NamedTuple):
    """One number in a text: as it is written, its place, and its value."""

    written: str
    start: int
    end: int

    @property
    def value(self) -> float:
        return float(self.written.replace(THIN, "").replace(MINUS, "-"))


def numerals(text: str) -> list[Numeral]:
    """The numbers of a text, in order. A hyphen right after a letter or a digit is no sign."""
    found = []
    for match in NUMERAL.finditer(text):
        start, written = match.start(), match.group()
        if match["sign"] and start and (text[start - 1].isalnum() or text[start - 1] in ")]}"):
            start, written = start + 1, written[1:]
        found.append(Numeral(written, start, match.end()))
    return found


class Loosely(str):
    """A text that equals another when the words are the same and the numbers agree to three digits."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return NotImplemented
        return agree(str(self), str(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


def agree(one: str, other: str, significant: int = 3) -> bool:
    """Whether two texts are equal but for the digits of their numbers after the ``significant`` first."""
    if one == other:
        return True
    mine, theirs = numerals(one), numerals(other)
    if len(mine) != len(theirs) or _words(one, mine) != _words(other, theirs):
        return False
    return all(_close(a.value, b.value, significant) for a, b in zip(mine, theirs, strict=True))


def _words(text: str, found: list[Numeral]) -> str:
    """The text with its numbers taken out; columns are padded by length, so runs of blanks count as one."""
    pieces, position = [], 0
    for numeral in found:
        pieces.append(text[position : numeral.start])
        position = numeral.end
    return re.sub(r"[ \t]+", " ", "#".join([*pieces, text[position:]]))


def _close(a: float, b: float, significant: int) -> bool:
    return abs(a - b) <= 0.5 * 10.0 ** (1 - significant) * max(abs(a), abs(b)) or a == b


# What an output can depend on. Tools that only check (ruff, pytest …) may have any version.
BEHIND_OUTPUTS = ("numpy", "matplotlib", "ipywidgets", "anywidget", "ipython", "ipykernel")


def differences(constraints: str, installed: dict[str, str], platform: str) -> list[str]:
    """Why outputs may differ here from the stored ones; an empty list: they may not."""
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", constraints, flags=re.MULTILINE))
    pinned = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    reasons = [] if platform == "linux" else [f"this is {platform}, not Linux"]
    for name in BEHIND_OUTPUTS:
        if installed[name] != pinned[name]:
            reasons.append(f"{name} is {installed[name]}, not {pinned[name]}")
    return reasons
