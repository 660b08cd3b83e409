"""The widgets of an explorer and their answers, without a browser: messages in, messages out."""

import numpy as np
import pytest

from bloque.explore import Guess, view
from bloque.explore.render import LOCK

from .test_explorer import applied


class Page:
    """Stands for the browser: hears what the view sends."""

    def __init__(self, explorer):
        self.live = view.Live(explorer)
        self.heard = []
        self.live.view.send = lambda message, buffers=None: self.heard.append((message, buffers or []))

    def say(self, *keys, budget=0, epoch=0, ratio=1, base="", plain=False):
        message = {"kind": "ask", "id": "q", "epoch": epoch, "ratio": ratio, "keys": list(keys), "budget": budget}
        message |= {"base": base, "plain": plain}
        self.live._hear(self.live.view, message, [])

    def ask(self, *keys, **how):
        self.say(*keys, **how)
        return self.heard[-1]


@pytest.fixture
def page(waves):
    return Page(waves().explorer)


def test_nothing_is_drawn_unless_asked(waves):
    made = waves()
    before = len(made.calls)
    Page(made.explorer)
    assert len(made.calls) == before


def test_an_answer_holds_the_frame_python_would_draw(page):
    message, (base, first, other) = page.ask([4, 1, 0], [9, 1, 1], budget=10_000)
    name = message["base"]
    for told, packed in zip(message["frames"], (first, other), strict=True):
        pixels, caption = page.live.explorer.pixels(tuple(told["key"]))
        assert told == {"key": told["key"], "caption": caption, "over": name}
        assert np.array_equal(applied(base, packed), pixels)
    assert len(other) < len(page.live.explorer.picture((9, 1, 1))[0])


def test_the_picture_under_the_frames_is_told_to_whoever_lacks_it(page):
    name = page.ask([4, 1, 0])[0]["base"]
    again, buffers = page.ask([5, 1, 0], base=name)
    assert ("base" in again, len(buffers), again["frames"][0]["over"]) == (False, 1, name)
    sharp, buffers = page.ask([5, 1, 0], ratio=2, base=name)
    assert (sharp["base"] != name, len(buffers), sharp["frames"][0]["over"]) == (True, 2, sharp["base"])
    assert page.ask([5, 1, 0])[0]["base"] == name  # both are kept, for two windows
    page.live.renew()
    assert page.ask([5, 1, 0], epoch=1, base=name)[0]["base"] not in (name, sharp["base"])


def test_an_old_browser_is_sent_whole_pictures(page):
    message, buffers = page.ask([4, 1, 0], plain=True)
    png, caption = page.live.explorer.picture((4, 1, 0))
    assert message["frames"] == [{"key": [4, 1, 0], "caption": caption}]
    assert buffers == [png]


def test_the_first_is_drawn_always_and_the_rest_while_there_is_time(page):
    assert len(page.ask([0, 0, 0], [1, 0, 0], [2, 0, 0])[0]["frames"]) == 1
    assert len(page.ask([0, 0, 0], [1, 0, 0], [2, 0, 0], budget=10_000)[0]["frames"]) == 3


def test_a_question_about_the_past_gets_no_frames(page):
    page.live.widgets["heights"].value = "4 5 6"
    assert page.live.view.epoch == 1
    assert page.ask([0, 0, 0], epoch=0)[0]["frames"] == []
    assert page.ask([0, 0, 0], epoch=1)[0]["frames"][0]["caption"].endswith("highest 6")


def test_what_cannot_be_read_is_told_in_place(page):
    page.live.widgets["heights"].value = "four"
    assert "four" in page.live.view.notice
    assert page.live.view.epoch == 0
    page.live.widgets["heights"].value = "4 5 6"
    assert page.live.view.notice == ""


def test_a_frame_that_fails_later_says_so_in_its_place(waves):
    broken = []

    def change(made, speed):
        if broken and speed == 3:
            raise ZeroDivisionError("by nothing")

    page = Page(waves(change).explorer)
    broken.append(True)
    message, buffers = page.ask([2, 0, 0])
    assert "by nothing" in message["frames"][0]["error"]
    assert buffers == []
    assert "error" not in page.ask([1, 0, 0])[0]["frames"][0]


def test_controls_are_real_widgets_tied_in_the_browser(page):
    widgets = page.live.widgets
    assert [type(w).__mro__[1].__name__ if type(w) is view.Slider else type(w).__name__ for w in widgets.values()] == [
        "SelectionSlider",
        "Dropdown",
        "Checkbox",
        "Text",
    ]
    assert [w.description for w in widgets.values()] == ["speed", "rule", "grid", "heights"]
    assert widgets["speed"].options[1] == ("2 Hz", 1)
    assert [(link.source[1], link.target[1]) for link in page.live.links] == [("index", "p0"), ("index", "p1"), ("value", "p2")]


def test_python_moves_the_controls(page):
    explorer = page.live.explorer
    explorer._live = page.live
    explorer.at(speed=7, grid=True)
    assert page.live.widgets["speed"].index == page.live.view.p0 == 6
    assert page.live.widgets["grid"].value is page.live.view.p2 is True


def test_reset_reaches_python(page):
    page.live.widgets["speed"].index = 9
    page.live._hear(page.live.view, {"kind": "moved", "to": [1, 0, 0]}, [])
    assert page.live.widgets["speed"].index == 1


def test_a_guess_locks_until_it_is_made(waves):
    made = waves()
    made.explorer.guess = Guess("top", 0, 1, step=0.1, truth=0.8, axes=made.left)
    page = Page(made.explorer)
    assert page.live.view.locked
    assert all(w.disabled for w in page.live.widgets.values())
    page.live._hear(page.live.view, {"kind": "guess", "at": 3}, [])
    assert not page.live.view.locked
    assert page.live.view.guess_at == 3
    assert not any(w.disabled for w in page.live.widgets.values())


def test_a_closed_explorer_answers_no_more(page):
    page.live.close()
    heard = len(page.heard)
    page.say([0, 0, 0])
    assert len(page.heard) == heard
    assert page.live.explorer.drawing._background is None


def test_a_cell_run_again_closes_what_it_showed_before(waves, monkeypatch):
    runs = iter([("cell", "1"), ("cell", "1"), ("other", "2"), ("cell", "3")])
    monkeypatch.setattr(view, "_running_cell", lambda: next(runs))
    monkeypatch.setattr(view, "_cells", {})
    first, second, other, again = (view.Live(waves().explorer) for _ in range(4))
    for live in (first, second, other, again):
        view.remember(live)
    assert [live.closed for live in (first, second, other, again)] == [True, True, False, False]


def test_the_lock_is_free_when_nothing_is_drawn(page):
    page.ask([0, 0, 0])
    assert LOCK.acquire(blocking=False)
    LOCK.release()
