"""Every explorer of every lesson: a frame in a drag is the very picture that a full draw gives."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import bloque
from bloque import lessons
from bloque.explore import Explorer

MODULES = [importlib.import_module(f"{lessons.__name__}.{found.name}") for found in pkgutil.iter_modules(lessons.__path__)]


def makers():
    """The functions that make an explorer and need no arguments, by name."""
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            public = function.__module__ == module.__name__ and not name.startswith("_")
            if public and inspect.signature(function).return_annotation in (Explorer, "Explorer"):
                yield pytest.param(function, id=f"{module.__name__.rsplit('.', 1)[-1]}.{name}")


FOUND = list(makers())


def test_there_are_explorers_in_every_lesson():
    assert {found.id.split(".")[0] for found in FOUND} == {module.__name__.rsplit(".", 1)[-1] for module in MODULES}


def drawn_whole(explorer, position):
    """The frame as Matplotlib draws it with no background kept and nothing animated."""
    explorer.at(**explorer.values(position))
    figure, moving = explorer.figure, explorer.drawing.moving
    engine = figure.get_layout_engine()
    animated = [artist.get_animated() for artist in moving]
    for artist in moving:
        artist.set_animated(False)
    figure.set_layout_engine("none")  # the places of the axes are those of the first drawing
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    figure.set_layout_engine(engine)
    for artist, kept in zip(moving, animated, strict=True):
        artist.set_animated(kept)
    figure.set_canvas(explorer.drawing.canvas)
    return pixels


@pytest.mark.parametrize("make", FOUND)
def test_a_frame_is_the_whole_picture(make):
    before = bloque.language()
    bloque.language("es")
    try:
        explorer = make()
    finally:
        bloque.language(before)
    explorer.pixels(explorer.position)
    for position in (explorer.tour[0], explorer.tour[-1]):
        frame, _ = explorer.pixels(position)
        differing = int((frame != drawn_whole(explorer, position)).any(axis=-1).sum())
        assert differing == 0, f"{differing} pixels at {explorer.where(position)}"
