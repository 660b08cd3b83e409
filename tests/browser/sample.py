"""An explorer with every kind of control, for the browser tests' own notebook."""

import numpy as np

from bloque.explore import Choice, Explorer, Guess, Numbers, Slider, Switch, style
from bloque.texts import table

TEXTS = {
    "title": "Waves",
    "alt": "A curve and three bars.",
    "controls": {"speed": "speed", "rule": "rule", "grid": "shown", "heights": "heights"},
    "options": {"rule": {"sine": "sine", "square": "square"}},
    "units": {"speed": "Hz"},
    "guess": {"top": "How high is the wave?"},
}


def waves(guess=False, broken=None):
    table("en")["waves"] = table("es")["waves"] = TEXTS
    explorer = Explorer(
        "waves",
        figsize=(9, 3),
        controls=[
            Slider("speed", 1, 40, value=10),
            Choice("rule", ["sine", "square"]),
            Switch("grid", value=True),
            Numbers("heights", [1, 2, 3], minimum=0, maximum=9),
        ],
    )
    left, right = explorer.figure.subplots(1, 2)
    x = np.linspace(0, 1, 400)
    left.set(xlim=(0, 1), ylim=(-1.1, 1.1), title="wave")
    (line,) = left.plot(x, x, color=style.QUERIES)
    bars = right.bar(range(3), [0, 0, 0], color=style.WEIGHTS)
    right.set(ylim=(0, 9))
    signs = {rule: explorer.figure.text(0.1 + 0.3 * i, 0.93, rule) for i, rule in enumerate(["sine", "square"])}
    explorer.moving(line, bars)
    explorer.clickable("rule", signs)
    if guess:
        explorer.guess = Guess("top", -1, 1, step=0.1, truth=1, axes=left, axis="y")
    built = []

    @explorer.frame
    def frame(speed, rule, grid, heights):
        if built and speed == broken:
            raise ZeroDivisionError("nothing to divide by")
        wave = np.sin(2 * np.pi * speed * x)
        line.set_ydata(np.sign(wave) if rule == "square" else wave)
        line.set_visible(grid)
        for bar, height in zip(bars, heights, strict=True):
            bar.set_height(height)
        return f"speed {speed}, {rule}, shown {grid}, highest {max(heights):g}"

    built.append(True)
    return explorer
