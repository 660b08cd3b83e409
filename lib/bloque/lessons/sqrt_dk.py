"""Lesson 2: why the scores are divided by √d_k, and not by d_k nor by nothing.

First the experiments, plain functions of NumPy that draw everything at once; then the scene that can
be done by head; then the pictures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import bloque
from bloque.explore import Choice, Explorer, Guess, Picture, Powers, Slider, Switch, style
from bloque.texts import entry, number, text

Attention = Callable[..., Any]

DIMENSIONS = tuple(2**i for i in range(11))  # d_k: 1, 2, 4 … 1024
DIVISORS: dict[str, Callable[[int], float]] = {
    "none": lambda d_k: 1.0,
    "root": lambda d_k: math.sqrt(d_k),
    "whole": lambda d_k: float(d_k),
}
TOGETHER = 4  # sentences computed at a time: few, so that memory stays small
KEYS = 8  # so many keys answer each query in the experiments
LINES = {"none": "--", "root": "-", "whole": "-."}
MARKERS = {"none": "s", "root": "o", "whole": "^"}


# ── the experiments ──────────────────────────────────────────────────────────────────────────────


def scores_by_dimension(draws: int = 10_000, dimensions: Sequence[int] = DIMENSIONS, seed: int = 0) -> dict[int, np.ndarray]:
    """q·k for standard normal q and k, at several d_k: the first d_k components of the same draws.

    Returns d_k -> (draws,).
    """
    rng = np.random.default_rng(seed)
    scores: dict[int, np.ndarray] = {}
    total, before = np.zeros(draws, dtype=np.float32), 0
    for d_k in sorted(dimensions):
        q, k = rng.standard_normal((2, d_k - before, draws), dtype=np.float32)
        total = total + np.einsum("id,id->d", q, k)
        scores[d_k], before = total, d_k
    return scores


def normal_density(x: Any, deviation: float) -> np.ndarray:
    """The curve of N(0, deviation²)."""
    return np.exp(-0.5 * (np.asarray(x) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def largest_weights(d_k: int, divisors: Iterable[float], draws: int, keys: int = KEYS, seed: int = 0) -> list[np.ndarray]:
    """The largest of the weights that one query gives its keys, drawn afresh each time.

    Once q is known, q·k is a sum of normals: N(0, ‖q‖²), and ‖q‖² is a χ² of d_k degrees. So a draw
    takes 1 + keys random numbers instead of (1 + keys) d_k, and it is the same distribution.
    Returns an array (draws,) for each divisor, over the same draws.
    """
    rng = np.random.default_rng(seed)
    lengths = np.sqrt(rng.chisquare(d_k, (draws, 1))).astype(np.float32)
    scores = lengths * rng.standard_normal((draws, keys), dtype=np.float32)
    return [bloque.softmax(scores / np.float32(divisor)).max(axis=1) for divisor in divisors]


class Gradients(NamedTuple):
    """What reached the parts of the attention in many sentences, at one d_k and with one divisor."""

    queries: np.ndarray  # (sentences, n)  ‖∂q‖ of each query
    slopes: np.ndarray  # (sentences, n)  max|J| of each query's softmax
    W_Q: np.ndarray  # (sentences,)  ‖∂W^Q‖
    W_K: np.ndarray  # (sentences,)
    W_V: np.ndarray  # (sentences,)


def attention_gradients(
    dimensions: Sequence[int] = DIMENSIONS, sentences: int = 16, n: int = 8, d_model: int = 256, seed: int = 0
) -> dict[tuple[str, int], Gradients]:
    """The exact gradients of one attention at the start of training, with each divisor.

    X (n, d_model) is standard normal, the matrices have variance 1/d_model, the values are d_model
    wide, and the loss is the mean squared error against a standard normal target. All the d_k and all
    the divisors see the same sentences: a smaller d_k keeps the first columns of W^Q and W^K.
    """
    rng = np.random.default_rng(seed)
    kept: dict[tuple[str, int], list[tuple[np.ndarray, ...]]] = {}
    for _ in range(math.ceil(sentences / TOGETHER)):
        x, target = rng.standard_normal((2, TOGETHER, n, d_model))
        W_Q, W_K = rng.standard_normal((2, TOGETHER, d_model, max(dimensions)), dtype=np.float32) / math.sqrt(d_model)
        W_V = rng.standard_normal((TOGETHER, d_model, d_model), dtype=np.float32) / math.sqrt(d_model)
        all_queries, all_keys, values = x @ W_Q, x @ W_K, x @ W_V
        gram = x @ x.swapaxes(-1, -2)
        for d_k in dimensions:
            queries, keys = all_queries[..., :d_k], all_keys[..., :d_k]
            for name, divisor in DIVISORS.items():
                scale = 1 / divisor(d_k)
                output, weights = bloque.attention(queries, keys, values, scale=scale)
                by_output = 2 * (output - target) / (n * d_model)
                by_parts = bloque.attention_backward(by_output, queries, keys, values, weights, scale=scale)
                slopes = np.abs(bloque.softmax_jacobian(weights)).max(axis=(-2, -1))
                matrices = (matrix_gradient_norm(gram, by_part) for by_part in by_parts)
                kept.setdefault((name, d_k), []).append((np.linalg.norm(by_parts[0], axis=-1), slopes, *matrices))
    return {key: Gradients(*(np.concatenate(column)[:sentences] for column in zip(*rows, strict=True))) for key, rows in kept.items()}


def matrix_gradient_norm(gram: np.ndarray, by_rows: np.ndarray) -> np.ndarray:
    """‖Xᵀ G‖ from X Xᵀ (…, n, n) and G (…, n, d): ∂W = Xᵀ ∂Q need not be built to know its norm."""
    squares = (gram * (by_rows @ by_rows.swapaxes(-1, -2))).sum(axis=(-2, -1))
    return np.sqrt(np.maximum(squares, 0))


# ── the scene that can be done by head ───────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Scene:
    """A short sentence with two-dimensional vectors chosen by hand, so that all of it can be checked by head."""

    words: tuple[str, ...]
    query: np.ndarray  # (2,) of the ambiguous word
    keys: np.ndarray  # (n, 2)
    values: np.ndarray  # (n, 2): how much of each reading the word brings
    readings: tuple[str, str]


def bank_scene(name: str = "bench") -> Scene:
    """The scene of the language in force: "bench", where the bank is no bank of money, or "money"."""
    scene = entry(f"sqrt_dk.scenes.{name}")
    return Scene(
        words=tuple(scene["words"]),
        query=np.array([1.0, 1.0]),
        keys=np.array(scene["keys"], dtype=float),
        values=np.array(scene["values"], dtype=float),
        readings=tuple(entry("sqrt_dk.scenes.readings")),
    )


def turned(angle: float, stretch: float) -> np.ndarray:
    """A query at so many degrees, ``stretch`` times as long as (1, 1)."""
    radians = math.radians(angle)
    return stretch * math.sqrt(2) * np.array([math.cos(radians), math.sin(radians)])


# ── the pictures ─────────────────────────────────────────────────────────────────────────────────


def _dimension_axis(axes: Any) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.8, 1300)
    axes.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
    axes.minorticks_off()
    axes.set_xlabel("d_k")


def _trail(axes: Any, look: str, colour: str, label: str | None = None) -> tuple[Any, Any]:
    """A line and the band round it, both empty; `_set_trail` fills them."""
    (line,) = axes.plot([], [], look, color=colour, markersize=4, label=label)
    (band,) = axes.fill([1, 1, 1], [1, 1, 1], color=colour, alpha=0.2, linewidth=0)
    return line, band


def _set_trail(line: Any, band: Any, so_far: Sequence[int], middle: Any, low: Any, high: Any) -> None:
    """A line and its band, as far as the slider has come: what follows is for the reader to guess."""
    n = len(so_far)
    line.set_data(so_far, middle[:n])
    band.set_xy(np.column_stack([[*so_far, *so_far[::-1]], [*low[:n], *high[:n][::-1]]]))


def _steps(values: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The outline of a histogram as a density over all the values, closed at the bottom."""
    counts, _ = np.histogram(values, edges)
    heights = counts / (values.size * np.diff(edges))
    return np.repeat(edges, 2), np.concatenate([[0], np.repeat(heights, 2), [0]])


