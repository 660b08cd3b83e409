"""Lesson 5, the full block: the position-wise network, the counts, order, masks, the paper's drawing, depth."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import FancyBboxPatch

import bloque
from bloque.explore import Choice, Explorer, Guess, Powers, Slider, Switch, style
from bloque.files import data_file
from bloque.texts import number, text


class Preset(NamedTuple):
    """The sizes of a published model, what stands round its blocks, and the figure its paper gives."""

    d_model: int
    heads: int
    d_ff: int
    layers: int
    around: dict[str, Any]
    published: str


_BERT = {"attention_bias": True, "vocabulary": 30522, "positions": 512, "types": 2, "embedding_norm": True, "pooler": True}
_GPT2 = {"attention_bias": True, "vocabulary": 50257, "positions": 1024, "final_norm": True}
_PAPER = {"attention_bias": True, "vocabulary": 37000, "decoder_layers": 6}

# Sizes: Vaswani et al. (2017), table 3; Devlin et al. (2018), section 3; Radford et al. (2019), table 2.
# The tables round the blocks are those of the released checkpoints' configuration files.
PRESETS = {
    "paper_base": Preset(512, 8, 2048, 6, _PAPER, "65M"),
    "paper_big": Preset(1024, 16, 4096, 6, _PAPER, "213M"),
    "bert_base": Preset(768, 12, 3072, 12, _BERT, "110M"),
    "bert_large": Preset(1024, 16, 4096, 24, _BERT, "340M"),
    "gpt2": Preset(768, 12, 3072, 12, _GPT2, "117M"),
    "gpt2_medium": Preset(1024, 16, 4096, 24, _GPT2, "345M"),
    "gpt2_large": Preset(1280, 20, 5120, 36, _GPT2, "762M"),
    "gpt2_xl": Preset(1600, 25, 6400, 48, _GPT2, "1542M"),
}


def preset_name(name: str) -> str:
    """A published model as the reader's language calls it."""
    return text(f"full_block.counting.options.model.{name}")


def preset_parameters(name: str) -> bloque.ParameterCount:
    """The parameters of a published model, part by part."""
    preset = PRESETS[name]
    return bloque.count_parameters(preset.d_model, preset.heads, preset.d_ff, preset.layers, **preset.around)


def memory(n: int, d_model: int, heads: int, layers: int, parameters: int) -> dict[str, int]:
    """Bytes in float32: the parameters, the attention maps and one (n, d_model) array a layer."""
    return {"parameters": 4 * parameters, "maps": 4 * layers * heads * n * n, "rows": 4 * layers * n * d_model}


SCORES = np.array([[1.2, 0.3, -0.4], [2.0, 1.0, 0.5], [0.4, 1.5, 0.9]])  # (n_q, n_k), not symmetric


