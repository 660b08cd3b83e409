"""Controls over an integer grid, and the two free ones: the words in which a picture is asked for.

Every control of the grid has ``count`` positions, 0 … count − 1; ``value_of`` and ``index_of`` go
between a position and its value. Frames are kept under tuples of positions, never of floats,
whose last digit differs between JavaScript and Python.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any

from bloque.texts import number, optional, setting, text

LARGEST_GRID = 2001
SLACK = 1e-6  # an end written in float32 lies this much of itself beyond the end


class Control:
    """What all controls share: a name (that of the frame's argument) and a default value."""

    name: str
    value: Any
    free = False


class GridControl(Control):
    """A control with finitely many positions."""

    kind = "slider"

    def __init__(self, name: str, values: Sequence[Any], value: Any):
        _check_name(name)
        if not values:
            raise ValueError(text("explore.errors.no_options", name=name))
        if len(values) > LARGEST_GRID:
            raise ValueError(text("explore.errors.too_many", name=name, count=len(values), most=LARGEST_GRID))
        if len(set(values)) != len(values):
            raise ValueError(text("explore.errors.twice", name=name))
        self.name = name
        self.values = list(values)
        self.value = self.values[0] if value is None else value
        if self.value not in self.values:
            near = ", ".join(self._write(v) for v in self._nearest())
            raise ValueError(text("explore.errors.off_grid", name=name, value=self.value, near=near))
        self.value = self.values[self.values.index(self.value)]

    @property
    def count(self) -> int:
        """How many positions there are."""
        return len(self.values)

    @property
    def default(self) -> int:
        """The default's position."""
        return self.values.index(self.value)

    def value_of(self, index: int) -> Any:
        """The value at a position."""
        return self.values[index]

    def index_of(self, value: Any) -> int:
        """The position of a value; of a number between two positions, the nearer one."""
        if value in self.values:
            return self.values.index(value)
        raise ValueError(
            text(
                "explore.errors.not_an_option",
                name=self.name,
                value=repr(value),
                options=", ".join(self._write(v) for v in self.values[:12]),
            )
        )

    def readout(self, index: int, prefix: str) -> str:
        """A position as a reader sees it."""
        return self._write(self.values[index])

    def telling(self) -> list[int]:
        """The positions that the building explorer tries: both ends of a slider, every option."""
        return [0, self.count - 1]

    def _write(self, value: Any) -> str:
        return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)

    def _nearest(self) -> list[Any]:
        return self.values[:3]