def width(draws: int = 10_000) -> Explorer:
    """How wide q·k is at each d_k, before and after the division, beside the normal curve."""
    scores = scores_by_dimension(draws, seed=4)
    deviations = {d_k: float(values.std()) for d_k, values in scores.items()}
    kurtoses = {d_k: float(((values / values.std()) ** 4).mean()) for d_k, values in scores.items()}
    explorer = Explorer(
        "sqrt_dk.width",
        figsize=(9, 3.2),
        controls=[Powers("d_k", 1, 1024, value=4)],
        strip=[{"d_k": d_k} for d_k in (1, 2, 16, 256, 1024)],
    )
    left, middle, right = explorer.figure.subplots(1, 3)
    moving = []
    for axes, name in ((left, "before"), (middle, "after")):
        axes.set_title(text(f"sqrt_dk.width.{name}"))
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        (shape,) = axes.fill([0, 0, 0], [0, 0, 0], color=style.WEIGHTS, alpha=0.45, linewidth=0)
        (curve,) = axes.plot([], [], "-", color=style.TEXT, linewidth=1.5)
        moving += [shape, curve]
    left.set_xlim(-100, 100)
    left.set_ylim(0, 1.35)
    left.set_xlabel("q·k")
    middle.set_xlim(-4.5, 4.5)
    middle.set_ylim(0, 0.75)
    middle.set_xlabel("q·k / √d_k")

    right.set_title(text("sqrt_dk.width.deviation"))
    _dimension_axis(right)
    right.set_yscale("log")
    right.minorticks_off()
    right.set_yticks([1, 4, 16, 64, 256], ["1", "4", "16", "64", "256"])
    right.set_ylim(0.6, 400)
    (raw_trail,) = right.plot([], [], "s--", color=style.RAW, markersize=5)  # only as far as the slider has come:
    (trail,) = right.plot([], [], "o-", color=style.WEIGHTS, markersize=5)  # the guess asks what follows
    right.text(0.9, 5, text("sqrt_dk.width.without"), color=style.MUTED, fontsize=9)
    right.text(8, 1.25, text("sqrt_dk.width.with"), color=style.WEIGHTS, fontsize=9)
    (raw_dot,) = right.plot([], [], "s", color=style.ACCENT, markersize=9)
    (dot,) = right.plot([], [], "o", color=style.ACCENT, markersize=9)
    explorer.moving(*moving, raw_trail, trail, raw_dot, dot)
    explorer.guess = Guess("deviation", 1, 256, step=1, truth=16, axes=right, axis="y")

    unit = np.linspace(-4.5, 4.5, 61)  # bins and curve in deviations: the same for every d_k

    @explorer.frame
    def frame(d_k: int) -> str:
        root = math.sqrt(d_k)
        raw_shape, raw_curve, shape, curve = moving
        x, heights = _steps(scores[d_k] / root, unit)
        top = normal_density(0, 1)
        raw_shape.set_xy(np.column_stack([x * root, heights / top]))  # the normal curve has height 1
        raw_curve.set_data(unit * root, normal_density(unit, 1) / top)
        shape.set_xy(np.column_stack([x, heights]))
        curve.set_data(unit, normal_density(unit, 1))
        so_far = [d for d in DIMENSIONS if d <= d_k]
        raw_trail.set_data(so_far, [deviations[d] for d in so_far])
        trail.set_data(so_far, [deviations[d] / math.sqrt(d) for d in so_far])
        raw_dot.set_data([d_k], [deviations[d_k]])
        dot.set_data([d_k], [deviations[d_k] / root])
        return text(
            "sqrt_dk.width.caption",
            d_k=number(d_k),
            deviation=number(deviations[d_k], 1),
            divided=number(deviations[d_k] / root, 2),
            kurtosis=number(kurtoses[d_k], 2),
            theory=number(3 + 6 / d_k, 2),
        )

    return explorer


