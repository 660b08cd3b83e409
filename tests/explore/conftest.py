import numpy as np
import pytest

import bloque
from bloque.explore import Choice, Explorer, Numbers, Slider, Switch, style
from bloque.texts import table

TEXTS = {
    "title": "Waves",
    "alt": "A curve and bars.",
    "controls": {"speed": "speed", "rule": "rule", "grid": "grid", "heights": "heights"},
    "options": {"rule": {"sine": "sine", "square": "square"}},
    "units": {"speed": "Hz"},
    "guess": {"top": "How high?"},
}


@pytest.fixture(autouse=True)
def texts(monkeypatch):
    before = bloque.language()
    bloque.language("en")
    for code in ("en", "es"):
        monkeypatch.setitem(table(code), "waves", TEXTS)
    yield
    bloque.language(before)


class Waves:
    """An explorer with every kind of artist; ``change`` may be given to spoil its frame."""

    def __init__(self, change=None, **options):
        self.explorer = explorer = Explorer(
            "waves",
            figsize=(5, 2),
            controls=[
                Slider("speed", 1, 10, value=2),
                Choice("rule", ["sine", "square"]),
                Switch("grid"),
                Numbers("heights", [1, 2, 3], minimum=0, maximum=9),
            ],
            **options,
        )
        left, right = explorer.figure.subplots(1, 2)
        self.left, self.right = left, right
        x = np.linspace(0, 1, 50)
        left.set(xlim=(0, 1), ylim=(-1, 1), title="wave")
        left.grid(True)
        left.axhline(0.2, color="black", zorder=3)  # still, and above what moves
        (self.line,) = left.plot(x, x, color=style.QUERIES)
        self.words = left.text(0.5, 0.5, "")
        self.bars = right.bar(range(3), [0, 0, 0], color=style.WEIGHTS)
        right.set(ylim=(0, 9))
        explorer.moving(self.line, [self.words], self.bars)
        self.calls = []

        @explorer.frame
        def frame(speed, rule, grid, heights):
            self.calls.append((speed, rule, grid))
            wave = np.sin(2 * np.pi * speed * x)
            self.line.set_ydata(np.sign(wave) if rule == "square" else wave)
            self.words.set_text(f"{speed}")
            self.words.set_visible(grid)
            for bar, height in zip(self.bars, heights, strict=True):
                bar.set_height(height)
            if change:
                spoiled = change(self, speed)
                if spoiled is not None:
                    return spoiled
            return f"speed {speed}, {rule}, highest {max(heights):g}"


@pytest.fixture
def waves():
    return Waves
