"""Lesson 6, make it learn: its figures over stored runs, and the training that runs for real."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bloque.explore import Choice, Explorer, Guess, RunningPicture, Slider, style
from bloque.files import data_file
from bloque.texts import number, text
from bloque.training import ModelSettings, Training, answer_places, paper_schedule
from bloque.training.runs import Forming, Runs, read_forming, read_runs

# colour and dash of each arm, the same in every figure of the lesson
LOOK = {
    "scaled": (style.QUERIES, "-"),
    "unscaled": (style.MUTED, "--"),
    "residual": (style.QUERIES, "-"),
    "no_residual": (style.MUTED, "--"),
    "pre_warm": (style.QUERIES, "-"),
    "pre_cold": (style.VALUES, "--"),
    "post_warm": (style.KEYS, "-."),
    "post_cold": (style.MUTED, ":"),
}
RUN_OF = {"residual": "pre_warm"}  # with the sum: the same runs as pre-norm with warm-up
CLAIMS = {
    "scale": ("scaled", "unscaled"),
    "residual": ("residual", "no_residual"),
    "warm_up": ("pre_warm", "pre_cold", "post_warm", "post_cold"),
}
REPAIRS = {
    "residual": ("residual", "no_residual"),
    "norm": ("pre_warm", "post_warm"),
    "warm_up": ("post_warm", "post_cold"),
    "scale": ("scaled", "unscaled"),
}


@functools.cache
def stored_runs() -> dict[str, Runs]:
    """The runs of data/training_runs.npz, by arm."""
    return read_runs(data_file("training_runs.npz"))


@functools.cache
def stored_forming() -> Forming:
    """The snapshots of data/training_maps.npz."""
    return read_forming(data_file("training_maps.npz"))


def runs_of(arm: str) -> Runs:
    """The stored runs of an arm, by the name it has in a figure."""
    return stored_runs()[RUN_OF.get(arm, arm)]


def spread(values: np.ndarray, decimals: int = 2) -> str:
    """The median of the seeds, and between which values they lie: "0.43 (0.40 – 0.51)"."""
    low, middle, high = (number(float(v), decimals) for v in (values.min(), np.median(values), values.max()))
    return f"{middle} ({low} – {high})"


# ── The three claims ─────────────────────────────────────────────────────────────────────────────


def _claim(name: str) -> Explorer:
    prefix, arms = f"training.{name}", CLAIMS[name]
    every, last = runs_of(arms[0]).every, int(runs_of(arms[0]).steps[-1])
    explorer = Explorer(prefix, figsize=(9, 3.4), controls=[Slider("step", every, last, step=every, value=last)])
    axes = explorer.figure.subplots()
    axes.set(xlim=(0, last), ylim=(0, 1.02), xlabel=text("training.step"), ylabel=text("training.accuracy"))
    axes.grid(axis="y")
    dots = []
    for arm in arms:
        runs, (colour, dash) = runs_of(arm), LOOK[arm]
        axes.plot(runs.steps, runs.accuracy.T, color=colour, linestyle=dash, linewidth=0.8, alpha=0.45)
        label = text(f"training.arms.{arm}")
        axes.plot(runs.steps, np.median(runs.accuracy, axis=0), color=colour, linestyle=dash, label=label)
        dots += axes.plot([0] * len(runs.loss), [0] * len(runs.loss), "o", color=colour, markersize=5, clip_on=False)
    chance = 1 / runs_of(arms[0]).arm.settings.vocabulary
    axes.axhline(chance, color=style.GRADIENT, linewidth=1, linestyle=(0, (1, 3)))
    explorer.figure.legend(loc="outside right center")
    cursor = axes.axvline(0, color=style.ACCENT, linewidth=1.5)
    explorer.moving(cursor, *dots)

    @explorer.frame
    def frame(step: int) -> str:
        point = int(step) // every - 1
        cursor.set_xdata([step, step])
        told = {}
        for arm, dot in zip(arms, dots, strict=True):
            values = runs_of(arm).accuracy[:, point]
            dot.set_data([step] * len(values), values)
            told[arm] = spread(values)
        return text(f"{prefix}.caption", step=number(int(step)), seeds=number(len(values)), chance=number(chance, significant=3), **told)

    return explorer


def scale() -> Explorer:
    """Claim 1: with and without the division by √d_k, at d_k = 128."""
    return _claim("scale")


def residual() -> Explorer:
    """Claim 2: twelve blocks with and without the residual sums."""
    explorer = _claim("residual")
    truth = float(np.median(runs_of("no_residual").accuracy[:, -1]))
    axes = explorer.figure.axes[0]
    explorer.guess = Guess("without", 0, 1, step=0.01, truth=round(truth, 2), axes=axes, axis="y")
    return explorer


def warm_up() -> Explorer:
    """Claim 3: twelve blocks, post- and pre-norm, with and without warm-up."""
    return _claim("warm_up")


# ── The gradient that arrives ────────────────────────────────────────────────────────────────────


def arriving() -> Explorer:
    """The gradient at the input of each block while it trains, before and after each repair."""
    prefix = "training.arriving"
    every, last = runs_of("residual").every, int(runs_of("residual").steps[-1])
    tour = [{"repair": repair, "step": step} for repair in REPAIRS for step in range(every, last + 1, every)]
    explorer = Explorer(
        prefix,
        figsize=(9, 3.4),
        controls=[Choice("repair", list(REPAIRS), value="residual"), Slider("step", every, last, step=every, value=last)],
        tour=tour,
        strip=[{"repair": r, "step": s} for r, s in (("residual", 20), ("residual", 800), ("norm", 20), ("warm_up", 800))],
    )
    axes = explorer.figure.subplots()
    style.decades(axes.yaxis, range(-8, 2, 2))
    # right of block 12 there is room for the labels
    axes.set(xlim=(0.5, 16.3), ylim=(1e-8, 10), xticks=range(1, 13), xlabel=text("training.block"))
    axes.set_ylabel(text("training.norm_arriving"))
    axes.grid(axis="y")
    seeds = len(runs_of("residual").loss)
    sides = []
    for side, colour, dash, marker in (("after", style.QUERIES, "-", "o"), ("before", style.MUTED, "--", "s")):
        thin = [axes.plot([1], [1], color=colour, linestyle=dash, linewidth=0.8, alpha=0.45)[0] for _ in range(seeds)]
        (thick,) = axes.plot([1], [1], color=colour, linestyle=dash, marker=marker, markersize=5)
        sides.append((side, thin, thick))
    labels = [axes.text(12.7, 1, "", color=c, va="center", fontsize=9) for c in (style.QUERIES, "#5F5F5F")]
    explorer.moving(*(line for _, thin, thick in sides for line in (*thin, thick)), *labels)

    @explorer.frame
    def frame(repair: str, step: int) -> str:
        arms = REPAIRS[repair]
        shown = min(int(step), *(int(runs_of(arm).steps[-1]) for arm in arms))  # some runs are shorter than others
        told, heights = {}, []
        for (side, thin, thick), arm in zip(sides, arms, strict=True):
            values = np.maximum(runs_of(arm).arriving[:, shown // every - 1], 1e-12)  # (seeds, layers); a logarithm needs more than 0
            blocks = np.arange(1, values.shape[1] + 1)
            for line, one in zip(thin, values, strict=True):
                line.set_data(blocks, one)
            middle = np.median(values, axis=0)
            thick.set_data(blocks, middle)
            heights.append(float(middle[-1]))
            told[side] = text(f"training.arms.{arm}")
            told[f"{side}_first"], told[f"{side}_last"] = (number(float(middle[i]), significant=2) for i in (0, -1))
        up = np.log10(heights)
        middle = up.mean()
        gap = max(abs(up[0] - up[1]), 1.0) / 2  # so that the two labels never touch
        places = (middle + gap, middle - gap) if up[0] >= up[1] else (middle - gap, middle + gap)
        for label, place, side in zip(labels, places, ("after", "before"), strict=True):
            label.set_position((len(blocks) + 0.3, 10**place))
            label.set_text(told[side])
        return text(f"{prefix}.caption", step=number(shown), blocks=number(len(blocks)), **told)

    return explorer


# ── The learning rate ────────────────────────────────────────────────────────────────────────────


def schedule() -> Explorer:
    """The paper's learning rate, and a straight line up that stays, for several lengths of warm-up."""
    prefix, most = "training.schedule", 20_000
    explorer = Explorer(
        prefix,
        figsize=(9, 3),
        controls=[Slider("warm_up", 200, 8000, step=200, value=4000), Choice("d_model", ["512", "1024"], value="512")],
    )
    axes = explorer.figure.subplots()
    steps = np.arange(1, most + 1, 20)
    axes.set(xlim=(0, most), ylim=(0, 0.0032), xlabel=text("training.step"), ylabel=text(f"{prefix}.rate"))
    axes.set_xticks(range(0, most, 5000), [number(s) for s in range(0, most, 5000)])
    axes.grid(axis="y")
    (line,) = axes.plot(steps, 0 * steps, color=style.QUERIES)
    (dot,) = axes.plot([0], [0], "o", color=style.ACCENT)
    explorer.moving(line, dot)

    @explorer.frame
    def frame(warm_up: int, d_model: str) -> str:
        width, warm = int(d_model), int(warm_up)
        line.set_ydata([paper_schedule(int(step), width, warm) for step in steps])
        peak = paper_schedule(warm, width, warm)
        dot.set_data([warm], [peak])
        at = {name: number(paper_schedule(s, width, warm), significant=2) for name, s in (("first", 1), ("end", most))}
        return text(f"{prefix}.caption", warm_up=number(warm), d_model=number(width), peak=number(peak, significant=2), **at)

    return explorer