def divisor(draws: int = 20_000, sentences: int = 16) -> Explorer:
    """What three divisors do at each d_k: to the weights of one draw, to their largest, to the gradients."""
    rng = np.random.default_rng(4)
    q, k = rng.standard_normal(DIMENSIONS[-1]), rng.standard_normal((KEYS, DIMENSIONS[-1]))
    one_draw = {d_k: k[:, :d_k] @ q[:d_k] for d_k in DIMENSIONS}
    largest = _largest_by_dimension(draws)
    gradients = attention_gradients(sentences=sentences)
    spreads = _gradient_spreads(gradients)

    explorer = Explorer(
        "sqrt_dk.divisor",
        figsize=(9, 5.8),
        controls=[Powers("d_k", 1, 1024, value=4), Choice("divisor", list(DIVISORS), value="none")],
        tour=[{"d_k": d_k, "divisor": name} for name in DIVISORS for d_k in DIMENSIONS],
        strip=[
            {"d_k": 4, "divisor": "none"},
            {"d_k": 1024, "divisor": "none"},
            {"d_k": 1024, "divisor": "root"},
            {"d_k": 1024, "divisor": "whole"},
        ],
    )
    (weights_axes, mean_axes), (matrix_axes, query_axes) = explorer.figure.subplots(2, 2)
    bars = _draw_weights(weights_axes)
    means = _draw_largest(mean_axes)
    (mean_dot,) = mean_axes.plot([], [], "o", color=style.ACCENT, markersize=9)
    trails = _draw_gradients(matrix_axes, query_axes)
    here = [axes.axvline(1, color=style.ACCENT, linewidth=2, zorder=0) for axes in (matrix_axes, query_axes)]
    explorer.moving(*bars, *means.values(), mean_dot, *here, *trails.values())
    truth = float(largest["none"][0][DIMENSIONS.index(64)])
    explorer.guess = Guess("largest", 0, 1, step=0.01, truth=truth, axes=mean_axes, axis="y", decimals=2)

    @explorer.frame
    def frame(d_k: int, divisor: str) -> str:
        weights = bloque.softmax(one_draw[d_k] / DIVISORS[divisor](d_k))
        for bar, weight in zip(bars, weights, strict=True):
            bar.set_height(weight)
        index = DIMENSIONS.index(d_k)
        mean_dot.set_data([d_k], [largest[divisor][0][index]])
        so_far = DIMENSIONS[: index + 1]
        for name, trail in means.items():
            _set_trail(*trail, so_far, *largest[name])
        for name, trail in trails.items():
            _set_trail(*trail, so_far, *spreads[divisor, name])
        for mark in here:
            mark.set_xdata([d_k, d_k])
        present = gradients[divisor, d_k]
        return text(
            "sqrt_dk.divisor.caption",
            d_k=number(d_k),
            divisor=text(f"sqrt_dk.divisor.by.{divisor}"),
            top=number(weights.max(), 3),
            largest=number(largest[divisor][0][index], 3),
            W_Q=number(float(np.median(present.W_Q)), significant=2),
            W_K=number(float(np.median(present.W_K)), significant=2),
            W_V=number(float(np.median(present.W_V)), significant=2),
            query=number(float(np.median(present.queries)), significant=2),
        )

    return explorer