class Slider(GridControl):
    """A number from ``minimum`` to ``maximum``: evenly spaced, or with ``log=True`` by even ratios.

    ``step`` sets the distance of two positions, ``steps`` how many positions there are. Without
    either, a slider between integers goes by 1 and any other has 61 positions. Log positions are
    rounded to three significant digits, so that what is read is what is used; ``through=(3, 30)``
    moves the position nearest to each of these numbers onto it.
    """

    def __init__(
        self,
        name: str,
        minimum: float,
        maximum: float,
        *,
        value: float | None = None,
        step: float | None = None,
        steps: int | None = None,
        log: bool = False,
        through: Sequence[float] = (),
        decimals: int | None = None,
    ):
        _check_name(name)
        if not (math.isfinite(minimum) and math.isfinite(maximum)) or minimum > maximum:
            raise ValueError(text("explore.errors.min_max", name=name, minimum=minimum, maximum=maximum))
        if log and minimum <= 0:
            raise ValueError(text("explore.errors.log_from_zero", name=name, minimum=minimum))
        self.log = log
        whole = all(float(v).is_integer() for v in (minimum, maximum, step if step is not None else 1))
        if step is None and steps is None and whole and not log:
            step = 1
        if step is not None:
            if step <= 0:
                raise ValueError(text("explore.errors.step", name=name, step=step))
            spans = (maximum - minimum) / step
            if abs(spans - round(spans)) > 1e-6:
                raise ValueError(text("explore.errors.step_span", name=name, step=step, minimum=minimum, maximum=maximum))
            steps = round(spans) + 1
        steps = 61 if steps is None else steps
        if steps < 1 or (steps == 1 and maximum > minimum) or steps > LARGEST_GRID:
            raise ValueError(text("explore.errors.too_many", name=name, count=steps, most=LARGEST_GRID))
        span = max(steps - 1, 1)
        if log:
            raw = [minimum * (maximum / minimum) ** (i / span) for i in range(steps)]
            values: list[Any] = [float(f"{v:.3g}") for v in raw]
        else:
            raw = [minimum + (maximum - minimum) * i / span for i in range(steps)]
            values = [round(v, 9) for v in raw]
        if all(float(v).is_integer() for v in values) and not log:
            values = [int(v) for v in values]
        for stop in through:
            values[min(range(len(values)), key=lambda i: abs(values[i] - stop))] = stop
        values.sort()
        self.decimals = decimals
        if decimals is None and not log:
            self.decimals = max((_decimals(v) for v in values), default=0) if steps > 1 else None
        super().__init__(name, values, self._snap(values, value))

    @staticmethod
    def _snap(values: list[Any], value: float | None) -> Any:
        if value is None:
            return values[0]
        nearest = min(values, key=lambda v: abs(v - value))
        return nearest if math.isclose(nearest, value, rel_tol=1e-9, abs_tol=1e-12) else value

    def index_of(self, value: Any) -> int:
        """The position nearest to a number; NumPy's numbers are numbers too."""
        low, high = self.values[0], self.values[-1]
        ends = {"minimum": self._write(low), "maximum": self._write(high)}
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or value != value:
            raise ValueError(text("explore.errors.not_a_number", name=self.name, value=_given(value), **ends))
        if not low - SLACK * abs(low) <= value <= high + SLACK * abs(high):
            raise ValueError(text("explore.errors.outside", name=self.name, value=value, **ends))
        wanted = float(value)  # NumPy's unsigned numbers have no negative differences
        if self.log:
            return min(range(self.count), key=lambda i: abs(math.log(self.values[i] / wanted)))
        return min(range(self.count), key=lambda i: abs(self.values[i] - wanted))

    def _write(self, value: Any) -> str:
        return number(value, self.decimals) if self.decimals is not None else setting(value)

    def _nearest(self) -> list[Any]:
        return sorted(sorted(self.values, key=lambda v: abs(v - self.value))[:2])


class Powers(GridControl):
    """The powers of two from ``minimum`` to ``maximum``: 1, 2, 4 … ."""

    def __init__(self, name: str, minimum: int, maximum: int, *, value: int | None = None):
        _check_name(name)
        if minimum > maximum:
            raise ValueError(text("explore.errors.min_max", name=name, minimum=minimum, maximum=maximum))
        for end in (minimum, maximum):
            if end < 1 or int(end) != end or int(end) & (int(end) - 1):
                raise ValueError(text("explore.errors.not_a_power", name=name, value=end))
        first, last = int(minimum).bit_length() - 1, int(maximum).bit_length() - 1
        super().__init__(name, [2**k for k in range(first, last + 1)], value)

    def _nearest(self) -> list[Any]:
        return sorted(sorted(self.values, key=lambda v: abs(v - self.value))[:2])


class Choice(GridControl):
    """One of a few options. Their labels stand in the texts, under options.<name>.<option>."""

    kind = "choice"

    def __init__(self, name: str, options: Iterable[Any], *, value: Any = None):
        super().__init__(name, list(options), value)

    def readout(self, index: int, prefix: str) -> str:
        """The option's label; a number without one is written as it is."""
        option = self.values[index]
        label = f"{prefix}.options.{self.name}.{option}"
        if isinstance(option, (int, float)) and not isinstance(option, bool):
            return optional(label) or number(option)
        return text(label)

    def telling(self) -> list[int]:
        """Every option."""
        return list(range(self.count))


class Switch(GridControl):
    """On or off."""

    kind = "switch"

    def __init__(self, name: str, *, value: bool = False):
        super().__init__(name, [False, True], bool(value))

    def readout(self, index: int, prefix: str) -> str:
        """On or off, in the reader's language."""
        return text("explore.on" if index else "explore.off")


