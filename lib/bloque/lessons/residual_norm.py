"""Lesson 4, residual and layer norm: its measurements, its figures and its explorers.

The stack that the lesson looks at is as bare as can be: position-wise networks, without biases, norms
or attention. There a push on one row moves that row alone, so the derivative of the whole output by
one number of the input is a chain of (d_model, d_model) Jacobians of one row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import comb, log10, sqrt
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from bloque import (
    FeedForwardParameters,
    MultiHeadParameters,
    feed_forward,
    feed_forward_backward,
    feed_forward_forward,
    layer_norm,
    multi_head_attention,
    number,
    softmax,
)
from bloque.explore import Choice, Explorer, Guess, Slider, Switch, style
from bloque.texts import text

N_TOKENS, D_MODEL, D_FF = 8, 16, 32  # of the stack of position-wise networks
DEPTH, DEEPEST, SIZE = 12, 48, 0.15  # the stack of the table; the longest one drawn; how large its weights are
SIZES = (0.05, 0.35, 31)  # smallest, largest, steps: at 0.25 a layer gives back as much as it gets
LONGEST = 24  # sublayers of twelve blocks
BLOCK = (8, 64, 4, 256)  # n, d_model, heads, d_ff of the stack of blocks whose rows grow alike
BLOCKS, DRAWS = 24, 3

EPS = 1e-5

Layers = tuple[tuple[np.ndarray, np.ndarray], ...]
Norm = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]


# ── The stack, and the derivative along it ───────────────────────────────────────────────────────


@functools.cache
def stack(size: float = SIZE) -> tuple[np.ndarray, Layers]:
    """The input X (n, d_model) and the pairs (W1, W2) of 48 position-wise networks.

    The first twelve are drawn layer by layer, then X, then the others: a deeper stack keeps its
    first layers and its input.
    """
    rng = np.random.default_rng(0)

    def draw(layers: int) -> Layers:
        return tuple((size * rng.normal(size=(D_MODEL, D_FF)), size * rng.normal(size=(D_FF, D_MODEL))) for _ in range(layers))

    first = draw(DEPTH)
    X = rng.normal(size=(N_TOKENS, D_MODEL))
    return X, first + draw(DEEPEST - DEPTH)


def mlp(x: np.ndarray, layer: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """ReLU(x W1) W2: (..., d_model) -> (..., d_model)."""
    W1, W2 = layer
    return feed_forward(x, W1, None, W2, None)


def mlp_jacobian(x: Any, W1: Any, W2: Any) -> np.ndarray:
    """The Jacobian of ReLU(x W1) W2 at x (..., d_model): (..., d_model, d_model), ∂output by ∂input.

    The backward pass turns a gradient of the output into one of the input; fed with the d_model
    unit vectors, all at once, it gives the rows of the Jacobian.
    """
    x = np.asarray(x)
    d_model = x.shape[-1]
    rows = np.repeat(x[..., None, :], d_model, axis=-2)  # (..., d_model, d_model)
    _, kept = feed_forward_forward(rows, FeedForwardParameters(W1, None, W2, None))
    return feed_forward_backward(np.broadcast_to(np.eye(d_model), rows.shape), kept)[0]


@functools.cache
def jacobians(residual: bool) -> np.ndarray:
    """The Jacobian of each sublayer where row 0 arrives at it: (sizes, 48, d_model, d_model).

    All sizes of the weights go through the stack together: weights `size` times as large make both
    the output of a network and its Jacobian size² times as large, since ReLU lets a positive factor through.
    """
    X, layers = stack(1.0)
    gain = np.linspace(*SIZES)[:, None] ** 2  # (sizes, 1)
    x, found = np.repeat(X[:1], SIZES[2], axis=0), []  # (sizes, d_model)
    for layer in layers:
        found.append(gain[..., None] * mlp_jacobian(x, *layer))
        x = residual * x + gain * mlp(x, layer)
    return np.stack(found, axis=1)


@functools.cache
def _derivatives(residual: bool) -> np.ndarray:
    derivative, norms = np.tile(np.eye(D_MODEL)[0], (SIZES[2], 1)), []  # (sizes, d_model)
    for J in jacobians(residual).swapaxes(0, 1):  # (sizes, d_model, d_model)
        derivative = residual * derivative + (J @ derivative[..., None])[..., 0]
        norms.append(np.linalg.norm(derivative, axis=-1))
    return np.stack(norms, axis=1)


def derivatives(size: float, residual: bool) -> np.ndarray:
    """The norm of the derivative of each layer's output by coordinate (0, 0) of the input: (48,).

    size: one of the 31 positions of the slider. All are computed together, the first time.
    """
    return _derivatives(residual)[_place(size)]


def _place(size: float) -> int:
    return int(np.abs(np.linspace(*SIZES) - size).argmin())


@functools.cache
def carried_by_length(size: float) -> tuple[np.ndarray, ...]:
    """For each depth N up to 24, the norm of the sum of all paths of length k = 0 … N: (N + 1,).

    (I + J_N) … (I + J_1) v is expanded by length: the paths of length k through N layers are those
    of length k that skip layer N and those of length k − 1 that take it.
    """
    paths = np.zeros((LONGEST + 1, D_MODEL))
    paths[0, 0] = 1
    norms: list[Any] = []
    for J in jacobians(residual=True)[_place(size), :LONGEST]:
        paths[1:] = paths[1:] + paths[:-1] @ J.T
        norms.append(np.linalg.norm(paths[: len(norms) + 2], axis=-1))
    return tuple(norms)


# ── What flows ───────────────────────────────────────────────────────────────────────────────────


@functools.cache
def stream(size: float, norm: str) -> np.ndarray:
    """The rows before, between and after the 48 layers: (49, n, d_model).

    norm: "none", x + F(x);  "post", LN(x + F(x));  "pre", x + F(LN(x)).
    """
    x, layers = stack(size)
    kept = [x]
    for layer in layers:
        x = x + mlp(layer_norm(x) if norm == "pre" else x, layer)
        x = layer_norm(x) if norm == "post" else x
        kept.append(x)
    return np.array(kept)


@functools.cache
def _query_key(pairs: int = 200) -> np.ndarray:
    """W_Q W_Kᵀ/√d_k of random heads whose scores have deviation 1 on rows of deviation 1: (pairs, d, d)."""
    W_Q, W_K = np.random.default_rng(1).normal(size=(2, pairs, D_MODEL, D_MODEL)) / sqrt(D_MODEL)
    return W_Q @ W_K.swapaxes(-1, -2) / sqrt(D_MODEL)


def largest_weight(rows: np.ndarray) -> Any:
    """The largest weight of a row of attention over these rows (..., n, d_model), the mean of 200 random heads."""
    rows = rows[..., None, :, :]  # (..., 1, n, d_model)
    weights = softmax(rows @ _query_key() @ rows.swapaxes(-1, -2))  # (..., pairs, n, n)
    return weights.max(axis=-1).mean(axis=(-2, -1))


@functools.cache
def largest_weights(size: float, norm: str) -> np.ndarray:
    """`largest_weight` at every second layer, of what attention would read there: (25,)."""
    rows = stream(size, norm)[::2]
    return largest_weight(layer_norm(rows) if norm == "pre" else rows)


def post_norm_divisors(depth: int = DEPTH) -> np.ndarray:
    """What each norm of a post-norm stack divides by, the mean over the rows: (depth,).

    The weights have the size at which a position-wise network gives back as much as it gets.
    """
    X, layers = stack(0.25)
    x, divisors = layer_norm(X), []
    for layer in layers[:depth]:
        total = x + mlp(x, layer)
        divisors.append(total.std(axis=-1).mean())
        x = layer_norm(total)
    return np.array(divisors)


# ── How alike the rows become ────────────────────────────────────────────────────────────────────


@functools.cache
def _blocks(draw: int) -> tuple[np.ndarray, tuple[tuple[MultiHeadParameters, tuple[np.ndarray, np.ndarray]], ...]]:
    """An input (n, d_model) and 24 blocks whose two sublayers give back as much variance as they get."""
    n, d_model, _, d_ff = BLOCK
    rng = np.random.default_rng(draw)
    x = rng.normal(size=(n, d_model))
    blocks = []
    for _ in range(BLOCKS):
        attention = MultiHeadParameters(*(rng.normal(size=(d_model, d_model)) / sqrt(d_model) for _ in range(4)))
        W1 = rng.normal(size=(d_model, d_ff)) * sqrt(2 / d_model)  # 2: half of ReLU's input is lost
        W2 = rng.normal(size=(d_ff, d_model)) / sqrt(d_ff)
        blocks.append((attention, (W1, W2)))
    return x, tuple(blocks)


def cosines(rows: np.ndarray) -> np.ndarray:
    """The cosine of every row with every other: (..., n, d) -> (..., n, n)."""
    unit = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return unit @ unit.swapaxes(-1, -2)


@functools.cache
def cosines_by_layer(norm: str, residual: bool, mlp: bool) -> np.ndarray:
    """The cosines of the rows after 0 … 24 blocks, the mean of three draws: (25, n, n)."""
    heads = BLOCK[2]
    kept = np.zeros((DRAWS, BLOCKS + 1, BLOCK[0], BLOCK[0]))
    for draw in range(DRAWS):
        x, blocks = _blocks(draw)
        kept[draw, 0] = cosines(x)
        for layer, (attention, (W1, W2)) in enumerate(blocks, start=1):
            for sublayer in range(1 + mlp):
                read = layer_norm(x) if norm == "pre" else x
                if sublayer == 0:
                    found, _ = multi_head_attention(read, attention, heads)
                else:
                    found = feed_forward(read, W1, None, W2, None)
                x = residual * x + found
                x = layer_norm(x) if norm == "post" else x
            kept[draw, layer] = cosines(x)
    return kept.mean(axis=0)


def similarity_by_layer(*, norm: str, residual: bool, mlp: bool) -> np.ndarray:
    """The mean cosine of two different rows after 0 … 24 blocks: (25,)."""
    return similarity(cosines_by_layer(norm, residual, mlp))


def similarity(table: np.ndarray) -> np.ndarray:
    """The mean of a table of cosines (..., n, n) off its diagonal."""
    n = table.shape[-1]
    return (table.sum(axis=(-2, -1)) - np.trace(table, axis1=-2, axis2=-1)) / (n * (n - 1))


def relu_similarity(n: int = 32, d_model: int = 256, d_ff: int = 4096) -> float:
    """The mean cosine of two rows that leave one random position-wise network, unlike as they entered."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d_model))
    out = feed_forward(x, rng.normal(size=(d_model, d_ff)), None, rng.normal(size=(d_ff, d_model)), None)
    return float(similarity(cosines(out)))


