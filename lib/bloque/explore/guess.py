"""Predict, then drag: a guess that the reader commits before the truth is shown."""

from __future__ import annotations

import math
from typing import Any

from bloque.texts import number, optional, text

from .grid import Slider


class Guess:
    """A guess at one number, drawn beside the truth once it is committed.

    ``name`` gives the question its texts: ``[prefix.guess] <name> = "…?"``, and where the truth holds
    at one position of the controls only, ``<name>_at`` says which ("with d_k = 64"). ``minimum``,
    ``maximum`` and ``step`` are the guess's own slider. ``truth`` is the right number; ``axes``
    and ``axis`` ("x" or "y") say along which axis of which axes the line of the guess stands
    (without axes nothing is drawn, the sentence alone answers). Until the guess is committed
    the other controls are locked. ``decimals`` writes guess and truth.
    """

    def __init__(
        self,
        name: str,
        minimum: float,
        maximum: float,
        *,
        truth: float,
        step: float | None = None,
        steps: int | None = None,
        log: bool = False,
        value: float | None = None,
        axes: Any = None,
        axis: str = "y",
        decimals: int | None = None,
    ):
        if axis not in ("x", "y"):
            raise ValueError(text("explore.errors.guess_axis", axis=repr(axis)))
        if not math.isfinite(truth):
            raise ValueError(text("explore.errors.guess_truth", truth=truth))
        if value is None:  # the middle, so that the guess has to be moved
            probe = Slider(name, minimum, maximum, step=step, steps=steps, log=log)
            value = probe.values[probe.count // 2]
        self.slider = Slider(name, minimum, maximum, value=value, step=step, steps=steps, log=log, decimals=decimals)
        self.name = name
        self.truth = float(truth)
        self.axes = axes
        self.axis = axis

    def question(self, prefix: str) -> str:
        """What is asked, in the language in force; ``prefix`` is the explorer's."""
        return text(f"{prefix}.guess.{self.name}")

    def write(self, value: float) -> str:
        """A guess or the truth as the reader sees it: both with the same digits."""
        if self.slider.decimals is not None:
            return number(value, self.slider.decimals)
        return number(value, significant=3)

    def where(self, prefix: str) -> str:
        """At which position of the controls the truth is true, in words; "" where it is so at all of them."""
        return optional(f"{prefix}.guess.{self.name}_at") or ""

    def answer(self, index: int, prefix: str) -> str:
        """The sentence that stands under the picture once the guess is committed."""
        told = {"guess": self.write(self.slider.values[index]), "truth": self.write(self.truth)}
        where = self.where(prefix)
        return text("explore.guess.answer_at", at=where, **told) if where else text("explore.guess.answer", **told)

    def spec(self, prefix: str, place: dict[str, Any] | None) -> dict[str, Any]:
        """All that a view has to know of the guess."""
        return {
            "question": self.question(prefix),
            "default": self.slider.default,
            "readouts": [self.write(v) for v in self.slider.values],
            "answers": [self.answer(i, prefix) for i in range(self.slider.count)],
            "truth": " ".join(filter(None, [text("explore.view.truth"), self.where(prefix)])),
            "place": place,
        }

    def place(self, figure: Any) -> dict[str, Any] | None:
        """Where the lines stand, in fractions of the figure from its top left corner.

        Asked after the figure has been drawn, when its layout is settled.
        """
        if self.axes is None:
            return None
        box = self.axes.get_position()

        def along(value: float) -> float | None:
            point = (value, self.axes.get_ylim()[0]) if self.axis == "x" else (self.axes.get_xlim()[0], value)
            x, y = figure.transFigure.inverted().transform(self.axes.transData.transform(point))
            share = x if self.axis == "x" else 1 - y
            return round(float(share), 5) if math.isfinite(share) else None

        return {
            "axis": self.axis,
            "box": [round(float(v), 5) for v in (box.x0, 1 - box.y1, box.x1, 1 - box.y0)],
            "guesses": [along(v) for v in self.slider.values],
            "truth": along(self.truth),
        }
