"""Lesson 0, the entrance: the map of the course, a first slider, and a look at the installation."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from subprocess import list2cmdline

import numpy as np
from matplotlib.patches import FancyBboxPatch

from bloque import __version__
from bloque.explore import Explorer, Guess, Picture, Slider, style
from bloque.texts import number, text

# ── the map ──────────────────────────────────────────────────────────────────────────────────────

WIDTH, HEIGHT = 18.2, 7.2  # of the drawing, in its own units

# name, left, bottom, width, height, lessons that teach it
BOXES = (
    ("words", 0.1, 2.9, 1.6, 1.2, ""),
    ("vectors", 2.1, 2.9, 2.1, 1.2, "5"),
    ("attention", 5.0, 2.5, 4.2, 2.8, "3"),
    ("add_first", 9.7, 2.9, 1.7, 1.2, "4"),
    ("ffn", 11.8, 2.9, 2.15, 1.2, "5"),
    ("add_second", 14.35, 2.9, 1.7, 1.2, "4"),
    ("answer", 16.9, 2.9, 1.1, 1.2, ""),
    ("scores", 5.3, 2.95, 1.75, 1.1, "2"),
    ("softmax", 7.2, 2.95, 1.7, 1.1, "1"),
)


def course_map() -> Picture:
    """Where each lesson stands in a Transformer block."""
    figure = style.figure("entrance.map", (9, 3.6))
    axes = figure.subplots()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(0, HEIGHT)
    axes.axis("off")

    def box(left: float, bottom: float, width: float, height: float, face: str, edge: str) -> None:
        shape = FancyBboxPatch((left, bottom), width, height, boxstyle="round,pad=0,rounding_size=0.2", facecolor=face, edgecolor=edge)
        axes.add_patch(shape)

    def arrow(*points: tuple[float, float], line: str = "-") -> None:
        look = {"arrowstyle": "-|>", "color": style.GRADIENT, "linestyle": line, "shrinkA": 0, "shrinkB": 0}
        axes.plot(*zip(*points[:-1], strict=True), color=style.GRADIENT, linestyle=line, linewidth=1)
        axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=look)

    def badge(x: float, y: float, lesson: str) -> None:
        axes.text(
            x, y, lesson, ha="center", va="center", fontsize=10, fontweight="bold",
            bbox={"boxstyle": "circle,pad=0.25", "facecolor": style.ACCENT, "edgecolor": "white"},
        )  # fmt: skip

    box(4.55, 1.2, 11.8, 5.35, "#F6F6F6", style.MUTED)
    axes.text(4.8, 6.2, text("entrance.map.block"), va="center", fontsize=10, color=style.TEXT)
    badge(16.35, 6.55, "5")
    for name, left, bottom, width, height, lesson in BOXES:
        inside = name in ("scores", "softmax")
        box(left, bottom, width, height, "#EFE6F4" if inside else "white", style.WEIGHTS if inside else style.GRADIENT)
        high = bottom + (height - 0.55 if name == "attention" else height / 2)
        axes.text(left + width / 2, high, text(f"entrance.map.{name}"), ha="center", va="center", fontsize=9, linespacing=1.1)
        if lesson:
            badge(left + width, bottom + height, lesson)
    for start, end in ((1.7, 2.1), (4.2, 5.0), (9.2, 9.7), (11.4, 11.8), (13.95, 14.35), (16.05, 16.9)):
        arrow((start, 3.5), (end, 3.5))
    arrow((4.75, 3.5), (4.75, 5.7), (10.55, 5.7), (10.55, 4.1))
    arrow((11.6, 3.5), (11.6, 5.0), (15.2, 5.0), (15.2, 4.1))
    arrow((17.45, 2.9), (17.45, 0.75), (5.2, 0.75), (5.2, 1.2), line="--")
    axes.text(11.5, 0.35, text("entrance.map.learning"), ha="center", va="center", fontsize=9)
    badge(17.45, 0.75, "6")
    return Picture(figure, text("entrance.map.caption"), text("entrance.map.alt"))


# ── a first slider ───────────────────────────────────────────────────────────────────────────────

LONG_QUERY, LONG_KEY = 2.0, 1.5


def dot_product(degrees: float) -> float:
    """q · k = |q| |k| cos(angle), for the two arrows of the picture."""
    product = LONG_QUERY * LONG_KEY * math.cos(math.radians(degrees))
    return round(product, 12) + 0.0


def dot() -> Explorer:
    """A key turns round a query; their product says how far they agree."""
    explorer = Explorer(
        "entrance.dot",
        figsize=(9, 3.2),
        controls=[Slider("angle", 0, 360, step=5, value=30)],
        strip=[{"angle": angle} for angle in (0, 90, 180, 270)],
    )
    left, right = explorer.figure.subplots(1, 2, width_ratios=(2, 3))
    left.set_title(text("entrance.dot.plane"))
    left.set_aspect("equal")
    left.set_xlim(-2.4, 2.4)
    left.set_ylim(-2, 2)
    left.axhline(0, color=style.GRID, linewidth=1, zorder=0)
    left.axvline(0, color=style.GRID, linewidth=1, zorder=0)
    arrows = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.015}
    left.quiver([0], [0], [LONG_QUERY], [0], color=style.QUERIES, **arrows)
    key = left.quiver([0], [0], [LONG_KEY], [0], color=style.KEYS, **arrows)
    left.text(LONG_QUERY + 0.1, 0.12, "q", color=style.QUERIES, fontweight="bold")
    name = left.text(0, 0, "k", color=style.KEYS, fontweight="bold", ha="center", va="center")
    angles = np.arange(0, 361, 5)
    products = np.array([dot_product(float(angle)) for angle in angles])
    right.set_title(text("entrance.dot.curve"))
    (trail,) = right.plot([], [], color=style.WEIGHTS)
    right.axhline(0, color=style.MUTED, linewidth=1)
    right.set_xlim(0, 360)
    right.set_xticks(range(0, 361, 90))
    right.set_ylim(-3.4, 3.4)
    right.set_xlabel(text("entrance.dot.axis"))
    (here,) = right.plot([], [], "o", color=style.ACCENT, markersize=9, clip_on=False)
    explorer.moving(key, name, trail, here)
    explorer.guess = Guess("zero", 0, 180, step=5, truth=90, axes=right, axis="x", value=0)

    @explorer.frame
    def frame(angle: int) -> str:
        turned = math.radians(angle)
        x, y = LONG_KEY * math.cos(turned), LONG_KEY * math.sin(turned)
        key.set_UVC([x], [y])
        name.set_position((1.2 * x, 1.2 * y))
        trail.set_data(angles[angles <= angle], products[angles <= angle])
        here.set_data([angle], [dot_product(angle)])
        return text("entrance.dot.caption", angle=number(angle), product=number(dot_product(angle), 2))

    return explorer


EXPLORERS = {"dot": dot}


# ── the installation ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Finding:
    """One thing looked at: whether it is in order, and if not, what to do."""

    name: str
    remedy: str | None = None

    @property
    def good(self) -> bool:
        """Whether there is nothing to mend."""
        return self.remedy is None


class Report(list[Finding]):
    """What `self_test` found; it shows itself as one line a finding."""

    def __repr__(self) -> str:
        lines = []
        for finding in self:
            lines.append(f"{'✓' if finding.good else '✗'} {finding.name}")
            lines += [f"    {line}" for line in (finding.remedy or "").splitlines()]
        wrong = sum(not finding.good for finding in self)
        lines.append(text("entrance.test.fine") if not wrong else text("entrance.test.wrong", wrong=number(wrong)))
        return "\n".join(lines)

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(repr(self))  # type: ignore[attr-defined]


def self_test() -> Report:
    """Look at the installation: Python, the packages, the two halves of the widgets, the course itself."""
    return examine(
        python=sys.version_info[:2],
        executable=sys.executable,
        version_of=_installed,
        needs=metadata.requires("bloque") or (),
        environment=os.environ,
        browser=sys.platform == "emscripten",
    )


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def examine(
    *,
    python: tuple[int, ...],
    executable: str,
    version_of: Callable[[str], str | None],
    needs: Iterable[str],
    environment: Mapping[str, str],
    browser: bool = False,
) -> Report:
    """The findings for an installation described by its parts, so that broken ones can be tried too."""
    report = Report()

    def look(name: str, good: bool, remedy: str) -> None:
        report.append(Finding(name, None if good else remedy))

    def install(*what: str) -> str:
        command = list2cmdline([executable, "-m", "pip", "install", *what])
        return text("entrance.test.here_browser") if browser else text("entrance.test.install", command=command)

    look(
        text("entrance.test.python", version="3.11"),
        python >= (3, 11),
        text("entrance.test.old_python", version=".".join(map(str, python)), executable=executable),
    )
    for package, least in _floors(needs):
        found = version_of(package)
        name = text("entrance.test.package", package=package, version=least)
        if found is None:
            look(name, False, text("entrance.test.missing", package=package, executable=executable) + "\n" + install(f"{package}>={least}"))
        else:
            fine = _numbers(found) >= _numbers(least)
            look(name, fine, text("entrance.test.too_old", package=package, version=found) + "\n" + install("-U", f"{package}>={least}"))

    kernel, page = version_of("ipywidgets"), version_of("jupyterlab_widgets")
    if kernel is not None:  # where the page's half is not in this Python, it cannot be looked at
        fine = page is None or (_numbers(kernel)[0], _numbers(page)[0]) in ((7, 1), (8, 3))
        told = text("entrance.test.halves", kernel=kernel, page=page or "")
        look(text("entrance.test.widgets"), fine, told + "\n" + install("-U", "ipywidgets>=8.1", "jupyterlab_widgets>=3"))
        if any(key.startswith("VSCODE_") for key in environment):
            told = text("entrance.test.vscode")
            look(text("entrance.test.vscode_name"), kernel != "8.1.9", told + "\n" + install("ipywidgets==8.1.8"))

    course = version_of("bloque")
    look(
        text("entrance.test.course"),
        course in (None, __version__),
        text("entrance.test.stale", loaded=__version__, installed=course or "") + "\n" + text("entrance.test.restart"),
    )
    return report


def _floors(needs: Iterable[str]) -> list[tuple[str, str]]:
    """("numpy", "1.26") from "numpy>=1.26"; what is needed only for an extra is left out."""
    found = (re.match(r"([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?>=\s*([\d.]+)", need) for need in needs if "extra ==" not in need)
    return [(match[1], match[2]) for match in found if match]


def _numbers(version: str) -> tuple[int, ...]:
    """(8, 1, 9) from "8.1.9"; whatever is not a number ends it."""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", version)[0].split("."))  # type: ignore[index]