# ── Layer norm ───────────────────────────────────────────────────────────────────────────────────


def five_rows() -> np.ndarray:
    """The matrix of the lesson's examples of layer norm: (5, 8), mean 3, deviation 2."""
    return np.random.default_rng(7).normal(3, 2, size=(5, 8))


def changes(row: int, push: float, shape: str, layer_norm: Norm = layer_norm) -> tuple[np.ndarray, np.ndarray]:
    """How much each number of the normalised matrix changes when one row is pushed: by rows, by columns.

    shape: "uniform", all coordinates alike;  "ramp", from nothing at the first to all at the last.
    layer_norm: of x, gamma, beta and eps; the reader's own, for instance.
    """
    before = five_rows()
    after = before.copy()
    after[row] += push * (np.ones(8) if shape == "uniform" else np.linspace(0, 1, 8))
    ones, zeros = np.ones(8), np.zeros(8)
    by_rows = np.abs(layer_norm(after, ones, zeros, EPS) - layer_norm(before, ones, zeros, EPS))
    by_columns = np.abs(_by_columns(after) - _by_columns(before))
    return by_rows, by_columns


def _by_columns(x: np.ndarray) -> np.ndarray:
    """What layer norm is not: each column brought to mean 0 and deviation 1."""
    return layer_norm(x.T).T