def mask_before(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """−∞ where the mask is closed, then softmax: the right way."""
    return bloque.softmax(np.where(mask, scores, -np.inf))


def mask_multiplied(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Closed scores multiplied by 0: but 0 is a score like any other, and e⁰ is 1."""
    return bloque.softmax(scores * mask)


def mask_after(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Closed weights set to 0 after the softmax: the rows no longer add up to 1."""
    return bloque.softmax(scores) * mask


def mask_renormalised(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Masked after the softmax and divided by the sum of the row: the same as before it."""
    weights = mask_after(scores, mask)
    return weights / weights.sum(axis=-1, keepdims=True)


WAYS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "before": mask_before,
    "multiplied": mask_multiplied,
    "after": mask_after,
    "renormalised": mask_renormalised,
}


def leak(weights: np.ndarray, mask: np.ndarray) -> float:
    """The weight that closed places still get, in all rows together."""
    return float(weights[~mask].sum())


D_MODEL, HEADS, D_FF, TOKENS = 64, 4, 256, 8  # the small stacks whose gradients are drawn
DEPTHS = tuple(range(4, 49, 4))
SEEDS = tuple(range(5))


def gradients_by_block(norm: str, depths: Sequence[int], seed: int) -> dict[int, np.ndarray]:
    """For each depth, the norm of ∂W2 in every block of a stack fresh from its initialiser.

    The loss is the scalar product of the output with a fixed random matrix of norm √d_model, and a
    pre-norm stack ends in a layer norm, as in practice. Exact gradients (`bloque.encoder_backward`).
    Returns {depth: (depth,)}, first block first.
    """
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((TOKENS, D_MODEL))
    direction = rng.standard_normal((TOKENS, D_MODEL)) / np.sqrt(TOKENS)
    outputs, kept = [], []
    for block in range(max(depths)):  # the first blocks are the same however many come after them
        parameters = bloque.block_parameters(D_MODEL, HEADS, D_FF, seed=1000 * seed + block)
        x, of_block = bloque.encoder_block_forward(x, parameters, HEADS, norm=norm)
        outputs.append(x)
        kept.append(of_block)
    found = {}
    for depth in depths:
        gradient = direction
        if norm == "pre":
            gradient, _ = bloque.layer_norm_backward(gradient, outputs[depth - 1])
        _, by_block = bloque.encoder_backward(gradient, kept[:depth])
        found[depth] = np.array([np.linalg.norm(block.feed_forward.W2) for block in by_block])
    return found


@functools.cache
def stored_gradients() -> dict[str, dict[int, np.ndarray]]:
    """`gradients_by_block` for every depth and seed, from data/depth_gradients.json (tools/make_depth.py).

    Returns {norm: {depth: (seeds, depth)}}.
    """
    stored = json.loads(data_file("depth_gradients.json").read_text(encoding="utf-8"))
    return {norm: {int(depth): np.array(rows) for depth, rows in depths.items()} for norm, depths in stored["gradients"].items()}


PARTS = {
    "parameters": ("attention", "feed_forward", "norms", "embeddings", "positions", "types", "pooler"),
    "operations": ("projections", "scores", "weighted_sum", "feed_forward"),
    "memory": ("parameters", "maps", "rows"),
}
LIMITS = {"parameters": (1e3, 1e11), "operations": (1e6, 3e15), "memory": (1e4, 1e14)}


def counting() -> Explorer:
    """Sizes or a published model: parameters, multiplications and memory, part by part."""
    where = "full_block.counting"
    explorer = Explorer(
        where,
        figsize=(9, 4.4),
        controls=[
            Choice("model", ["own", *PRESETS], value="own"),
            Slider("d_model", 64, 2048, step=64, value=512),
            Powers("heads", 1, 64, value=8),
            Slider("d_ff", 64, 8192, step=64, value=2048),
            Slider("layers", 1, 48, value=6),
            Powers("n", 16, 8192, value=512),
        ],
        tour=[{"model": name} for name in ("own", *PRESETS)]
        + [{"d_model": d} for d in range(64, 2049, 64)]
        + [{"layers": layers} for layers in range(1, 49)]
        + [{"n": 2**k} for k in range(4, 14)]
        + [{"heads": 2**k} for k in range(7)],
        strip=[{"model": name} for name in ("own", "paper_base", "bert_base", "gpt2")],
    )
    colours = {"parameters": style.WEIGHTS, "operations": style.QUERIES, "memory": style.VALUES}
    drawn = {}
    for axes, group in zip(explorer.figure.subplots(1, 3, width_ratios=(1.2, 1, 1.12)), PARTS, strict=True):
        axes.set_title(text(f"{where}.{group}"))
        names = [text(f"{where}.parts.{name}") for name in PARTS[group]]
        drawn[group] = _draw_amounts(axes, names, LIMITS[group], colours[group])
    explorer.moving(*(artist for pairs in drawn.values() for pair in pairs for artist in pair))

    @explorer.frame
    def frame(model: str, d_model: int, heads: int, d_ff: int, layers: int, n: int) -> str:
        around: dict[str, Any] = {"attention_bias": True}
        if model != "own":
            d_model, heads, d_ff, layers, around, _ = PRESETS[model]
        parameters = bloque.count_parameters(d_model, heads, d_ff, layers, **around)
        all_layers = layers + around.get("decoder_layers", 0)
        operations = bloque.count_operations(n, d_model, heads, d_ff, all_layers)
        stored = memory(n, d_model, heads, all_layers, parameters.total)
        amounts = {"parameters": parameters._asdict(), "operations": operations._asdict(), "memory": stored}
        for group, pairs in drawn.items():
            units = BYTES if group == "memory" else COUNTS
            for (bar, label), name in zip(pairs, PARTS[group], strict=True):
                amount, low = amounts[group][name], LIMITS[group][0]
                bar.set_width(max(amount - low, 0.0))
                label.set(x=max(amount, low) * 1.3, text=short(amount, units) if amount else "–")
        told: dict[str, Any] = {
            "d_model": d_model, "heads": heads, "d_ff": number(d_ff), "layers": layers, "n": number(n),
            "total": number(parameters.total), "operations": short(operations.total), "memory": short(sum(stored.values()), BYTES),
        }  # fmt: skip
        if model == "own":
            return text(f"{where}.caption", **told)
        reason = text(f"{where}.reasons.{model}")
        return text(f"{where}.caption_model", name=preset_name(model), published=PRESETS[model].published, reason=reason, **told)

    share = bloque.count_parameters(512, 8, 2048)
    explorer.guess = Guess("share", 0, 100, step=1, truth=round(100 * share.feed_forward / share.total, 1))
    return explorer


def _draw_amounts(axes: Any, names: Sequence[str], limits: tuple[float, float], colour: str) -> list[tuple[Any, Any]]:
    """A row for each part, on a logarithmic scale: its bar, and its amount in words behind it."""
    low = limits[0]
    axes.set(xscale="log", xlim=limits, ylim=(len(names) - 0.4, -0.6), xticks=())
    axes.minorticks_off()
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    bars = axes.barh(range(len(names)), [low] * len(names), left=low, height=0.62, color=colour)
    labels = [axes.text(low, row, "", va="center", ha="left", fontsize=9) for row in range(len(names))]
    return list(zip(bars, labels, strict=True))


# Each a thousand times the one before: thousands (k), millions (M), thousands of millions (G), millions of millions (T).
COUNTS = ("", "k", "M", "G", "T")
BYTES = ("B", "kB", "MB", "GB", "TB")


def short(amount: float, units: Sequence[str] = COUNTS) -> str:
    """A large amount to three significant digits, in the largest of the units that leaves at least 1 before the point."""
    exponent = int(f"{amount:.2e}".partition("e")[2])  # once rounded: 999 999 is 1.00 M, and not 1000 k
    step = min(max(exponent // 3, 0), len(units) - 1)
    written = number(amount / 1000**step, significant=3) if step else number(amount)
    return f"{written} {units[step]}".strip()


def positions() -> Explorer:
    """The sinusoidal encoding as a map, and the product of two rows, which only their distance decides."""
    where = "full_block.positions"
    n, reach = 64, 24
    explorer = Explorer(
        where,
        figsize=(9, 3.6),
        controls=[Slider("position", 0, n - 1, value=10), Choice("d_model", [16, 32, 64], value=16)],
        strip=[
            {"position": 10, "d_model": 16},
            {"position": 40, "d_model": 16},
            {"position": 10, "d_model": 64},
            {"position": 40, "d_model": 64},
        ],
    )
    left, right = explorer.figure.subplots(1, 2, width_ratios=(1, 1.35))
    tables = {d: bloque.positional_encoding(n + reach, d) for d in (16, 32, 64)}
    left.set(title=text(f"{where}.table"), xlabel=text(f"{where}.column"), ylabel=text(f"{where}.position"), xticks=())
    image = left.imshow(np.zeros((n, 64)), cmap="cividis", vmin=-1, vmax=1, aspect="auto", extent=(0, 1, n - 0.5, -0.5))
    explorer.figure.colorbar(image, ax=left, ticks=(-1, 0, 1), fraction=0.06)
    (row,) = left.plot([0, 1], [0, 0], color=style.KEYS, linewidth=2.5, linestyle="-")
    right.set(
        title=text(f"{where}.products"),
        xlabel=text(f"{where}.distance"),
        xlim=(-0.5, reach + 0.5),
        ylim=(-12, 35),
        ylabel=text(f"{where}.product"),
    )
    right.axhline(0, color=style.MUTED, linewidth=1)
    right.grid(color=style.GRID)
    (curve,) = right.plot([], [], color=style.QUERIES, marker="o", markersize=5)
    (fifth,) = right.plot([], [], color=style.ACCENT, marker="D", markersize=9, markeredgecolor=style.TEXT, linestyle="none")
    label = right.text(5, 0, "", ha="left", va="bottom", fontsize=9)
    explorer.moving(image, row, curve, fifth, label)

    @explorer.frame
    def frame(position: int, d_model: int) -> str:
        table = tables[d_model]
        image.set_data(table[:n])
        row.set_ydata([position, position])
        products = table[position : position + reach + 1] @ table[position]
        curve.set_data(np.arange(reach + 1), products)
        fifth.set_data([5], [products[5]])
        label.set(x=5.6, y=products[5] + 0.8, text=number(float(products[5]), 3))
        return text(
            f"{where}.caption",
            position=position,
            d_model=d_model,
            itself=number(float(products[0]), 3),
            fifth=number(float(products[5]), 3),
        )

    return explorer


def masks() -> Explorer:
    """One row of scores closed in four ways: only −∞ before the softmax (or dividing again after) is right."""
    where = "full_block.masks"
    explorer = Explorer(
        where,
        figsize=(9, 3.4),
        controls=[Choice("way", list(WAYS), value="before"), Slider("query", 1, 3, value=2)],
        strip=[{"way": way, "query": 2} for way in WAYS],
    )
    left, right = explorer.figure.subplots(1, 2, width_ratios=(1, 1.4))
    mask = bloque.causal_mask(3)
    left.set(title=text(f"{where}.weights"), xlabel=text(f"{where}.key"), ylabel=text(f"{where}.query"))
    left.set_xticks(range(3), ["1", "2", "3"])
    left.set_yticks(range(3), ["1", "2", "3"])
    image = left.imshow(np.zeros((3, 3)), cmap=style.HEAT, vmin=0, vmax=1, aspect="auto")
    cells = [[left.text(j, i, "", ha="center", va="center", fontsize=11) for j in range(3)] for i in range(3)]
    (frame_line,) = left.plot([], [], color=style.ACCENT, linewidth=3)
    right.set(title=text(f"{where}.row"), ylim=(0, 1.15), xlim=(-0.6, 3.6), yticks=(0, 0.5, 1))
    right.set_xticks(range(4), [*(text(f"{where}.token", number=i) for i in (1, 2, 3)), text(f"{where}.sum")])
    right.axhline(1, color=style.MUTED, linestyle=":", linewidth=1.2)
    bars = right.bar(range(4), np.zeros(4), color=[style.WEIGHTS] * 3 + [style.MUTED], width=0.6)
    numbers = [right.text(i, 0, "", ha="center", va="bottom") for i in range(4)]
    explorer.moving(image, *(cell for line in cells for cell in line), frame_line, *bars, *numbers)

    @explorer.frame
    def frame(way: str, query: int) -> str:
        weights = WAYS[way](SCORES, mask)
        image.set_data(weights)
        for i, line in enumerate(cells):
            for j, cell in enumerate(line):
                cell.set(text=number(float(weights[i, j]), 3), color="white" if weights[i, j] > 0.55 else style.TEXT)
                cell.set_fontweight("normal" if mask[i, j] else "bold")
        row = query - 1
        frame_line.set_data([-0.48, 2.48, 2.48, -0.48, -0.48], [row - 0.47, row - 0.47, row + 0.47, row + 0.47, row - 0.47])
        amounts = [*weights[row], weights[row].sum()]
        for index, (bar, label, amount) in enumerate(zip(bars, numbers, amounts, strict=True)):
            closed = index < 3 and not mask[row, index]
            bar.set_height(amount)
            bar.set_hatch("xx" if closed else None)
            label.set(y=amount + 0.02, text=number(float(amount), 4))
        return text(
            f"{where}.caption_{way}",
            query=query,
            row=", ".join(number(float(w), 4) for w in weights[row]),
            total=number(float(weights[row].sum()), 4),
            leak=number(leak(weights[[row]], mask[[row]]), 4),
        )

    explorer.guess = Guess("leak", 0, 1, step=0.01, truth=float(round(mask_multiplied(SCORES, mask)[1, 2], 4)), axes=right, axis="y")
    return explorer


class Box(NamedTuple):
    """A box of the paper's drawing: where it stands, whether it mixes positions, where its residual starts."""

    column: int  # 0 encoder, 1 decoder
    level: float
    mixes: bool = False
    residual: str | None = None  # the box whose output the residual line brings


BOXES = {
    "encoder_embedding": Box(0, 0),
    "encoder_position": Box(0, 1),
    "encoder_attention": Box(0, 2.3, mixes=True),
    "encoder_norm_1": Box(0, 3.3, residual="encoder_position"),
    "encoder_network": Box(0, 4.6),
    "encoder_norm_2": Box(0, 5.6, residual="encoder_norm_1"),
    "decoder_embedding": Box(1, 0),
    "decoder_position": Box(1, 1),
    "decoder_attention": Box(1, 2.3, mixes=True),
    "decoder_norm_1": Box(1, 3.3, residual="decoder_position"),
    "cross_attention": Box(1, 4.6, mixes=True),
    "decoder_norm_2": Box(1, 5.6, residual="decoder_norm_1"),
    "decoder_network": Box(1, 6.9),
    "decoder_norm_3": Box(1, 7.9, residual="decoder_norm_2"),
    "output": Box(1, 9.1),
}
COLOURS = {
    "embedding": "#FCE8D5",
    "position": "#FFF6CC",
    "attention": "#E6DCEF",
    "norm": "#EDEDED",
    "network": "#D8ECE4",
    "output": "#D6E6F2",
}
BOX_WIDTH, BOX_HEIGHT, COLUMN_STEP = 2.6, 0.72, 4.2
EDGE = "#777777"


CENTRES = {name: (box.column * COLUMN_STEP, box.level) for name, box in BOXES.items()}


def drawing() -> Explorer:
    """The paper's figure 1 as 15 boxes: choose one, or click it, to light its residual and read what it does."""
    where = "full_block.drawing"
    explorer = Explorer(
        where,
        figsize=(9, 6.4),
        controls=[Choice("box", list(BOXES), value="encoder_attention"), Switch("mixing", value=False)],
        strip=[{"box": box} for box in ("encoder_norm_1", "cross_attention", "output")],
    )
    explorer.figure.set_layout_engine("none")
    axes = explorer.figure.add_axes((0.0, 0.0, 0.62, 1.0))
    axes.set(xlim=(-2.1, 7.3), ylim=(-0.9, 10.1))
    axes.axis("off")
    _draw_stacks(axes, text(f"{where}.encoder"), text(f"{where}.decoder"))
    _draw_arrows(axes)
    residuals = {name: _draw_residual(axes, name) for name, box in BOXES.items() if box.residual}
    boxes = {name: _draw_box(axes, name) for name in BOXES}
    labels = {name: axes.text(*CENTRES[name], text(f"{where}.boxes.{name}"), ha="center", va="center", fontsize=9) for name in BOXES}
    panel = explorer.figure.add_axes((0.62, 0.0, 0.38, 1.0))
    panel.set(xlim=(0, 1), ylim=(0, 1))
    panel.axis("off")
    heading = panel.text(0.02, 0.93, "", fontsize=12, fontweight="bold", va="top")
    body = panel.text(0.02, 0.84, "", fontsize=10, va="top", linespacing=1.45)
    explorer.moving(*boxes.values(), *labels.values(), *residuals.values(), heading, body)
    explorer.clickable("box", boxes)

    @explorer.frame
    def frame(box: str, mixing: bool) -> str:
        for name, patch in boxes.items():
            chosen, lit = name == box, mixing and BOXES[name].mixes
            patch.set_edgecolor(style.KEYS if chosen else style.WEIGHTS if lit else EDGE)
            patch.set_linewidth(3 if chosen else 2.6 if lit else 1)
            patch.set_linestyle("--" if lit and not chosen else "-")
            labels[name].set_fontweight("bold" if chosen or lit else "normal")
        for name, line in residuals.items():
            line.set_color(style.KEYS if name == box else style.MUTED)
            line.set_linewidth(3.5 if name == box else 1.3)
        heading.set_text(text(f"{where}.boxes.{box}").replace("\n", " "))
        body.set_text(text(f"{where}.does.{box}"))
        return text(
            f"{where}.caption_mixing" if mixing else f"{where}.caption",
            box=text(f"{where}.boxes.{box}").replace("\n", " "),
            column=text(f"{where}.decoder" if BOXES[box].column else f"{where}.encoder"),
            residual=text(f"{where}.with_residual" if BOXES[box].residual else f"{where}.without_residual"),
            all=len(BOXES),
            mixing=sum(b.mixes for b in BOXES.values()),
        )

    return explorer


def _draw_stacks(axes: Any, encoder: str, decoder: str) -> None:
    """The two columns' names, and the frame round what is repeated N times in each."""
    axes.text(0, 7.0, encoder, ha="center", fontsize=11, fontweight="bold")
    axes.text(COLUMN_STEP, 9.75, decoder, ha="center", fontsize=11, fontweight="bold")
    for column, low, high in ((0, 1.72, 6.2), (1, 1.72, 8.5)):
        corner = (column * COLUMN_STEP - BOX_WIDTH / 2 - 0.62, low)
        look: dict[str, Any] = {"boxstyle": "round,pad=0.05", "facecolor": "none", "edgecolor": style.MUTED, "linewidth": 1}
        axes.add_patch(FancyBboxPatch(corner, BOX_WIDTH + 0.9, high - low, **look))
        axes.text(corner[0], high + 0.14, "× N", fontsize=10, ha="left", va="bottom")


def _draw_arrows(axes: Any) -> None:
    """From each box up to the next of its column, and from the encoder's end to the cross attention."""
    look = {"arrowstyle": "-|>", "color": style.MUTED, "shrinkA": 0, "shrinkB": 0}
    for before, after in itertools.pairwise(BOXES):
        if BOXES[before].column == BOXES[after].column:
            x, low = CENTRES[before]
            axes.annotate("", (x, CENTRES[after][1] - BOX_HEIGHT / 2), (x, low + BOX_HEIGHT / 2), arrowprops=look)
    (from_x, from_y), (to_x, to_y) = CENTRES["encoder_norm_2"], CENTRES["cross_attention"]
    elbow, above, side = COLUMN_STEP / 2, from_y + 0.75, to_x - BOX_WIDTH / 2
    path = [(from_x, from_y + BOX_HEIGHT / 2), (from_x, above), (elbow, above), (elbow, to_y), (side, to_y)]
    axes.plot(*zip(*path, strict=True), color=style.MUTED, linewidth=1.3)
    axes.annotate("", (side, to_y), (side - 0.2, to_y), arrowprops=look)


def _draw_box(axes: Any, name: str) -> FancyBboxPatch:
    x, y = CENTRES[name]
    colour = next(colour for kind, colour in COLOURS.items() if kind in name)
    corner = (x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2)
    return axes.add_patch(FancyBboxPatch(corner, BOX_WIDTH, BOX_HEIGHT, boxstyle="round,pad=0.02", facecolor=colour, edgecolor=EDGE))


def _draw_residual(axes: Any, name: str) -> Any:
    """The line that leaves the stream before a sub-layer and comes back in at its box of sum and norm."""
    x, y = CENTRES[name]
    start = CENTRES[str(BOXES[name].residual)][1] + BOX_HEIGHT / 2 + 0.12
    edge = x - BOX_WIDTH / 2
    side = edge - 0.32
    (line,) = axes.plot([x, side, side, edge], [start, start, y, y], color=style.MUTED, linewidth=1.3, solid_joinstyle="round")
    return line


def depth() -> Explorer:
    """Post-norm and pre-norm at the start of training: the gradient that each block's W2 receives."""
    where = "full_block.depth"
    explorer = Explorer(
        where,
        figsize=(9, 3.6),
        controls=[Slider("depth", DEPTHS[0], DEPTHS[-1], step=4, value=12)],
        strip=[{"depth": d} for d in (4, 12, 24, 48)],
    )
    axes = explorer.figure.subplots()
    axes.set(yscale="log", xlim=(0, DEPTHS[-1] + 1), ylim=(5, 800), xlabel=text(f"{where}.block"), ylabel=text(f"{where}.gradient"))
    ticks = (5, 10, 20, 50, 100, 200, 500)
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.grid(color=style.GRID)
    looks: dict[str, dict[str, Any]] = {
        "post": {"color": style.KEYS, "marker": "o", "linestyle": "-"},
        "pre": {"color": style.QUERIES, "marker": "s", "linestyle": "--"},
    }
    curves = stored_gradients()
    medians, spreads, ends = {}, {}, {}
    for norm, look in looks.items():
        (medians[norm],) = axes.plot([], [], markersize=5, linewidth=1.8, label=text(f"{where}.{norm}"), **look)
        spreads[norm] = [axes.plot([], [], color=look["color"], linewidth=0.8, alpha=0.45, linestyle=look["linestyle"])[0] for _ in SEEDS]
        (ends[norm],) = axes.plot(
            [], [], color=look["color"], marker=look["marker"], markersize=10, markeredgecolor=style.TEXT, linestyle="none"
        )
    axes.legend(loc="upper right", ncols=2, frameon=False)
    explorer.moving(*medians.values(), *(line for lines in spreads.values() for line in lines), *ends.values())

    @explorer.frame
    def frame(depth: int) -> str:
        blocks = np.arange(1, depth + 1)
        middle = {norm: np.median(curves[norm][depth], axis=0) for norm in looks}
        for norm in looks:
            medians[norm].set_data(blocks, middle[norm])
            for line, of_seed in zip(spreads[norm], curves[norm][depth], strict=True):
                line.set_data(blocks, of_seed)
            ends[norm].set_data([depth], [middle[norm][-1]])
        return text(
            f"{where}.caption",
            depth=depth,
            seeds=len(SEEDS),
            post=number(float(middle["post"][-1]), 1),
            pre=number(float(middle["pre"][-1]), 1),
            low=number(float(curves["post"][depth][:, 0].min()), 1),
            high=number(float(curves["post"][depth][:, 0].max()), 1),
        )

    return explorer


EXPLORERS = {"counting": counting, "positions": positions, "masks": masks, "drawing": drawing, "depth": depth}