class Numbers(Control):
    """A list of numbers the reader can write; it stands outside the grid.

    The list keeps its length unless ``lengths=(least, most)`` is given.
    """

    free = True
    kind = "numbers"

    def __init__(
        self,
        name: str,
        value: Sequence[float],
        *,
        minimum: float = -math.inf,
        maximum: float = math.inf,
        lengths: tuple[int, int] | None = None,
    ):
        _check_name(name)
        if minimum > maximum:
            raise ValueError(text("explore.errors.min_max", name=name, minimum=minimum, maximum=maximum))
        self.name = name
        self.minimum, self.maximum = minimum, maximum
        if not len(value):
            raise ValueError(text("explore.errors.no_options", name=name))
        self.lengths = lengths or (len(value), len(value))
        self.value = self.check(value)

    def check(self, value: Sequence[float]) -> tuple[float, ...]:
        """The list as floats; a ValueError that says what is wrong with it."""
        numbers = tuple(float(v) for v in value)
        least, most = self.lengths
        if not least <= len(numbers) <= most:
            wanted = number(least) if least == most else f"{number(least)}–{number(most)}"
            raise ValueError(text("explore.errors.how_many", wanted=wanted, given=len(numbers)))
        for v in numbers:
            if not (math.isfinite(v) and self.minimum <= v <= self.maximum):
                raise ValueError(
                    text(
                        "explore.errors.beyond",
                        value=number(v),
                        minimum=number(self.minimum),
                        maximum=number(self.maximum),
                    )
                )
        return numbers

    def read(self, written: str) -> tuple[float, ...]:
        """Numbers as people write them: "0 1 2", "0; 1,5; 2" or "0, 1.5, 2".

        A comma may be a decimal mark or stand between two numbers. The reading with the right
        length is taken; where both fit and differ, or a point and a comma meet in one number, we ask.
        """
        written = written.strip().strip("[]()").replace("−", "-").replace("\u202f", "").strip()
        readings: dict[tuple[float, ...], None] = {}
        for split, mark in ((r"\s*;\s*|\s+", ","), (r"\s*[;,]\s*|\s+", ".")):
            parts = [p for p in re.split(split, written) if p]
            parts = [p.strip(",") for p in parts] if mark == "," else parts
            if any(mark == "," and "," in p and "." in p for p in parts):
                continue
            try:
                found = tuple(float(p.replace(mark, ".")) for p in parts)
            except ValueError:
                continue
            if self.lengths[0] <= len(found) <= self.lengths[1]:
                readings[found] = None
        if len(readings) == 1:
            return self.check(next(iter(readings)))
        if readings:
            raise ValueError(text("explore.errors.ambiguous", written=written))
        least, most = self.lengths
        wanted = number(least) if least == most else f"{number(least)}–{number(most)}"
        raise ValueError(text("explore.errors.unreadable", written=written, wanted=wanted))

    def write(self, value: Sequence[float]) -> str:
        """The list as it stands in its field, and as `read` reads it."""
        return "  ".join(number(v) if float(v).is_integer() else f"{v:g}".replace("-", "−") for v in value)


class Sentence(Control):
    """A sentence the reader can write; it stands outside the grid."""

    free = True
    kind = "sentence"

    def __init__(self, name: str, value: str, *, most: int = 200):
        _check_name(name)
        self.name = name
        self.most = most
        self.value = self.check(value)

    def check(self, value: str) -> str:
        """The sentence with single spaces; a ValueError that says what is wrong with it."""
        value = " ".join(str(value).split())
        if not value:
            raise ValueError(text("explore.errors.empty_sentence"))
        if len(value) > self.most:
            raise ValueError(text("explore.errors.long_sentence", most=self.most))
        return value

    read = check

    def write(self, value: str) -> str:
        """The sentence as it stands in its field."""
        return value


def _decimals(value: float) -> int:
    """How many digits a grid value needs after the point."""
    written = f"{value:.9f}".rstrip("0")
    return len(written.partition(".")[2])


def _given(value: Any) -> str:
    """What was given where a number was wanted: a text in its quotes, anything else as it prints."""
    return repr(value) if isinstance(value, str) else str(value)


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(text("explore.errors.name", name=repr(name)))
