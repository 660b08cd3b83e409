"""Every explorer of every lesson: the same in each language and in its words, none of them cut; a frame is the whole picture."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from typing import Any

import pytest

from bloque import lessons
from bloque.explore import Explorer
from bloque.texts import languages
from tests.notebooks.figures import Build, Shown, compare, cut, drawn_whole, explorers, read, speaking

EXPLORERS = dict(explorers())


def drawn_wrong(explorer: Any, positions: Iterable[Any]) -> list[str]:
    """At which positions words are cut by the edge, or a frame in a drag is not the very picture that a full draw gives."""
    wrong = []
    for position in positions:
        frame, _ = explorer.pixels(position, explorer.drawing.ratio)
        whole, words = drawn_whole(explorer, position)
        differing = int((frame != whole).any(axis=-1).sum())
        wrong += [f"{differing} pixels differ at {explorer.where(position)}"] if differing else []
        wrong += [f"«{word}» is cut by the edge of the figure at {explorer.where(position)}" for word in cut(explorer, words)]
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer(name: str) -> None:
    """All that can be seen of an explorer in one test, because building it takes longer than looking."""
    build: Build = EXPLORERS[name]
    seen: dict[str, Shown] = {}
    problems: list[str] = []
    for language in languages():
        with speaking(language):
            explorer = build()
            seen[language] = read(explorer)
            ends = (explorer.position, explorer.tour[-1])  # the other end in one language only
            problems += [f"{name} ({language}): {wrong}" for wrong in drawn_wrong(explorer, ends if language == "es" else ends[:1])]
    problems += compare(name, seen)
    assert not problems, "\n".join(problems)


def test_words_that_are_cut_are_found() -> None:
    with speaking("es"):
        explorer = EXPLORERS["full_block.masks"]()
        assert drawn_wrong(explorer, [explorer.position]) == []
        explorer.figure.axes[1].set_title("palabras que no caben en el ancho de la figura " * 2)
        explorer.redraw()
        assert len(drawn_wrong(explorer, [explorer.position])) == 1


def test_a_frame_that_differs_is_found() -> None:
    with speaking("es"):
        explorer = EXPLORERS["softmax_saturation.jacobian"]()
        explorer.drawing.moving.remove(explorer.figure.axes[1].images[0])  # it changes, and was not named as moving
        explorer.drawing.forget()
        explorer.pixels(explorer.tour[0])
        assert "pixels differ" in drawn_wrong(explorer, [explorer.tour[-1]])[0]


def test_every_explorer_of_every_lesson_is_here() -> None:
    """A function that makes an explorer and was not registered would be looked at by nobody."""
    modules = [importlib.import_module(f"{lessons.__name__}.{found.name}") for found in pkgutil.iter_modules(lessons.__path__)]
    assert {name.partition(".")[0] for name in EXPLORERS} == {module.__name__.rpartition(".")[2] for module in modules}
    makers = {
        function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
        if inspect.signature(function).return_annotation in (Explorer, "Explorer")
    }
    assert makers <= set(EXPLORERS.values())