# ── Explorers ────────────────────────────────────────────────────────────────────────────────────


def derivative_by_depth() -> Explorer:
    """The derivative at each layer, with and without the sum: depth, size of the weights."""
    explorer = Explorer(
        "residual_norm.depth",
        figsize=(9, 3.6),
        controls=[
            Slider("depth", 1, DEEPEST, steps=DEEPEST, value=DEPTH),
            Slider("size", *SIZES[:2], steps=SIZES[2], value=SIZE),
            Switch("residual", value=True),
        ],
        tour=_depths_and_sizes(),
        strip=[
            {"residual": False, "depth": DEPTH},
            {"residual": False, "depth": DEEPEST},
            {"residual": True, "depth": DEEPEST},
            {"residual": True, "depth": DEEPEST, "size": 0.25},
        ],
    )
    axes = explorer.figure.subplots()
    axes.set(xlim=(0, DEEPEST + 1), ylim=(-30, 11), xlabel=text("residual_norm.depth.layer"), ylabel=text("residual_norm.depth.derivative"))
    axes.set_yticks(range(-30, 11, 10), [_power(k) for k in range(-30, 11, 10)])
    axes.axhline(0, color=style.GRID, linewidth=1)
    (with_line,) = axes.plot([], [], "-o", color=style.GRADIENT, markersize=3.5, label=text("residual_norm.depth.with"))
    (without_line,) = axes.plot([], [], "--D", color=style.RAW, markersize=3.5, label=text("residual_norm.depth.without"))
    (end,) = axes.plot([], [], "o", color=style.ACCENT, markersize=8)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    explorer.moving(with_line, without_line, end)

    @explorer.frame
    def frame(depth: int, size: float, residual: bool) -> str:
        layers = np.arange(1, depth + 1)
        norms, with_sum = derivatives(size, residual)[:depth], derivatives(size, True)[:depth]
        with_line.set_data(layers, np.log10(with_sum))
        shown: tuple[Any, Any] = ([], []) if residual else (layers, np.log10(norms))
        without_line.set_data(*shown)  # kept back for the guess
        end.set_data([depth], [log10(norms[-1])])
        values = {"depth": number(depth), "size": number(size, 2), "derivative": number(norms[-1], significant=4 if residual else 3)}
        if residual:
            return text("residual_norm.depth.caption_with", **values)
        ratio = with_sum[-1] / norms[-1]
        return text(
            "residual_norm.depth.caption_without",
            with_sum=number(with_sum[-1], significant=4),
            ratio=number(ratio, significant=2),
            **values,
        )

    truth = log10(derivatives(SIZE, False)[DEPTH - 1])
    explorer.guess = Guess("without", -12, 1, step=0.1, value=0, truth=truth, axes=axes, axis="y")
    return explorer


