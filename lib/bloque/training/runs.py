"""The stored runs behind the lesson's three claims: how they are set up, made, written and read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bloque.training.loop import Training
from bloque.training.model import ModelSettings
from bloque.training.task import Batch, answer_places

SEEDS = (0, 1, 2, 3, 4)
EVERY = 20  # steps that one stored point averages

_WIDE = ModelSettings(d_model=128, heads=1, d_ff=64)  # one head, so that d_k is 128
_DEEP = ModelSettings(vocabulary=8, n=12, d_model=32, heads=2, d_ff=64, layers=12)


@dataclass(frozen=True)
class Arm:
    """One way of training, run with every seed."""

    settings: ModelSettings
    peak: float
    warm_up_steps: int
    batch: int
    steps: int


def _without(settings: ModelSettings, **changes: Any) -> ModelSettings:
    return ModelSettings(**(asdict(settings) | changes))


ARMS: dict[str, Arm] = {
    "plain": Arm(ModelSettings(), peak=3e-3, warm_up_steps=50, batch=32, steps=500),
    "scaled": Arm(_WIDE, peak=3e-3, warm_up_steps=50, batch=32, steps=500),
    "unscaled": Arm(_without(_WIDE, scaled=False), peak=3e-3, warm_up_steps=50, batch=32, steps=500),
    "pre_warm": Arm(_DEEP, peak=1e-3, warm_up_steps=300, batch=16, steps=800),
    "pre_cold": Arm(_DEEP, peak=1e-3, warm_up_steps=0, batch=16, steps=800),
    "post_warm": Arm(_without(_DEEP, norm="post"), peak=1e-3, warm_up_steps=300, batch=16, steps=800),
    "post_cold": Arm(_without(_DEEP, norm="post"), peak=1e-3, warm_up_steps=0, batch=16, steps=800),
    "no_residual": Arm(_without(_DEEP, residual=False), peak=1e-3, warm_up_steps=300, batch=16, steps=800),
}


@dataclass(frozen=True)
class Runs:
    """The runs of one arm. A point is the mean of `every` steps; the first index is the seed's."""

    arm: Arm
    loss: np.ndarray  # (seeds, points)
    accuracy: np.ndarray  # (seeds, points)
    arriving: np.ndarray  # (seeds, points, layers), norm of the gradient at the input of each block
    final: np.ndarray  # (seeds,), accuracy after training on 256 sequences never drawn in it
    seeds: tuple[int, ...]
    every: int

    @property
    def steps(self) -> np.ndarray:
        """The last step of each point, (points,)."""
        return self.every * np.arange(1, self.loss.shape[1] + 1)


def make_run(name: str, seed: int) -> dict[str, np.ndarray]:
    """Train one arm with one seed, and keep the means of every `EVERY` steps."""
    arm = ARMS[name]
    training = Training(arm.settings, peak=arm.peak, warm_up_steps=arm.warm_up_steps, batch=arm.batch, seed=seed)
    training.run(arm.steps)
    history = training.history
    points = arm.steps // EVERY

    def means(values: list[Any]) -> np.ndarray:
        stacked = np.array(values, dtype=np.float64)
        return stacked.reshape(points, EVERY, *stacked.shape[1:]).mean(axis=1).astype(np.float32)

    return {
        "loss": means(history.loss),
        "accuracy": means(history.accuracy),
        "arriving": means(history.arriving),
        "final": np.array(training.evaluate()[1], dtype=np.float32),
    }


@dataclass(frozen=True)
class Forming:
    """The attention of the plain model while it learns, on one sequence, and how far each head has come."""

    tokens: np.ndarray  # (n,), the sequence
    steps: np.ndarray  # (snapshots,)
    accuracy: np.ndarray  # (snapshots,), on sequences never drawn in training
    maps: np.ndarray  # (snapshots, layers, heads, n, n)
    previous: np.ndarray  # (snapshots, layers, heads), mean weight on the token before, from every row but the first
    answer: np.ndarray  # (snapshots, layers, heads), mean weight, from the asked rows, on the token that is the answer


def previous_weight(maps: np.ndarray) -> np.ndarray:
    """The mean weight on the token just before: (..., n, n) -> (...)."""
    return np.diagonal(maps, offset=-1, axis1=-2, axis2=-1).mean(axis=-1)


def answer_weight(maps: np.ndarray, batch: Batch) -> np.ndarray:
    """The mean weight that the asked rows put on the place of the answer: (batch, heads, n, n) -> (heads,)."""
    places = answer_places(batch.tokens)  # (batch, n)
    on_answer = np.take_along_axis(maps, np.maximum(places, 0)[:, None, :, None], axis=-1)[..., 0]  # (batch, heads, n)
    asked = batch.asked & (places >= 0)
    return (on_answer * asked[:, None]).sum(axis=(0, 2)) / asked.sum()


def make_forming(seed: int = 0, steps: int = 400, every: int = 10) -> dict[str, np.ndarray]:
    """Train the plain model and look at its attention every few steps."""
    arm = ARMS["plain"]
    training = Training(arm.settings, peak=arm.peak, warm_up_steps=arm.warm_up_steps, batch=arm.batch, seed=seed)
    batch = training.held_out(256)
    seen: dict[str, list[Any]] = {"accuracy": [], "maps": [], "previous": [], "answer": []}
    for snapshot in range(steps // every + 1):
        if snapshot:
            training.run(every)
        _, accuracy, maps = training.examine(batch)
        seen["maps"].append([layer[0] for layer in maps])
        seen["previous"].append([previous_weight(layer).mean(axis=0) for layer in maps])
        seen["answer"].append([answer_weight(layer, batch) for layer in maps])
        seen["accuracy"].append(accuracy)
    in_bytes = np.round(255 * np.array(seen.pop("maps"))).astype(np.uint8)
    scores = {name: np.array(values, dtype=np.float32) for name, values in seen.items()}
    return {"tokens": batch.tokens[0], "steps": every * np.arange(steps // every + 1), "maps": in_bytes} | scores


def read_forming(path: Path) -> Forming:
    """The snapshots of `make_forming`, as np.savez_compressed wrote them."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return Forming(**(arrays | {"maps": arrays["maps"] / np.float32(255)}))


def write_runs(path: Path, made: dict[tuple[str, int], dict[str, np.ndarray]]) -> None:
    """All runs in one file, with the settings and the seeds they were made with."""
    arrays: dict[str, Any] = {}
    for name in ARMS:
        for key in made[name, SEEDS[0]]:
            arrays[f"{name}.{key}"] = np.stack([made[name, seed][key] for seed in SEEDS])
    about = {"seeds": SEEDS, "every": EVERY, "arms": {name: asdict(arm) for name, arm in ARMS.items()}}
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)


def read_runs(path: Path) -> dict[str, Runs]:
    """The runs of `write_runs`, arm by arm, with the settings, the seeds and the spacing that are in the file."""
    with np.load(path) as stored:
        about = json.loads(str(stored["about"]))
        return {
            name: Runs(
                Arm(**(arm | {"settings": ModelSettings(**arm["settings"])})),
                **{key: stored[f"{name}.{key}"] for key in ("loss", "accuracy", "arriving", "final")},
                seeds=tuple(about["seeds"]),
                every=about["every"],
            )
            for name, arm in about["arms"].items()
        }
