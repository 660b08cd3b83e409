"""Lesson 3, several heads: what one softmax per row cannot say, and what the split costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

import bloque
from bloque.explore import Choice, Explorer, Guess, Powers, Slider, style
from bloque.texts import entry, number, text

TOKENS = 8  # in the duel and in the maps of random heads
FIRST, SECOND = 2, 5  # the tokens that the two rules of the duel point at
HEADS_TRIED = (1, 2, 4, 8, 16)

# One colour a token in the figures about shapes; each cell also carries its number.
TOKEN_COLOURS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7")


def rule(token: int, strength: float, n: int = TOKENS) -> np.ndarray:
    """The scores of a rule that points at one token: ``strength`` there and 0 elsewhere, (n,)."""
    scores = np.zeros(n)
    scores[token] = strength
    return scores


def one_head(strong: float, weak: float, softmax: Callable[[Any], Any] = bloque.softmax) -> np.ndarray:
    """Two rules added into one row of scores: the single distribution that comes out, (n,)."""
    return np.asarray(softmax(rule(FIRST, strong) + rule(SECOND, weak)))


def two_heads(strong: float, weak: float, softmax: Callable[[Any], Any] = bloque.softmax) -> np.ndarray:
    """The same two rules in a head each: two distributions, (2, n)."""
    return np.asarray(softmax(np.stack([rule(FIRST, strong), rule(SECOND, weak)])))


def attention_weights_count(d_model: int) -> int:
    """Weights in W^Q, W^K, W^V and W^O together; the number of heads does not enter."""
    return bloque.count_parameters(d_model, 1, 1).attention


def wide_heads_count(d_model: int, heads: int) -> int:
    """The same count when every head keeps the full width: heads · d_model columns in each projection."""
    return 4 * d_model * (heads * d_model)


def operations(n: Any, d_model: int) -> dict[str, Any]:
    """Multiplications of one layer over n tokens, as Vaswani et al. (2017), table 1, counts them, and whole.

    ``mixing``: n²·d, scores or weighted sum alone. ``recurrence``: n·d², one matrix a step.
    ``whole``: 4nd² + 2n²d, the four projections, the scores and the weighted sum.
    """
    return {
        "mixing": n**2 * d_model,
        "recurrence": n * d_model**2,
        "whole": 4 * n * d_model**2 + 2 * n**2 * d_model,
    }


def head_of_columns(d_model: int, heads: int) -> np.ndarray:
    """Which head each column belongs to, (d_model,): consecutive blocks of d_model/heads columns."""
    return np.repeat(np.arange(heads), d_model // heads)


def reshaped_straight(x: np.ndarray, heads: int) -> np.ndarray:
    """The frequent mistake, (n, d_model) -> (heads, n, d_head) with a reshape alone: it mixes tokens."""
    n, d_model = x.shape
    return x.reshape(heads, n, d_model // heads)


def duel(softmax: Callable[[Any], Any] = bloque.softmax) -> Explorer:
    """Two rules in one softmax against two heads; ``softmax`` may be the learner's own."""
    where = "multi_head.duel"
    explorer = Explorer(
        where,
        figsize=(9, 3.4),
        controls=[
            Slider("strength", 0, 10, step=0.5, value=6),
            Slider("gap", 0, 8, step=0.5, value=0),
        ],
        tour=[{"strength": s, "gap": g} for s in (3, 6, 9) for g in np.arange(0, 8.5, 0.5)]
        + [{"strength": s, "gap": 4.0} for s in np.arange(0, 10.5, 0.5)]
        + [{"strength": s, "gap": 0.0} for s in np.arange(0, 10.5, 0.5)],
        strip=[{"strength": 6, "gap": g} for g in (0, 1, 2, 4)],
    )
    single, first, second = explorer.figure.subplots(1, 3, sharey=True)
    words = entry(f"{where}.tokens")
    bars = []
    for axes, name in ((single, "one"), (first, "first"), (second, "second")):
        axes.set(title=text(f"{where}.{name}"), ylim=(0, 1.12), yticks=(0, 0.5, 1))
        axes.set_xticks(range(TOKENS), words, rotation=45, ha="right")
        axes.axhline(1 / TOKENS, color=style.MUTED, linestyle=":", linewidth=1)
        container = axes.bar(range(TOKENS), np.zeros(TOKENS), color=style.WEIGHTS, width=0.7)
        container[FIRST].set_hatch("//")
        container[SECOND].set_hatch("..")
        bars.append(container)
    single.set_ylabel(text(f"{where}.weight"))
    labels = [
        (axes.text(token, 0, "", ha="center", va="bottom", fontsize=9), row, token)
        for row, axes, tokens in ((0, single, (FIRST, SECOND)), (1, first, (FIRST,)), (2, second, (SECOND,)))
        for token in tokens
    ]
    explorer.moving(*(bar for container in bars for bar in container), *(label for label, _, _ in labels))

    @explorer.frame
    def frame(strength: float, gap: float) -> str:
        weak = strength - gap
        alone = one_head(strength, weak, softmax)
        apart = two_heads(strength, weak, softmax)
        rows = (alone, apart[0], apart[1])
        for container, row in zip(bars, rows, strict=True):
            for bar, weight in zip(container, row, strict=True):
                bar.set_height(weight)
        for label, row, token in labels:
            label.set(y=rows[row][token] + 0.02, text=number(rows[row][token], 3))
        return text(
            f"{where}.caption",
            strong=number(strength, 1),
            weak=number(weak, 1),
            first=number(alone[FIRST], 3),
            second=number(alone[SECOND], 3),
            own_first=number(apart[0, FIRST], 3),
            own_second=number(apart[1, SECOND], 3),
        )

    explorer.guess = Guess("second", 0, 1, step=0.01, truth=float(one_head(6, 2, softmax)[SECOND]), axes=single, axis="y")
    return explorer


