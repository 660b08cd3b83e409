"""The house style: one colour for one thing in the whole course, safe for colour-blind readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from bloque.texts import number

QUERIES = "#0072B2"
KEYS = "#D55E00"
VALUES = "#009E73"
WEIGHTS = "#7B3FA0"
GRADIENT = "#333333"
ACCENT = "#E69F00"
RAW = "#8A8A8A"
MUTED = "#8A8A8A"
GRID = "#DDDDDD"
TEXT = "#222222"
BACKGROUND = "#FFFFFF"
HEAT = "Blues"

DPI = 100

RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.facecolor": BACKGROUND,
    "figure.edgecolor": BACKGROUND,
    "savefig.facecolor": BACKGROUND,
    "axes.facecolor": BACKGROUND,
    "axes.edgecolor": "#666666",
    "axes.labelcolor": TEXT,
    "text.color": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "axes.formatter.use_locale": False,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 2,
    "image.cmap": HEAT,
    "image.interpolation": "nearest",
    "figure.dpi": DPI,
    "path.simplify": True,
}


def apply() -> None:
    """Make the house style Matplotlib's own: figures, and what the reader plots beside them, agree."""
    mpl.rcParams.update(RC)


def figure(prefix: str | None = None, figsize: tuple[float, float] = (9, 3)) -> Figure:
    """An empty figure in the house style, 100 pixels to the inch. No pyplot, so nothing to close.

    ``prefix`` is that of the figure's texts; it becomes the figure's label.
    """
    apply()
    made = Figure(figsize=figsize, dpi=DPI, layout="constrained")
    made.set_label(prefix or "")
    return made


def decades(axis: Axis, exponents: Iterable[int]) -> None:
    """A logarithmic axis that names these powers of ten as captions write numbers: 0.01, 1e−6. Set the limits afterwards."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")  # type: ignore[attr-defined]
    ticks = [10.0**exponent for exponent in exponents]
    axis.set_ticks(ticks, [number(tick, significant=1) for tick in ticks])
    axis.set_minor_locator(NullLocator())


def page_size(figure: Figure) -> tuple[int, int]:
    """Width and height of a figure on the page, in CSS pixels."""
    return round(figure.get_figwidth() * DPI), round(figure.get_figheight() * DPI)
