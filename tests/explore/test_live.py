"""The widgets of an explorer and their answers, without a browser: messages in, messages out."""

import itertools

import numpy as np
import pytest

from bloque.explore import Guess, Picture, outputs, style, view
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
    assert "passing" not in message["frames"][0]
    assert buffers == []
    assert "error" not in page.ask([1, 0, 0])[0]["frames"][0]


def test_an_error_that_is_not_the_frames_own_may_pass(page, monkeypatch):
    monkeypatch.setattr(page.live.explorer.drawing, "pixels", lambda ratio: bytes(-1))
    (told,) = page.ask([2, 0, 0])[0]["frames"]
    assert (told["key"], told["passing"]) == ([2, 0, 0], True)
    monkeypatch.undo()
    assert "error" not in page.ask([2, 0, 0])[0]["frames"][0]


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


def test_python_leaves_controls_where_the_reader_dragged_them(page):
    explorer = page.live.explorer
    explorer._live = page.live
    page.live.widgets["speed"].index = 7
    page.live.widgets["rule"].index = 1
    assert explorer.at(grid=True) == "speed 8, square, highest 3"
    assert page.live.position() == explorer.position == (7, 1, 1)
    page.live.widgets["grid"].value = False
    page.live.close()  # nobody sees it any more
    assert explorer.at(rule="sine") == "speed 8, sine, highest 3"


def test_python_writes_what_stands_in_a_field(page):
    explorer = page.live.explorer
    explorer._live = page.live
    precise = (1.23456789, 2, 3)
    explorer.at(heights=precise)
    assert page.live.widgets["heights"].value == "1.23457  2  3"
    assert explorer.free["heights"] == precise  # the digits that the field leaves out are kept
    assert page.live.view.epoch == 1
    with pytest.raises(ValueError, match="99"):
        explorer.at(heights=[4, 5, 6], speed=99)
    assert (page.live.view.epoch, explorer.free["heights"]) == (1, precise)


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


@pytest.fixture
def cell(monkeypatch):
    """``cell("a", x, …)`` runs a cell that shows these; what ``published`` holds is what the page was given."""
    runs = itertools.count()
    here = []
    monkeypatch.setattr(view, "_running_cell", lambda: here[-1])
    monkeypatch.setattr(view, "_cells", {})
    published = []
    monkeypatch.setattr(outputs, "publish_view", published.append)
    monkeypatch.setattr("IPython.display.display", lambda *shown, **how: None)

    def run(name, *shown):
        here.append((name, str(next(runs))))
        for each in shown:
            each._ipython_display_()
        return [each._live for each in shown if hasattr(each, "_live")]

    run.published = published
    return run


def test_a_cell_run_again_closes_what_it_showed_before(waves, cell):
    first, second, other, again = (waves().explorer for _ in range(4))
    lives = cell("cell", first, second) + cell("other", other)
    assert not any(live.closed for live in lives)
    lives += cell("cell", again)
    assert [live.closed for live in lives] == [True, True, False, False]


def test_the_same_explorer_run_twice_keeps_its_view(waves, cell):
    explorer = waves().explorer
    (live,) = cell("cell", explorer)
    assert cell("cell", explorer, explorer) == [live, live]
    assert not live.closed
    assert cell.published == [live.box.model_id] * 3
    cell("cell", waves().explorer)
    assert live.closed
    (anew,) = cell("cell", explorer)  # as after "explorer = …" in one cell and "explorer" in another
    assert anew is not live
    assert not anew.closed
    assert cell.published[-1] == anew.box.model_id


def test_two_cells_show_it_and_one_is_run_again(waves, cell):
    explorer = waves().explorer
    (live,) = cell("a", explorer)
    assert cell("b", explorer) == [live]
    cell("a", waves().explorer)
    assert not live.closed  # cell b shows it still
    cell("b", waves().explorer)
    assert live.closed


def test_without_a_cell_nothing_is_closed(waves, cell, monkeypatch):
    monkeypatch.setattr(view, "_running_cell", lambda: ("", ""))
    explorer = waves().explorer
    assert cell("", explorer) == cell("", explorer)
    assert not explorer._live.closed
    assert view._cells == {}


def test_shown_again_its_picture_and_caption_are_those_of_the_view(waves, cell, monkeypatch):
    explorer = waves().explorer
    (live,) = cell("a", explorer)
    live.widgets["speed"].index = 7
    live.widgets["heights"].value = "4 5 6"
    cell("b", explorer)
    assert repr(explorer) == "speed 8, sine, highest 6"
    monkeypatch.setattr(explorer, "_function", lambda **values: 1 / 0 if values["speed"] == 5 else "drawn")
    live.widgets["speed"].index = 4  # cannot be drawn: the page says so, and what is stored stays
    cell("b", explorer)
    assert explorer.position == (7, 0, 0)


def test_a_still_picture_is_let_go_as_well(waves, cell):
    figure = style.figure(figsize=(2, 1))
    cell("a", Picture(figure, "caption", "alt"))
    (_, (shown,)) = view._cells["a"]
    cell("a", waves().explorer)
    assert shown.comm is None
    assert shown not in view._cells["a"][1]


def test_the_lock_is_free_when_nothing_is_drawn(page):
    page.ask([0, 0, 0])
    assert LOCK.acquire(blocking=False)
    LOCK.release()