# ── The attention that forms ─────────────────────────────────────────────────────────────────────


class _Forming:
    """Accuracy so far, and the maps of two blocks with two heads: one figure for stored and live training."""

    def __init__(self, figure: Any, tokens: np.ndarray, most: int):
        n = len(tokens)
        places = answer_places(tokens[None])[0]
        (asked,) = np.nonzero(places >= 0)
        grid = figure.add_gridspec(2, 3, width_ratios=[2.2, 1, 1])
        self.accuracy = figure.add_subplot(grid[:, 0])
        self.accuracy.set(xlim=(0, most), ylim=(0, 1.02), xlabel=text("training.step"), ylabel=text("training.accuracy"))
        self.accuracy.grid(axis="y")
        (self.line,) = self.accuracy.plot([0], [0], color=style.QUERIES)
        (self.dot,) = self.accuracy.plot([0], [0], "o", color=style.ACCENT, clip_on=False)
        self.images = []
        for block in range(2):
            for head in range(2):
                axes = figure.add_subplot(grid[block, 1 + head])
                axes.set_title(text("training.map", block=block + 1, head=head + 1), fontsize=9)
                axes.set(xticks=[], yticks=[])
                self.images.append(axes.imshow(np.zeros((n, n)), cmap=style.HEAT, vmin=0, vmax=1, aspect="equal"))
                if block == 1:
                    axes.plot(places[asked], asked, "o", markersize=8, markerfacecolor="none", markeredgecolor=style.ACCENT)
        self.images[2].axes.set_xlabel(text("training.looks_at"), fontsize=9)
        self.images[3].axes.set_xlabel(text("training.circles"), fontsize=9, color="#8A5A00")
        self.images[2].axes.set_ylabel(text("training.position"), fontsize=9)

    @property
    def artists(self) -> list[Any]:
        """What moves."""
        return [self.line, self.dot, *self.images]

    def show(self, steps: np.ndarray, accuracy: np.ndarray, maps: np.ndarray) -> None:
        """steps, accuracy: (points,) up to now;  maps: (blocks, heads, n, n), of which two by two are drawn."""
        four = maps[:2, :2].reshape(4, *maps.shape[-2:])
        self.line.set_data(steps, accuracy)
        self.dot.set_data([steps[-1]], [accuracy[-1]])
        for image, weights in zip(self.images, four, strict=True):
            image.set_data(weights)