def paths_by_length() -> Explorer:
    """How many paths of each length there are, and how much each length carries."""
    explorer = Explorer(
        "residual_norm.paths",
        figsize=(9, 3.4),
        controls=[
            Slider("depth", 1, LONGEST, steps=LONGEST, value=DEPTH),
            Slider("size", *SIZES[:2], steps=SIZES[2], value=SIZE),
        ],
        strip=[{"depth": 1}, {"depth": 2}, {"depth": 6}, {"depth": LONGEST}, {"size": 0.25}],
    )
    counts, shares = explorer.figure.subplots(1, 2)
    lengths = np.arange(LONGEST + 1)
    floor = -0.4  # so that a single path, log10(1) = 0, has a bar
    counts.set(
        xlim=(-0.8, LONGEST + 0.8), ylim=(floor, 7.2), xlabel=text("residual_norm.paths.length"), title=text("residual_norm.paths.counts")
    )
    counts.set_yticks(range(0, 8, 2), [_power(k) for k in range(0, 8, 2)])
    number_bars = counts.bar(lengths, 0, bottom=floor, color=style.MUTED)
    shares.set(xlim=(-0.8, LONGEST + 0.8), ylim=(0, 1), xlabel=text("residual_norm.paths.length"), title=text("residual_norm.paths.shares"))
    share_bars = shares.bar(lengths, 0, color=style.GRADIENT, label=text("residual_norm.paths.carried"))
    (number_line,) = shares.plot([], [], "--D", color=style.MUTED, markersize=4, label=text("residual_norm.paths.paths"))
    shares.legend(loc="upper right")
    explorer.moving(*number_bars, *share_bars, number_line)

    @explorer.frame
    def frame(depth: int, size: float) -> str:
        paths = np.array([comb(depth, k) for k in range(depth + 1)])
        carried = carried_by_length(size)[depth - 1]
        carried = carried / carried.sum()
        for k, (bar, share) in enumerate(zip(number_bars, share_bars, strict=True)):
            bar.set_height(log10(paths[k]) - floor if k <= depth else 0)
            share.set_height(carried[k] if k <= depth else 0)
        number_line.set_data(np.arange(depth + 1), paths / paths.sum())
        quarter = depth // 4
        return text(
            "residual_norm.paths.caption",
            depth=number(depth),
            size=number(size, 2),
            paths=number(2**depth),
            short=number(quarter),
            few=number(paths[: quarter + 1].sum() / 2**depth * 100, significant=2),
            much=number(carried[: quarter + 1].sum() * 100, significant=2),
        )

    return explorer