def columns(d_model: int = 512, seed: int = 0) -> Explorer:
    """Heads slider: the columns split, one map a head, and the count of weights that does not move."""
    where = "multi_head.columns"
    x = np.random.default_rng(seed).standard_normal((TOKENS, d_model))
    parameters = bloque.multi_head_parameters(d_model, 1, bias=False, seed=seed)
    maps = {heads: bloque.multi_head_attention(x, parameters, heads)[1] for heads in HEADS_TRIED}
    explorer = Explorer(where, figsize=(9, 3.9), controls=[Powers("heads", 1, HEADS_TRIED[-1], value=1)])
    explorer.figure.set_layout_engine("none")  # placed by hand: the maps must stay square and aligned
    strip = explorer.figure.add_axes((0.01, 0.74, 0.62, 0.17))
    strip.set(title=text(f"{where}.strip", d_model=d_model), yticks=(), xlim=(0, d_model), xticks=())
    shades = strip.imshow(np.zeros((1, d_model)), aspect="auto", extent=(0, d_model, 0, 1), cmap="cividis", vmin=0, vmax=1)
    drawn = [_draw_head(explorer.figure, strip, head) for head in range(HEADS_TRIED[-1])]
    narrow, wide, here = _draw_counts(explorer.figure.add_axes((0.735, 0.145, 0.25, 0.765)), d_model)
    explorer.moving(shades, *drawn, narrow, wide, here)

    @explorer.frame
    def frame(heads: int) -> str:
        shades.set_data((head_of_columns(d_model, heads) % 2 * 0.3 + 0.1)[None, :])
        for head, (image, name, label) in enumerate(drawn):
            shown = head < heads
            for artist in (image, name, label):
                artist.set_visible(shown)
            if shown:
                image.set_data(maps[heads][head])
                label.set_x((head + 0.5) * d_model / heads)
        tried = [h for h in HEADS_TRIED if h <= heads]  # the lines grow with the slider: nothing is told before it is asked
        count = attention_weights_count(d_model)
        narrow.set_data(tried, [count] * len(tried))
        wide.set_data(tried, [wide_heads_count(d_model, h) for h in tried])
        here.set_data([heads], [count])
        return text(
            f"{where}.caption_one" if heads == 1 else f"{where}.caption",
            heads=heads,
            width=d_model // heads,
            count=number(count),
            wide=number(wide_heads_count(d_model, heads)),
        )

    explorer.guess = Guess("ratio", 0, 16, step=0.5, truth=1.0)
    return explorer