def _draw_weights(axes: Any) -> Any:
    """The weights of one query: a bar a key, and where they would all be equal."""
    axes.set_title(text("sqrt_dk.divisor.weights"))
    axes.set_ylim(0, 1)
    axes.set_xticks(range(1, KEYS + 1))
    axes.set_xlabel(text("sqrt_dk.divisor.key"))
    axes.axhline(1 / KEYS, color=style.MUTED, linewidth=1, linestyle=":")
    return axes.bar(range(1, KEYS + 1), [0] * KEYS, width=0.7, color=style.WEIGHTS)


def _draw_largest(axes: Any) -> dict[str, tuple[Any, Any]]:
    """The largest weight against d_k: for each divisor a line and its band, still empty."""
    axes.set_title(text("sqrt_dk.divisor.largest"))
    _dimension_axis(axes)
    axes.set_ylim(0, 1.04)
    axes.text(1.1, 0.74, text("sqrt_dk.divisor.by.none"), color=style.MUTED, fontsize=9)
    axes.text(1300, 0.40, text("sqrt_dk.divisor.by.root"), color=style.WEIGHTS, fontsize=9, ha="right")
    axes.text(1300, 0.03, text("sqrt_dk.divisor.by.whole"), color=style.WEIGHTS, fontsize=9, ha="right")
    colours = {"none": style.RAW, "root": style.WEIGHTS, "whole": style.WEIGHTS}
    return {name: _trail(axes, LINES[name] + MARKERS[name], colours[name]) for name in DIVISORS}