def growth_with_depth() -> Explorer:
    """The deviation of the rows along the stack, and the largest weight attention would give them."""
    names = ("none", "post", "pre")
    explorer = Explorer(
        "residual_norm.growth",
        figsize=(9, 3.6),
        controls=[Slider("size", *SIZES[:2], steps=SIZES[2], value=SIZE)],
        strip=[{"size": size} for size in (0.05, 0.1, 0.2, 0.25, 0.35)],
    )
    deviations, weights = explorer.figure.subplots(1, 2)
    deviations.set(
        xlim=(0, DEEPEST), ylim=(-0.5, 5.2), xlabel=text("residual_norm.growth.layer"), title=text("residual_norm.growth.deviation")
    )
    deviations.set_yticks(range(6), [_power(k) for k in range(6)])
    weights.set(xlim=(0, DEEPEST), ylim=(0, 1.03), xlabel=text("residual_norm.growth.layer"), title=text("residual_norm.growth.weight"))
    looks = {"none": ("--", style.RAW), "post": (":", style.TEXT), "pre": ("-", style.TEXT)}
    curves = {
        name: [
            axes.plot([], [], dashes, color=colour, linewidth=2.2, label=text(f"residual_norm.growth.{name}"))[0]
            for axes in (deviations, weights)
        ]
        for name, (dashes, colour) in looks.items()
    }
    explorer.figure.legend(handles=[curves[name][0] for name in names], loc="outside lower center", ncols=3)
    explorer.moving(*(curve for pair in curves.values() for curve in pair))

    @explorer.frame
    def frame(size: float) -> str:
        for name, (deviation, weight) in curves.items():
            deviation.set_data(np.arange(DEEPEST + 1), np.log10(stream(size, name).std(axis=-1).mean(axis=-1)))
            weight.set_data(np.arange(0, DEEPEST + 1, 2), largest_weights(size, name))
        last = {name: number(stream(size, name)[-1].std(axis=-1).mean(), significant=3) for name in names}
        return text(
            "residual_norm.growth.caption",
            size=number(size, 2),
            layers=number(DEEPEST),
            **last,
            weight=number(largest_weights(size, "none")[-1], 2),
            calm=number(largest_weights(size, "pre")[-1], 2),
        )

    return explorer


def gamma_and_beta(layer_norm: Norm = layer_norm) -> Explorer:
    """Five rows as they come, normalised, and after γ and β; by the reader's own layer norm, if given."""
    explorer = Explorer(
        "residual_norm.gamma",
        figsize=(9, 4.4),
        controls=[
            Slider("gamma", 0, 5, steps=51, value=1),
            Slider("beta", -4, 4, steps=81, value=0),
            Choice("which", ["all", "first"], value="all"),
        ],
        tour=[{"gamma": k / 10, "which": which} for which in ("all", "first") for k in range(51)]
        + [{"beta": k / 10, "which": which} for which in ("all", "first") for k in range(-40, 41)],
        strip=[{"gamma": 4, "beta": -1}, {"gamma": 0, "beta": 2}, {"gamma": 5}, {"gamma": 4, "which": "first"}],
    )
    rows = five_rows()
    stages = explorer.figure.subplots(3, 1, sharex=True)
    heights = np.repeat(np.arange(5)[:, None], 8, axis=1)
    for axes, name in zip(stages, ("before", "normalised", "after"), strict=True):
        axes.set(xlim=(-13, 13), ylim=(4.6, -0.6), ylabel=text("residual_norm.gamma.row"))
        axes.set_yticks(range(5))
        axes.set_title(text(f"residual_norm.gamma.{name}"), loc="left")
        axes.axvline(0, color=style.GRID, linewidth=1)
    dots, firsts, means = [], [], []
    for axes in stages:
        dots += axes.plot([], [], "o", color=style.MUTED, markersize=4)
        firsts += axes.plot([], [], "^", color=style.BACKGROUND, markersize=6, markeredgecolor=style.TEXT)
        means += axes.plot([], [], "|", color=style.TEXT, markersize=11, markeredgewidth=2)

    def draw(stage: int, values: np.ndarray) -> None:
        dots[stage].set_data(values[:, 1:], heights[:, 1:])
        firsts[stage].set_data(values[:, 0], heights[:, 0])
        means[stage].set_data(values.mean(axis=-1), np.arange(5))

    draw(0, rows)
    draw(1, layer_norm(rows, np.ones(8), np.zeros(8), EPS))
    explorer.moving(dots[2], firsts[2], means[2])

    @explorer.frame
    def frame(gamma: float, beta: float, which: str) -> str:
        scale, shift = np.ones(8), np.zeros(8)
        chosen = slice(None) if which == "all" else 0
        scale[chosen], shift[chosen] = gamma, beta
        out = layer_norm(rows, scale, shift, EPS)
        draw(2, out)
        return text(
            f"residual_norm.gamma.caption_{which}",
            gamma=number(gamma, 1),
            beta=number(beta, 1),
            means=", ".join(number(v, 2) for v in out.mean(axis=-1)),
            deviations=", ".join(number(v, 2) for v in out.std(axis=-1)),
        )

    return explorer