def _draw_head(figure: Any, strip: Any, head: int) -> tuple[Any, Any, Any]:
    """A head's map, the number over it, and the same number over its columns: eight maps to a line."""
    axes = figure.add_axes((0.01 + 0.079 * (head % 8), 0.46 - 0.29 * (head // 8), 0.066, 0.066 * 9 / 3.9))
    axes.axis("off")
    image = axes.imshow(np.zeros((TOKENS, TOKENS)), cmap=style.HEAT, vmin=0, vmax=0.6)
    name = axes.text(0.5, 1.03, str(head + 1), transform=axes.transAxes, ha="center", va="bottom", fontsize=8.5)
    label = strip.text(0, 0.5, str(head + 1), ha="center", va="center", fontsize=8.5, color="white")
    return image, name, label


def _draw_counts(axes: Any, d_model: int) -> tuple[Any, Any, Any]:
    """The weights against the number of heads, as the paper splits them and with heads of full width: lines, still empty."""
    where = "multi_head.columns"
    least, most = attention_weights_count(d_model), wide_heads_count(d_model, HEADS_TRIED[-1])
    axes.set(title=text(f"{where}.count"), xlabel=text(f"{where}.heads"))
    axes.set(xscale="log", xlim=(0.8, 20), yscale="log", ylim=(least / 2, most * 2.5))
    axes.set_xticks(HEADS_TRIED, [str(heads) for heads in HEADS_TRIED])
    axes.minorticks_off()
    axes.set_yticks([2.0**20, 2.0**22, 2.0**24], ["1 M", "4 M", "17 M"])
    axes.text(16, least * 1.18, text(f"{where}.narrow"), ha="right", va="bottom", color=style.WEIGHTS, fontsize=9)
    axes.text(1, most * 1.3, text(f"{where}.wide"), ha="left", va="bottom", color=style.TEXT, fontsize=9)
    (narrow,) = axes.plot([], [], color=style.WEIGHTS, marker="o", linewidth=2)
    (wide,) = axes.plot([], [], color=style.MUTED, marker="s", linestyle="--", linewidth=1.5)
    (here,) = axes.plot([1], [least], color=style.ACCENT, marker="D", markersize=10, linestyle="none", markeredgecolor=style.TEXT)
    return narrow, wide, here


def shapes() -> Explorer:
    """Reshape against transpose: the colours and numbers of four tokens followed into the heads."""
    where = "multi_head.shapes"
    n, d_model = 4, 6
    x = np.arange(n * d_model).reshape(n, d_model)
    explorer = Explorer(
        where,
        figsize=(9, 2.15),
        controls=[Choice("heads", [1, 2, 3, 6], value=3), Choice("way", ["transpose", "straight"], value="transpose")],
        strip=[{"heads": h, "way": w} for h in (2, 3) for w in ("transpose", "straight")],
    )
    explorer.figure.set_layout_engine("none")
    axes = explorer.figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-1.9, 22.1), ylim=(4.5, -1.05), aspect="equal")
    axes.axis("off")
    for token in range(n):
        axes.text(-0.15, token + 0.5, text(f"{where}.token", number=token), ha="right", va="center", fontsize=9)
    axes.text(3, -0.25, text(f"{where}.input"), ha="center", va="bottom", fontsize=10)
    for (row, column), value in np.ndenumerate(x):
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor=TOKEN_COLOURS[row], edgecolor="white"))
        axes.text(column + 0.5, row + 0.5, str(value), ha="center", va="center", fontsize=9)
    axes.annotate("", (8.3, 2), (6.4, 2), arrowprops={"arrowstyle": "-|>", "color": style.TEXT})
    cells = [Rectangle((0, 0), 1, 1, edgecolor="white") for _ in range(x.size)]
    values = [axes.text(0, 0, "", ha="center", va="center", fontsize=9) for _ in range(x.size)]
    titles = [axes.text(0, -0.25, "", ha="center", va="bottom", fontsize=10) for _ in range(6)]
    for cell in cells:
        axes.add_patch(cell)
    explorer.moving(*cells, *values, *titles)

    @explorer.frame
    def frame(heads: int, way: str) -> str:
        split = bloque.split_heads(x, heads) if way == "transpose" else reshaped_straight(x, heads)
        width = d_model // heads
        for cell, value, (head, row, column) in zip(cells, values, np.ndindex(heads, n, width), strict=True):
            content = int(split[head, row, column])
            left = 9 + head * (width + 1.2) + column
            cell.set(x=left, y=row, facecolor=TOKEN_COLOURS[content // d_model])
            value.set(x=left + 0.5, y=row + 0.5, text=str(content))
        for head, title in enumerate(titles):
            title.set_visible(head < heads)
            if head < heads:
                left = 9 + head * (width + 1.2)
                title.set(x=left + width / 2, text=text(f"{where}.head" if width > 1 else f"{where}.short_head", number=head))
        mixed = sum(len(set((row // d_model).tolist())) > 1 or row[0] // d_model != r for head in split for r, row in enumerate(head))
        return text(f"{where}.caption_{way}", heads=heads, first=_rows(split[0]), mixed=mixed, rows=heads * n)

    return explorer


def _rows(matrix: np.ndarray) -> str:
    return ", ".join("(" + ", ".join(str(v) for v in row) + ")" for row in matrix.tolist())


def cost() -> Explorer:
    """What attention and recurrence cost against the length, with the crossing at n = d_model."""
    where = "multi_head.cost"
    lengths = np.geomspace(16, 65536, 145)
    explorer = Explorer(
        where,
        figsize=(9, 3.6),
        controls=[
            Powers("n", 16, 65536, value=1024),
            Choice("d_model", [256, 512, 1024], value=512),
        ],
        strip=[{"n": n, "d_model": 512} for n in (64, 512, 4096, 32768)],
    )
    axes = explorer.figure.subplots()
    style.decades(axes.yaxis, range(5, 14, 2))
    axes.set(xscale="log", xlim=(16, 65536), ylim=(3e4, 2e13), xlabel=text(f"{where}.length"), ylabel=text(f"{where}.operations"))
    ticks = [16, 64, 256, 1024, 4096, 16384, 65536]
    axes.set_xticks(ticks, [number(t) for t in ticks])
    axes.minorticks_off()
    axes.grid(color=style.GRID, linewidth=0.8)
    styles: dict[str, dict[str, Any]] = {
        "mixing": {"color": style.WEIGHTS, "linestyle": "-", "linewidth": 2},
        "recurrence": {"color": style.KEYS, "linestyle": "--", "linewidth": 2},
        "whole": {"color": style.TEXT, "linestyle": "-.", "linewidth": 1.5},
    }
    lines = {name: axes.plot([], [], label=text(f"{where}.{name}"), **look)[0] for name, look in styles.items()}
    axes.legend(loc="upper left", frameon=False)
    crossing = axes.axvline(512, color=style.MUTED, linestyle=":", linewidth=1.5)
    crossing_label = axes.text(512, 4.5e4, "", ha="left", va="bottom", fontsize=9)
    dots = {name: axes.plot([], [], marker="o", markersize=8, markeredgecolor=style.TEXT, color=look["color"], linestyle="none")[0]
            for name, look in styles.items()}  # fmt: skip
    explorer.moving(*lines.values(), crossing, crossing_label, *dots.values())

    @explorer.frame
    def frame(n: int, d_model: int) -> str:
        curves, here = operations(lengths, d_model), operations(float(n), d_model)
        for name, line in lines.items():
            line.set_data(lengths, curves[name])
            dots[name].set_data([n], [here[name]])
        crossing.set_xdata([d_model, d_model])
        crossing_label.set(x=d_model * 1.08, text=f"n = d = {d_model}")
        return text(
            f"{where}.caption",
            n=number(int(n)),
            d_model=d_model,
            scores=number(int(n) ** 2),
            mixing=number(here["mixing"], significant=3),
            recurrence=number(here["recurrence"], significant=3),
            ratio=number(here["mixing"] / here["recurrence"], significant=3),
            whole=number(here["whole"], significant=3),
        )

    return explorer


EXPLORERS = {"duel": duel, "columns": columns, "shapes": shapes, "cost": cost}
