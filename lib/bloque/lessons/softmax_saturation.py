"""Lesson 1: when softmax has decided, its slopes are gone.

First the few formulas that the pictures need, each a plain function of NumPy; then the pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import bloque
from bloque.explore import Explorer, Guess, Numbers, Powers, Slider, style
from bloque.texts import number, setting, text

Softmax = Callable[[Any], Any]

MOST_SCORES = 8  # as many bars as a panel holds with legible labels
AROUND = 12  # how far the curve of p₁ reaches to each side of where z₁ stands
FLOOR = 1e-12  # the bottom of the logarithmic axes: nobody learns from less
SCALES = (0.1, 100, 61)  # from, to, and in how many steps the slider goes and the curves are drawn
TEMPERATURES = (0.05, 20, 61)


# ── the formulas ─────────────────────────────────────────────────────────────────────────────────


def slopes(scores: Any, softmax: Softmax = bloque.softmax) -> np.ndarray:
    """The Jacobian of softmax at some scores, without losing the small slopes to rounding.

    Where p_i is within rounding of 1, p_i (1 − p_i) comes out as 0; the sum of the other weights,
    which is what 1 − p_i stands for, does not.

    scores: (..., n). Returns (..., n, n).
    """
    weights = _weights(scores, softmax)  # (..., n)
    jacobian = -weights[..., :, None] * weights[..., None, :]  # (..., n, n)
    diagonal = np.arange(weights.shape[-1])
    jacobian[..., diagonal, diagonal] = 0
    jacobian[..., diagonal, diagonal] = -jacobian.sum(axis=-1)  # rows add up to 0
    return jacobian


def _weights(scores: Any, softmax: Softmax) -> np.ndarray:
    """The weights of (..., n) scores: all at once by the course's function, row by row by a reader's."""
    scores = np.asarray(scores, dtype=float)
    if softmax is bloque.softmax or scores.ndim == 1:
        return np.asarray(softmax(scores), dtype=float)
    rows = [softmax(row) for row in scores.reshape(-1, scores.shape[-1])]
    return np.asarray(rows, dtype=float).reshape(scores.shape)


def largest_slope(scores: Any, softmax: Softmax = bloque.softmax) -> Any:
    """max|J|: how fast the weight that answers most moves. A number, or (...) of them for (..., n) scores."""
    largest = np.abs(slopes(scores, softmax)).max(axis=(-2, -1))
    return float(largest) if largest.ndim == 0 else largest


def gap_slope(gap: Any, k: int) -> Any:
    """p (1 − p) of a score that is ``gap`` ahead of k − 1 equal ones: (k − 1) e^−c / (1 + (k − 1) e^−c)²."""
    rest = (k - 1) * np.exp(-np.asarray(gap, dtype=float))  # (1 − p) / p
    slope = rest / (1 + rest) ** 2
    return float(slope) if slope.ndim == 0 else slope


def gap_where(slope: float, k: int) -> float:
    """The gap from which p (1 − p) stays below ``slope``, for one score ahead of k − 1 equal ones."""
    # p (1 − p) = slope has two roots; p is the larger one, 1 − p the smaller
    other = 2 * slope / (1 + math.sqrt(1 - 4 * slope))
    return math.log(k - 1) + math.log((1 - other) / other)


def entropy(weights: Any) -> Any:
    """H = −Σ p_i ln p_i, in nats, where 0 ln 0 counts as 0."""
    weights = np.asarray(weights, dtype=float)
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    total = -(weights * logarithms).sum(axis=-1)
    return float(total) + 0.0 if total.ndim == 0 else total


def loss_gradients(margin: Any, n: int = 3) -> dict[str, np.ndarray]:
    """Both losses of a classifier of n classes whose right class is ``margin`` ahead, and their slopes by z₁.

    Cross-entropy −ln p₁ has the gradient p − y; squared error ½‖p − y‖² has J (p − y).
    """
    margins = np.atleast_1d(np.asarray(margin, dtype=float))
    scores = np.zeros((margins.size, n))
    scores[:, 0] = margins
    weights = bloque.softmax(scores)
    others = weights[:, 1:].sum(axis=1)  # 1 − p₁ without cancellation
    error = weights - np.eye(n)[0]
    error[:, 0] = -others
    return {
        "weights": weights,
        "cross_entropy": np.logaddexp(0, np.log(n - 1) - margins),
        "squared_error": (error**2).sum(axis=1) / 2,
        "cross_entropy_slope": -others,
        "squared_error_slope": np.einsum("mj,mj->m", slopes(scores)[:, 0], error),
    }


# ── the pictures ─────────────────────────────────────────────────────────────────────────────────


class Bars:
    """Bars of weights that may change in number: as many as needed are shown."""

    def __init__(self, axes: Any, explorer: Explorer, most: int = MOST_SCORES) -> None:
        self.axes = axes
        self.explorer = explorer
        self.patches = list(axes.bar(range(most), [0.0] * most, width=0.7, color=style.WEIGHTS))
        self.labels = [axes.text(i, 0, "", ha="center", va="bottom", fontsize=8.5) for i in range(most)]
        explorer.moving(self.patches, self.labels)
        axes.set_ylim(0, 1.1)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.set_ylabel(text("saturation.weight"))
        self.shown = 0

    def set(self, weights: Any) -> None:
        """Show these weights, and no bar more."""
        n = len(weights)
        for index, (patch, label) in enumerate(zip(self.patches, self.labels, strict=True)):
            shown = index < n
            weight = float(weights[index]) if shown else 0.0
            patch.set_visible(shown)
            patch.set_height(weight)
            label.set_visible(shown)
            label.set_text(number(weight, 3 if n <= 5 else 2))
            label.set_y(weight + 0.015)
        if n != self.shown:
            self.shown = n
            self.axes.set_xlim(-0.6, n - 0.4)
            self.axes.set_xticks(range(n), [f"p{subscript(index + 1)}" for index in range(n)])
            self.explorer.redraw()


def subscript(index: int) -> str:
    """1 → ₁: figures whose text moves use plain Unicode."""
    return str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def listed(values: Any) -> str:
    """(2, 1, 0), as the prose writes it."""
    return "(" + ", ".join(setting(float(value)) for value in values) + ")"


def tiny(value: float) -> str:
    """A slope in a caption: three significant digits, however small it is."""
    return number(value, significant=3)


def _log_slopes(axes: Any, floor: float = FLOOR) -> None:
    """A logarithmic vertical axis for slopes, from ``floor`` to a little over 1."""
    lowest = math.ceil(math.log10(floor))
    style.decades(axes.yaxis, range(0, lowest - 1, -max(1, -lowest // 5)))
    axes.set_ylim(floor, 2)


def _log_factors(axes: Any, lowest: float, highest: float, ticks: Sequence[float], label: str) -> None:
    """A logarithmic horizontal axis with plain numbers."""
    axes.set_xscale("log")
    axes.set_xlim(lowest, highest)
    axes.set_xticks(ticks, [setting(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(label)


def shift(scores: Sequence[float] = (0, 1, 2), softmax: Softmax = bloque.softmax) -> Explorer:
    """The same amount added to every score: nothing moves. With a guess about the far end."""
    explorer = Explorer(
        "saturation.shift",
        figsize=(9, 3),
        controls=[Slider("shift", 0, 500, steps=51, value=0)],
        strip=[{"shift": shift} for shift in (0, 100, 250, 500)],
    )
    left, right = explorer.figure.subplots(1, 2, width_ratios=(2, 3))
    left.set_title(text("saturation.weights"))
    bars = Bars(left, explorer, len(scores))
    right.set_title(text("saturation.largest"))
    right.set_xlim(-20, 520)
    right.set_ylim(0, 0.3)
    right.set_xlabel(text("saturation.shift.added"))
    (dot,) = right.plot([0], [0], "o", color=style.ACCENT, markersize=10, clip_on=False)
    explorer.moving(dot)
    start = np.asarray(scores, dtype=float)
    truth = largest_slope(start + 500, softmax)
    explorer.guess = Guess("largest", 0, 0.3, step=0.001, truth=truth, axes=right, axis="y", decimals=4)

    @explorer.frame
    def frame(shift: float) -> str:
        moved = start + shift
        slope = largest_slope(moved, softmax)
        bars.set(softmax(moved))
        dot.set_data([shift], [slope])
        return text("saturation.shift.caption", scores=listed(moved), largest=number(slope, 4))

    return explorer


def saturation(scores: Sequence[float] = (2, 1, 0), softmax: Softmax = bloque.softmax) -> Explorer:
    """Scores multiplied by a scale: the weights, where p₁ stands on its curve, and the largest slope."""
    explorer = Explorer(
        "saturation.scale",
        figsize=(9, 3),
        controls=[
            Slider("scale", *SCALES[:2], log=True, steps=SCALES[2], value=1),
            Numbers("scores", list(scores), minimum=-100, maximum=100, lengths=(2, MOST_SCORES)),
        ],
        strip=[{"scale": scale} for scale in (0.1, 3, 10, 100)],
    )
    left, middle, right = explorer.figure.subplots(1, 3)
    left.set_title(text("saturation.weights"))
    bars = Bars(left, explorer)

    around = np.linspace(-AROUND, AROUND, 161)  # how far z₁ is moved from where it stands
    middle.set_title(text("saturation.scale.curve_title"))
    middle.set_xlim(-AROUND, AROUND)
    middle.set_ylim(-0.05, 1.05)
    middle.set_xlabel(text("saturation.scale.move"))
    (curve,) = middle.plot([], [], "-", color=style.WEIGHTS, linewidth=2)
    (tangent,) = middle.plot([], [], "--", color=style.GRADIENT, linewidth=1.5)
    (here,) = middle.plot([], [], "o", color=style.ACCENT, markersize=8)

    scales = np.geomspace(*SCALES)
    right.set_title(text("saturation.largest"))
    _log_factors(right, *SCALES[:2], (0.1, 1, 10, 100), text("saturation.scale.axis"))
    _log_slopes(right)
    right.axhline(0.25, color=style.MUTED, linewidth=1, linestyle=":")
    (gauge,) = right.plot([], [], "-", color=style.GRADIENT, linewidth=2)
    (mark,) = right.plot([], [], "o", color=style.ACCENT, markersize=8, clip_on=False)
    explorer.moving(curve, tangent, here, gauge, mark)

    @explorer.frame
    def frame(scale: float, scores: Any) -> str:
        scores = np.asarray(scores, dtype=float)
        scaled = scale * scores
        weights = _weights(scaled, softmax)
        slope = slopes(scaled, softmax)[0, 0]
        largest = largest_slope(scaled, softmax)
        bars.set(weights)
        moved = np.repeat(scaled[None], around.size, axis=0)
        moved[:, 0] += around
        curve.set_data(around, _weights(moved, softmax)[:, 0])
        tangent.set_data([-AROUND, AROUND], [weights[0] - AROUND * slope, weights[0] + AROUND * slope])
        here.set_data([0], [weights[0]])
        gauge.set_data(scales, largest_slope(scales[:, None] * scores, softmax))
        mark.set_data([scale], [max(largest, FLOOR)])
        mark.set_marker("o" if largest > FLOOR else "v")
        return text(
            "saturation.scale.caption",
            scores=listed(scores),
            scale=setting(scale),
            first=number(weights[0], 4),
            slope=tiny(slope),
            largest=tiny(largest),
        )

    return explorer


def jacobian(scores: Sequence[float] = (2, 1, 0), softmax: Softmax = bloque.softmax) -> Explorer:
    """All the slopes as a map: the colour is the size, the number carries the sign."""
    explorer = Explorer(
        "saturation.jacobian",
        figsize=(9, 3.6),
        controls=[
            Slider("scale", *SCALES[:2], log=True, steps=SCALES[2], value=1),
            Numbers("scores", list(scores), minimum=-100, maximum=100, lengths=(2, 5)),
        ],
        strip=[{"scale": scale} for scale in (0.1, 2, 5, 10)],
    )
    left, right = explorer.figure.subplots(1, 2, width_ratios=(2, 3))
    left.set_title(text("saturation.weights"))
    bars = Bars(left, explorer, 5)
    right.set_title(text("saturation.jacobian.map_title"))
    image = right.imshow(np.zeros((5, 5)), cmap=style.HEAT, vmin=0, vmax=0.25, aspect="auto")
    bar = explorer.figure.colorbar(image, ax=right, ticks=[0, 0.05, 0.1, 0.15, 0.2, 0.25])
    bar.set_label(text("saturation.jacobian.size"))
    entries = [[right.text(j, i, "", ha="center", va="center", fontsize=10) for j in range(5)] for i in range(5)]
    explorer.moving(image, *(entry for row in entries for entry in row))

    @explorer.frame
    def frame(scale: float, scores: Any) -> str:
        scaled = scale * np.asarray(scores, dtype=float)
        n = scaled.size
        table = slopes(scaled, softmax)
        sizes = np.abs(table)
        if n != bars.shown:
            image.set_extent((-0.5, n - 0.5, n - 0.5, -0.5))
            right.set_xticks(range(n), [f"z{subscript(index + 1)}" for index in range(n)])
            right.set_yticks(range(n), [f"p{subscript(index + 1)}" for index in range(n)])
        bars.set(softmax(scaled))
        image.set_data(sizes)
        for i, row in enumerate(entries):
            for j, entry in enumerate(row):
                entry.set_visible(i < n and j < n)
                if i < n and j < n:
                    entry.set_text(_entry(table[i, j]))
                    entry.set_color("white" if sizes[i, j] > 0.172 else style.TEXT)
        return text(
            "saturation.jacobian.caption",
            scores=listed(scores),
            scale=setting(scale),
            first=tiny(table[0, 0]),
            second=tiny(table[0, 1]),
            largest=tiny(sizes.max()),
        )

    return explorer


def _entry(slope: float) -> str:
    if abs(slope) < 1e-99:
        return "≈ 0"  # three digits of exponent do not fit in a square
    return ("+" if slope > 0 else "") + number(slope, significant=2 if abs(slope) < 1e-3 else 3)


def gap() -> Explorer:
    """One score runs ahead of k − 1 equal ones: its slope rises to 0.25, then falls for ever."""
    widest = 16
    grid = np.linspace(0, widest, 161)
    explorer = Explorer(
        "saturation.gap",
        figsize=(9, 3),
        controls=[Slider("gap", 0, widest, steps=161, value=3), Powers("k", 2, 64, value=8)],
        strip=[{"gap": gap} for gap in (0, 2, 9, 16)],
    )
    left, right = explorer.figure.subplots(1, 2)
    left.set_title(text("saturation.gap.plain_title"))
    left.set_ylim(0, 0.27)
    right.set_title(text("saturation.gap.log_title"))
    _log_slopes(right, 1e-7)
    for axes in (left, right):
        axes.set_xlim(0, widest)
        axes.set_xlabel(text("saturation.gap.axis"))
    right.axhline(1e-3, color=style.MUTED, linewidth=1, linestyle=":")
    left.axhline(0.25, color=style.MUTED, linewidth=1, linestyle=":")
    trails = [axes.plot([], [], "-", color=style.GRADIENT, linewidth=2)[0] for axes in (left, right)]
    (straight,) = right.plot([], [], "--", color=style.MUTED, linewidth=1.5, label=text("saturation.gap.line"))
    dots = [axes.plot([], [], "o", color=style.ACCENT, markersize=8, clip_on=False)[0] for axes in (left, right)]
    right.legend(loc="lower left")
    explorer.moving(straight, *trails, *dots)
    explorer.guess = Guess("gap", 0, widest, step=0.1, truth=gap_where(1e-3, 8), axes=right, axis="x", decimals=2)

    @explorer.frame
    def frame(gap: float, k: int) -> str:
        so_far = grid[grid <= gap + 1e-9]
        slope = gap_slope(gap, k)
        for trail, dot in zip(trails, dots, strict=True):
            trail.set_data(so_far, gap_slope(so_far, k))
            dot.set_data([gap], [slope])
        straight.set_data(so_far, (k - 1) * np.exp(-so_far))
        weight = 1 / (1 + (k - 1) * math.exp(-gap))
        return text("saturation.gap.caption", k=number(k), gap=number(gap, 1), weight=number(weight, 4), slope=tiny(slope))

    return explorer


def temperature(scores: Sequence[float] = (0, 1, 2), softmax: Softmax = bloque.softmax) -> Explorer:
    """Scores divided by a temperature: the weights, the largest one, and how spread out they are."""
    explorer = Explorer(
        "saturation.temperature",
        figsize=(9, 3),
        controls=[
            Slider("temperature", *TEMPERATURES[:2], log=True, steps=TEMPERATURES[2], value=1),
            Numbers("scores", list(scores), minimum=-100, maximum=100, lengths=(2, MOST_SCORES)),
        ],
        strip=[{"temperature": temperature} for temperature in (0.05, 0.3, 3, 20)],
    )
    left, middle, right = explorer.figure.subplots(1, 3)
    left.set_title(text("saturation.weights"))
    bars = Bars(left, explorer)
    grid = np.geomspace(*TEMPERATURES)
    (uniform,) = left.plot([], [], "--", color=style.MUTED, linewidth=1.5)
    middle.set_title(text("saturation.temperature.largest_title"))
    middle.set_ylim(0, 1.05)
    right.set_title(text("saturation.temperature.entropy_title"))
    for axes in (middle, right):
        _log_factors(axes, *TEMPERATURES[:2], (0.1, 1, 10), text("saturation.temperature.axis"))
    curves = [axes.plot([], [], "-", color=style.WEIGHTS, linewidth=2)[0] for axes in (middle, right)]
    limits = [axes.plot([], [], "--", color=style.MUTED, linewidth=1.5)[0] for axes in (middle, right)]
    dots = [axes.plot([], [], "o", color=style.ACCENT, markersize=8, clip_on=False)[0] for axes in (middle, right)]
    explorer.moving(uniform, *limits, *curves, *dots)

    @explorer.frame
    def frame(temperature: float, scores: Any) -> str:
        scores = np.asarray(scores, dtype=float)
        n = scores.size
        weights = _weights(scores / temperature, softmax)
        everywhere = _weights(scores / grid[:, None], softmax)  # (61, n)
        if n != bars.shown:
            right.set_ylim(0, 1.1 * math.log(n))
        bars.set(weights)
        uniform.set_data([-0.6, n - 0.4], [1 / n, 1 / n])
        for dot, curve, limit, value, values, level in zip(
            dots,
            curves,
            limits,
            (weights.max(), entropy(weights)),
            (everywhere.max(axis=1), entropy(everywhere)),
            (1 / n, math.log(n)),
            strict=True,
        ):
            curve.set_data(grid, values)
            limit.set_data(TEMPERATURES[:2], [level, level])
            dot.set_data([temperature], [value])
        return text(
            "saturation.temperature.caption",
            scores=listed(scores),
            temperature=setting(temperature),
            largest=number(weights.max(), 4),
            entropy=number(entropy(weights), 3),
            most=number(math.log(n), 3),
        )

    return explorer


def losses() -> Explorer:
    """A classifier from surely wrong to surely right: what each loss says, and how hard it pulls."""
    widest = 12
    grid = np.linspace(-widest, widest, 121)
    every = loss_gradients(grid)
    explorer = Explorer(
        "saturation.losses",
        figsize=(9, 3),
        controls=[Slider("margin", -widest, widest, steps=121, value=-6)],
        strip=[{"margin": margin} for margin in (-12, 0, 6, 12)],
    )
    left, middle, right = explorer.figure.subplots(1, 3)
    left.set_title(text("saturation.weights"))
    bars = Bars(left, explorer, 3)
    middle.set_title(text("saturation.losses.loss_title"))
    middle.set_ylim(0, widest + 1)
    right.set_title(text("saturation.losses.pull_title"))
    _log_slopes(right, 1e-6)
    names = ("cross_entropy", "squared_error")
    dots = []
    for axes, suffix in ((middle, ""), (right, "_slope")):
        axes.set_xlim(-widest, widest)
        axes.set_xlabel(text("saturation.losses.axis"))
        axes.axvline(0, color=style.GRID, linewidth=1)
        for name, colour, line in zip(names, (style.GRADIENT, style.MUTED), ("-", "--"), strict=True):
            axes.plot(grid, np.abs(every[name + suffix]), line, color=colour, linewidth=2, label=text(f"saturation.losses.{name}"))
            dots.append(axes.plot([], [], "o", color=style.ACCENT, markersize=7, clip_on=False)[0])
    middle.legend(loc="upper right")
    explorer.moving(*dots)

    @explorer.frame
    def frame(margin: float) -> str:
        here = loss_gradients(margin)
        bars.set(here["weights"][0])
        values = [abs(here[name + suffix][0]) for suffix in ("", "_slope") for name in names]
        for dot, value in zip(dots, values, strict=True):
            dot.set_data([margin], [value])
        return text(
            "saturation.losses.caption",
            margin=number(margin, 1),
            weight=tiny(here["weights"][0, 0]),
            cross_entropy=number(values[2], significant=3),
            squared_error=number(values[3], significant=3),
        )

    return explorer


EXPLORERS = {
    "shift": shift,
    "scale": saturation,
    "jacobian": jacobian,
    "gap": gap,
    "temperature": temperature,
    "losses": losses,
}