def disturb_a_row(layer_norm: Norm = layer_norm) -> Explorer:
    """Who notices when one row is pushed: layer norm (the reader's own, if given) beside the same by columns."""
    explorer = Explorer(
        "residual_norm.disturb",
        figsize=(9, 3.4),
        controls=[
            Slider("push", -20, 20, steps=41, value=0),
            Slider("row", 0, 4, steps=5, value=4),
            Choice("shape", ["uniform", "ramp"], value="uniform"),
        ],
        tour=[{"push": push, "shape": shape} for shape in ("uniform", "ramp") for push in range(-20, 21)]
        + [{"push": 10, "row": row, "shape": shape} for shape in ("uniform", "ramp") for row in range(5)],
        strip=[{"push": 10}, {"push": 20}, {"push": 10, "shape": "ramp"}, {"push": 10, "row": 1, "shape": "ramp"}],
    )
    by_rows, by_columns, largest = explorer.figure.subplots(1, 3, width_ratios=(1, 1, 1.1))
    maps, frames = [], []
    for axes, name in ((by_rows, "rows"), (by_columns, "columns")):
        maps.append(axes.imshow(np.zeros((5, 8)), cmap=style.HEAT, vmin=0, vmax=3.5, aspect="auto"))
        axes.set(
            title=text(f"residual_norm.disturb.{name}"),
            xlabel=text("residual_norm.disturb.coordinate"),
            ylabel=text("residual_norm.disturb.row"),
        )
        axes.set_xticks(range(8))
        axes.set_yticks(range(5))
        frames.append(axes.add_patch(Rectangle((-0.47, 3.52), 7.94, 0.96, fill=False, edgecolor=style.ACCENT, linewidth=3)))
    heights = np.arange(5)
    row_bars = largest.barh(heights - 0.2, np.zeros(5), 0.38, color=style.TEXT, label=text("residual_norm.disturb.rows"))
    column_bars = largest.barh(
        heights + 0.2,
        np.zeros(5),
        0.38,
        color=style.RAW,
        hatch="//",
        edgecolor=style.BACKGROUND,
        label=text("residual_norm.disturb.columns"),
    )
    largest.set(xlim=(0, 4), ylim=(4.6, -0.6), title=text("residual_norm.disturb.largest"), ylabel=text("residual_norm.disturb.row"))
    explorer.figure.legend(handles=[row_bars, column_bars], loc="outside lower right", ncols=2)
    explorer.moving(*maps, *frames, *row_bars, *column_bars)

    @explorer.frame
    def frame(push: float, row: int, shape: str) -> str:
        tables = changes(row, push, shape, layer_norm)
        for image, table, bars in zip(maps, tables, (row_bars, column_bars), strict=True):
            image.set_data(table)
            for bar, width in zip(bars, table.max(axis=-1), strict=True):
                bar.set_width(width)
        for rectangle in frames:
            rectangle.set_y(row - 0.48)
        others = np.arange(5) != row
        return text(
            f"residual_norm.disturb.caption_{shape}",
            push=number(push),
            row=number(row),
            others_rows=number(tables[0][others].max(), 3),
            others_columns=number(tables[1][others].max(), 3),
            self_rows=number(tables[0][row].max(), 3),
            self_columns=number(tables[1][row].max(), 3),
        )

    explorer.guess = Guess("itself", 0, 4, step=0.1, truth=0.0, axes=largest, axis="x")
    return explorer