def forming() -> Explorer:
    """The stored training of two blocks, step by step: accuracy and the four attention maps."""
    prefix, stored = "training.forming", stored_forming()
    last, every = int(stored.steps[-1]), int(stored.steps[1])
    explorer = Explorer(
        prefix,
        figsize=(9, 4),
        controls=[Slider("step", 0, last, step=every, value=0)],
        strip=[{"step": s} for s in (0, 120, 160, 200, 400)],
    )
    picture = _Forming(explorer.figure, stored.tokens, last)
    explorer.moving(*picture.artists)
    learnt = int(stored.steps[int((stored.accuracy > 0.5).argmax())])
    explorer.guess = Guess("when", 0, last, step=every, truth=learnt, axes=picture.accuracy, axis="x", decimals=0)

    @explorer.frame
    def frame(step: int) -> str:
        point = int(step) // every
        picture.show(stored.steps[: point + 1], stored.accuracy[: point + 1], stored.maps[point])
        return text(
            f"{prefix}.caption",
            step=number(int(step)),
            accuracy=number(float(stored.accuracy[point]), 2),
            previous=number(float(stored.previous[point, 0].max()), 2),
            answer=number(float(stored.answer[point, 1].max()), 2),
        )

    return explorer


# ── Training live ────────────────────────────────────────────────────────────────────────────────


def live(training: Training | None = None, steps: int = 400) -> RunningPicture:
    """A training to start, stop and resume by a button, and its attention as it forms."""
    prefix, every = "training.live", 10
    trained = training or Training(ModelSettings())
    batch = trained.held_out(128)
    seen: list[tuple[int, float]] = []  # step and accuracy, at every look

    def step() -> int:
        trained.step()
        return trained.steps

    def measure() -> np.ndarray:
        """Accuracy and attention on sequences that training never draws."""
        found = trained.examine(batch)
        seen.append((trained.steps, found.accuracy))
        return np.array([layer[0] for layer in found.maps])

    running = RunningPicture(prefix, step=step, measure=measure, steps=steps, done=trained.steps, every=every)
    picture = _Forming(running.figure, batch.tokens[0], steps)
    running.moving(*picture.artists)

    @running.frame
    def frame(maps: np.ndarray) -> str:
        looks, accuracies = np.array(seen).T
        picture.show(looks, accuracies, maps)
        losses = trained.history.loss[-every:]
        if not losses:
            return text(f"{prefix}.ready", steps=number(steps))
        at, accuracy = seen[-1]
        told = {"loss": number(float(np.mean(losses)), 2), "accuracy": number(accuracy, 2)}
        return text(f"{prefix}.caption", step=number(at), steps=number(steps), **told)

    return running


EXPLORERS = {
    "forming": forming,
    "scale": scale,
    "residual": residual,
    "warm_up": warm_up,
    "arriving": arriving,
    "schedule": schedule,
}