def _draw_gradients(matrix_axes: Any, query_axes: Any) -> dict[str, tuple[Any, Any]]:
    """The gradients against d_k, of the three matrices and of the queries: lines and bands, still empty."""
    for axes in (matrix_axes, query_axes):
        _dimension_axis(axes)
    matrix_axes.set_title(text("sqrt_dk.divisor.matrices"))
    style.decades(matrix_axes.yaxis, range(-3, 2))
    matrix_axes.set_ylim(3e-4, 40)
    query_axes.set_title(text("sqrt_dk.divisor.queries"))
    style.decades(query_axes.yaxis, range(-9, 2, 2))
    query_axes.set_ylim(1e-10, 20)
    trails = {
        "W_Q": _trail(matrix_axes, "o-", style.QUERIES, "W^Q"),
        "W_K": _trail(matrix_axes, "s--", style.KEYS, "W^K"),
        "W_V": _trail(matrix_axes, "^-.", style.VALUES, "W^V"),
        "queries": _trail(query_axes, "o-", style.QUERIES),
    }
    matrix_axes.legend(loc="lower left", ncols=3)
    return trails


def _gradient_spreads(gradients: dict[tuple[str, int], Gradients]) -> dict[tuple[str, str], np.ndarray]:
    """{(divisor, part): (3, dimensions)}: the median and the 10 and 90 % of each norm, over the sentences."""
    parts = ("W_Q", "W_K", "W_V", "queries")
    return {
        (divided, part): np.transpose([np.percentile(getattr(gradients[divided, d_k], part), (50, 10, 90)) for d_k in DIMENSIONS])
        for divided in DIVISORS
        for part in parts
    }


