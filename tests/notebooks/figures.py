"""Rules about explorers: in every language the same controls, and no word of a figure left in another language."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import bloque
import bloque.lessons
from tests.notebooks.language import may_be_equal

SMALLEST = 8.5  # points
COLOUR_MAPS = {"viridis", "cividis", "Blues", "Greys"}  # one hue or safe for the colour-blind, light to dark throughout

# Controls that follow the words of a sentence, and so are as long as each language's sentence is.
FOLLOWS_THE_SENTENCE = {"real_heads.heads": {"asks"}}

Build = Callable[[], Any]


@dataclass
class Shown:
    """What an explorer shows in one language."""

    words: dict[str, str] = field(default_factory=dict)  # where it stands in the figure -> what it says
    labels: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, list[Any]] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    maps: set[str] = field(default_factory=set)
    ticks: list[str] = field(default_factory=list)


def explorers() -> Iterator[tuple[str, Build]]:
    """Every explorer of every lesson, by its name."""
    for module in pkgutil.iter_modules(bloque.lessons.__path__):
        lesson = importlib.import_module(f"bloque.lessons.{module.name}")
        for name, build in getattr(lesson, "EXPLORERS", {}).items():
            yield f"{module.name}.{name}", build


def look(build: Build, language: str) -> Shown:
    """Build an explorer in a language and read its figure as it is drawn at the default position."""
    with speaking(language):  # until the figure has been read: a frame takes its words when it is drawn
        return read(build())


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """The course in a language, for a while."""
    before = bloque.language()
    bloque.language(language)
    try:
        yield
    finally:
        bloque.language(before)


def read(explorer: Any) -> Shown:
    """What an explorer shows: its words, controls, sizes and colours."""
    shown = Shown(labels=dict(getattr(explorer, "labels", {})))
    shown.words = {"title": getattr(explorer, "title", ""), "alt": explorer.alt, "caption": explorer.caption or repr(explorer)}
    for control in getattr(explorer, "controls", []):
        shown.ranges[control.name] = [] if control.free else [control.values, control.value]
    figure = explorer.figure
    if hasattr(explorer, "draw"):
        explorer.draw(explorer.position, explorer.drawing.ratio)  # ticks have their words once drawn
    else:
        explorer.png()
    ticks = {id(label) for axes in figure.axes for label in [*axes.get_xticklabels(which="both"), *axes.get_yticklabels(which="both")]}
    for index, artist in enumerate(figure.findobj(Text)):
        if artist.get_visible() and artist.get_text().strip():
            shown.words[f"text {index}"] = artist.get_text()
            shown.sizes[artist.get_text()] = artist.get_fontsize()
            if id(artist) in ticks:
                shown.ticks.append(artist.get_text())
    for artist in figure.findobj(lambda a: hasattr(a, "get_cmap") and getattr(a, "get_array", lambda: None)() is not None):
        shown.maps.add(artist.get_cmap().name.removesuffix("_r"))
    return shown


def drawn_whole(explorer: Any, position: Any) -> tuple[np.ndarray, list[Text]]:
    """A position as Matplotlib draws it with no background kept and nothing animated, and the words it drew."""
    explorer.at(**explorer.values(position))
    figure, moving = explorer.figure, explorer.drawing.moving
    engine = figure.get_layout_engine()
    animated = [artist.get_animated() for artist in moving]
    for artist in moving:
        artist.set_animated(False)
    figure.set_layout_engine("none")  # the places of the axes are those of the first drawing
    canvas = FigureCanvasAgg(figure)
    drawn: list[Text] = []
    draw = Text.draw
    try:
        Text.draw = lambda self, *given, **named: (drawn.append(self), draw(self, *given, **named))[1]
        canvas.draw()
    finally:
        Text.draw = draw
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    figure.set_layout_engine(engine)
    for artist, kept in zip(moving, animated, strict=True):
        artist.set_animated(kept)
    figure.set_canvas(explorer.drawing.canvas)
    return pixels, [words for words in drawn if words.get_visible() and words.get_text().strip()]


def cut(explorer: Any, drawn: Iterable[Text]) -> list[str]:
    """Which of the words that a picture drew stick out of it."""
    width, height = explorer.figure.canvas.get_width_height()
    boxes = [(words.get_text(), words.get_window_extent()) for words in drawn]
    return [words for words, box in boxes if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1]


def compare(name: str, shown: dict[str, Shown]) -> list[str]:
    """What is wrong with an explorer, seen in all its languages."""
    problems = []
    languages = sorted(shown)
    first = shown[languages[0]]
    for language in languages[1:]:
        other = shown[language]
        if first.ranges.keys() != other.ranges.keys():
            problems.append(f"{name}: other controls in {languages[0]} than in {language}")
        for control in (first.ranges.keys() & other.ranges.keys()) - FOLLOWS_THE_SENTENCE.get(name, set()):
            if first.ranges[control] != other.ranges[control]:
                problems.append(f"{name}: other controls in {languages[0]} than in {language}: {control}")
        shared = set(first.words.values()) & set(other.words.values())
        shared |= {label for control, label in first.labels.items() if other.labels.get(control) == label}
        problems += [
            f"{name}: «{words}» is the same in {languages[0]} and {language}" for words in sorted(shared) if not may_be_equal(words)
        ]
    for language in languages:
        here = shown[language]
        problems += [
            f"{name} ({language}): a control is called «{label}»: formulas are not drawn there"
            for label in here.labels.values()
            if re.search(r"[$\\]", label)
        ]
        problems += [f"{name} ({language}): a tick says «{tick}»" for tick in here.ticks if "{" in tick and "$" not in tick]
        problems += [f"{name} ({language}): «{words}» is {size:g} points small" for words, size in here.sizes.items() if size < SMALLEST]
        problems += [
            f"{name} ({language}): the colour map {colours}"
            for colours in sorted(here.maps - COLOUR_MAPS)
            if not colours.startswith("bloque")
        ]
    return problems