def similarity_with_depth() -> Explorer:
    """How alike the rows become with depth: with and without the sum, the norm's place, the MLP."""
    explorer = Explorer(
        "residual_norm.similarity",
        figsize=(9, 3.6),
        controls=[
            Slider("depth", 1, BLOCKS, steps=BLOCKS, value=DEPTH),
            Choice("norm", ["none", "post", "pre"], value="post"),
            Switch("residual", value=True),
            Switch("mlp", value=False),
        ],
        tour=[
            {"depth": depth, "norm": norm, "residual": residual, "mlp": mlp}
            for norm in ("post", "pre", "none")
            for residual in (True, False)
            for mlp in (False, True)
            for depth in range(1, BLOCKS + 1)
        ],
        strip=[
            {"residual": False, "depth": 2},
            {"depth": 4},
            {"norm": "pre"},
            {"norm": "pre", "mlp": True},
        ],
    )
    curves, table = explorer.figure.subplots(1, 2, width_ratios=(1.9, 1))
    curves.set(
        xlim=(0, BLOCKS), ylim=(-0.03, 1.03), xlabel=text("residual_norm.similarity.block"), ylabel=text("residual_norm.similarity.cosine")
    )
    lines = [
        curves.plot([], [], look, color=colour, markersize=3.5, label=text(f"residual_norm.similarity.{name}"))[0]
        for look, colour, name in (("--D", style.RAW, "without"), ("-o", style.TEXT, "with"))
    ]
    (point,) = curves.plot([], [], "o", color=style.ACCENT, markersize=9)
    image = table.imshow(np.zeros((8, 8)), cmap=style.HEAT, vmin=0, vmax=1)
    table.set(
        title=text("residual_norm.similarity.table"),
        xlabel=text("residual_norm.similarity.token"),
        ylabel=text("residual_norm.similarity.token"),
    )
    table.set_xticks(range(8))
    table.set_yticks(range(8))
    explorer.figure.legend(handles=lines[::-1], loc="outside lower left", ncols=2)
    explorer.moving(*lines, point, image)

    @explorer.frame
    def frame(depth: int, norm: str, residual: bool, mlp: bool) -> str:
        means = [similarity_by_layer(norm=norm, residual=on, mlp=mlp) for on in (False, True)]
        for line, mean in zip(lines, means, strict=True):
            line.set_data(np.arange(BLOCKS + 1), mean)
        point.set_data([depth], [means[residual][depth]])
        image.set_data(np.abs(cosines_by_layer(norm, residual, mlp)[depth]))
        return text(
            "residual_norm.similarity.caption",
            depth=number(depth),
            norm=text(f"residual_norm.similarity.options.norm.{norm}"),
            parts=text(f"residual_norm.similarity.parts_{'both' if mlp else 'alone'}"),
            sum=text(f"residual_norm.similarity.{'with' if residual else 'without'}"),
            opposite_sum=text(f"residual_norm.similarity.{'without' if residual else 'with'}"),
            mean=number(means[residual][depth], 3),
            opposite=number(means[not residual][depth], 3),
        )

    return explorer


EXPLORERS = {
    "depth": derivative_by_depth,
    "paths": paths_by_length,
    "growth": growth_with_depth,
    "gamma": gamma_and_beta,
    "disturb": disturb_a_row,
    "similarity": similarity_with_depth,
}


def _depths_and_sizes() -> list[dict[str, Any]]:
    """A tour: every depth at the size that is there, then every size at two depths, with and without the sum."""
    sizes = np.round(np.linspace(*SIZES), 4).tolist()
    return [{"depth": k, "residual": on} for on in (True, False) for k in range(1, DEEPEST + 1)] + [
        {"size": size, "depth": k, "residual": on} for on in (True, False) for k in (DEPTH, DEEPEST) for size in sizes
    ]


def _power(exponent: int) -> str:
    """A tick of a logarithmic axis as the course writes it: 1, 100, 1e−20."""
    return number(10.0**exponent, significant=1)