def _largest_by_dimension(draws: int) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each divisor: the mean largest weight at each d_k, and where 95 % of experiments of 100 draws fall."""
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in DIVISORS}
    for d_k in DIMENSIONS:
        every = largest_weights(d_k, [divide(d_k) for divide in DIVISORS.values()], draws, seed=11)
        for name, weights in zip(DIVISORS, every, strict=True):
            experiments = weights.reshape(-1, 100).mean(axis=1)
            low, high = np.percentile(experiments, (2.5, 97.5))
            rows[name].append((float(weights.mean()), float(low), float(high)))
    return {name: tuple(np.array(row).T) for name, row in rows.items()}


def gradient_spread(raw: Gradients, root: Gradients) -> Picture:
    """How ‖∂q‖ is spread over the queries, without the division and with √d_k: medians and tails."""
    figure = style.figure("sqrt_dk.spread", figsize=(9, 3.2))
    axes = figure.subplots()
    axes.set_title(text("sqrt_dk.spread.title"))
    edges = np.linspace(-14, 1, 61)
    for gradients, name in ((raw, "none"), (root, "root")):
        exponents = np.log10(np.maximum(gradients.queries.ravel(), 10.0 ** edges[0]))
        heights, _ = np.histogram(exponents, edges)
        colour = style.RAW if name == "none" else style.QUERIES
        axes.stairs(heights / exponents.size, edges, color=colour, linewidth=2, linestyle=LINES[name])
        axes.stairs(heights / exponents.size, edges, color=colour, alpha=0.2, fill=True)
        middle = float(np.median(exponents))
        axes.plot([middle], [0], MARKERS[name], color=colour, markersize=9, clip_on=False, zorder=5)
    axes.set_xticks([-14, -12, -10, -8, -6, -4, -2, 0], ["≤ 1e−14", "1e−12", "1e−10", "1e−8", "1e−6", "1e−4", "0.01", "1"])
    axes.set_xlim(-14, 1)
    axes.set_xlabel(text("sqrt_dk.spread.axis"))
    axes.set_ylabel(text("sqrt_dk.spread.share"))
    axes.text(-13.5, 0.12, text("sqrt_dk.spread.none"), color=style.MUTED, fontsize=10)
    axes.text(-4.2, 0.2, text("sqrt_dk.spread.root"), color=style.QUERIES, fontsize=10, ha="right")
    caption = text(
        "sqrt_dk.spread.caption",
        raw=number(float(np.median(raw.queries)), significant=2),
        root=number(float(np.median(root.queries)), significant=2),
        largest=number(float(raw.queries.max()), significant=2),
        largest_root=number(float(root.queries.max()), significant=2),
    )
    return Picture(figure, caption, text("sqrt_dk.spread.alt"))


def bank(attention: Attention = bloque.attention) -> Explorer:
    """The scene in the plane: turn and stretch the query, and read weights and new vector.

    ``attention``: any function of (queries, keys, values) that returns (output, weights) and divides
    the scores by √d_k: also the reader's own.
    """
    scenes = {name: bank_scene(name) for name in ("bench", "money")}
    explorer = Explorer(
        "sqrt_dk.bank",
        figsize=(9, 4),
        controls=[
            Slider("angle", -180, 180, steps=73, value=45),
            Slider("stretch", 0, 4, steps=41, value=1),
            Switch("divide", value=False),
            Choice("scene", list(scenes), value="bench"),
        ],
        strip=[
            {"angle": 45, "stretch": 1},
            {"angle": 45, "stretch": 4},
            {"angle": 45, "stretch": 0},
            {"angle": -135, "stretch": 1},
        ],
    )
    plane, bars, new = explorer.figure.subplots(1, 3, width_ratios=(4, 4, 1.6))
    picture = BankPicture(plane, bars, new, most=max(len(scene.words) for scene in scenes.values()))
    explorer.moving(*picture.moving)
    shown = {"scene": ""}

    @explorer.frame
    def frame(angle: float, stretch: float, divide: bool, scene: str) -> str:
        here = scenes[scene]
        if scene != shown["scene"]:
            shown["scene"] = scene
            picture.set_scene(here)
            explorer.redraw()
        query = turned(angle, stretch)
        undone = 1 if divide else math.sqrt(query.size)  # attention divides; this takes it back
        output, weights = attention(query[None] * undone, here.keys, here.values)
        output, weights = np.asarray(output)[0], np.asarray(weights)[0]
        picture.set(query, turned(angle + 90, 3), output, weights)
        top = int(np.argmax(weights))
        return text(
            "sqrt_dk.bank.caption",
            sentence=" ".join(here.words),
            x=number(query[0], 2),
            y=number(query[1], 2),
            divided=text("sqrt_dk.bank.divided" if divide else "sqrt_dk.bank.undivided"),
            word=here.words[top],
            weight=number(weights[top], 3),
            first=number(output[0], 3),
            second=number(output[1], 3),
        )

    return explorer


class BankPicture:
    """The query among the keys in the plane, the weight of each word, and the vector that comes out."""

    def __init__(self, plane: Any, bars: Any, new: Any, most: int):
        plane.set(title=text("sqrt_dk.bank.plane"), aspect="equal", xlim=(-2.6, 2.6), ylim=(-2.6, 2.6))
        plane.axhline(0, color=style.GRID, linewidth=1, zorder=0)
        plane.axvline(0, color=style.GRID, linewidth=1, zorder=0)
        plane.set_xticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
        plane.set_yticks([-2, -1, 0, 1, 2], ["−2", "−1", "0", "1", "2"])
        (self.border,) = plane.plot([], [], "--", color=style.MUTED, linewidth=1)
        (self.shaft,) = plane.plot([], [], "-", color=style.QUERIES, linewidth=3)
        (self.tip,) = plane.plot([], [], "o", color=style.QUERIES, markersize=8)
        (self.points,) = plane.plot([], [], "s", color=style.KEYS, markersize=6)
        self.labels = [plane.text(0, 0, "", fontsize=9, color=style.KEYS, va="center") for _ in range(most)]

        bars.set(title=text("sqrt_dk.bank.weights"), xlim=(0, 1.2))
        bars.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        self.bars_axes = bars
        self.bars = bars.barh(range(most), [0] * most, height=0.7, color=style.WEIGHTS)
        self.readings = [bars.text(0, row, "", fontsize=9, va="center") for row in range(most)]

        new.set(title=text("sqrt_dk.bank.new"), xlim=(-0.6, 1.6), ylim=(0, 1))
        self.new_axes = new
        self.new_bars = new.bar([0, 1], [0, 0], width=0.7, color=style.VALUES)

    @property
    def moving(self) -> list[Any]:
        return [self.border, self.shaft, self.tip, self.points, *self.labels, *self.bars, *self.readings, *self.new_bars]

    def set_scene(self, scene: Scene) -> None:
        """Put the words where they belong; the axes change, so the next frame must be drawn whole."""
        self.points.set_data(*scene.keys.T)
        for label, (place, words) in zip(self.labels, _padded(_labels(scene), len(self.labels)), strict=True):
            label.set_text(words)
            left = place[1] >= place[0]  # words stand clear of the arrow, which starts along the diagonal
            label.set_position((place[0] + (-0.15 if left else 0.15), place[1]))
            label.set_horizontalalignment("right" if left else "left")
        self.bars_axes.set_yticks(range(len(scene.words)), list(scene.words))
        self.bars_axes.set_ylim(len(scene.words) - 0.4, -0.6)
        self.new_axes.set_xticks([0, 1], list(scene.readings))

    def set(self, query: np.ndarray, across: np.ndarray, output: np.ndarray, weights: np.ndarray) -> None:
        """A query (2,), a direction across it (2,), and what attention made of them: (2,) and (n,)."""
        self.shaft.set_data([0, query[0]], [0, query[1]])
        self.tip.set_data([query[0]], [query[1]])
        self.border.set_data([-across[0], across[0]], [-across[1], across[1]])
        for row, (bar, reading) in enumerate(zip(self.bars, self.readings, strict=True)):
            there = row < len(weights)  # the other scene may have more words
            weight = float(weights[row]) if there else 0.0
            bar.set_width(weight)
            reading.set_x(weight + 0.03)
            reading.set_text(number(weight, 3) if there else "")
        for bar, value in zip(self.new_bars, output, strict=True):
            bar.set_height(value)


def _labels(scene: Scene) -> list[tuple[tuple[float, float], str]]:
    """The words at each point of the plane, those that share a key side by side."""
    places: dict[tuple[float, float], list[str]] = {}
    for word, key in zip(scene.words, scene.keys, strict=True):
        names = places.setdefault((float(key[0]), float(key[1])), [])
        if word.lower() not in map(str.lower, names):
            names.append(word)
    return [(place, ", ".join(words)) for place, words in places.items()]


def _padded(labels: list[tuple[tuple[float, float], str]], length: int) -> list[tuple[tuple[float, float], str]]:
    return labels + [((0.0, 0.0), "")] * (length - len(labels))


EXPLORERS = {"width": width, "divisor": divisor, "bank": bank}
