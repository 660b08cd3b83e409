"""A picture of work that goes on: its button, its end, its errors, and that nothing of it outlives its cell."""

import threading
import time

import pytest

import bloque
from bloque.explore import ExplorerError, RunningPicture, outputs, view
from bloque.texts import table

TEXTS = {"alt": "A line.", "progress": "steps", "start": "Start", "stop": "Stop", "resume": "Resume", "done": "Done"}


@pytest.fixture
def work(monkeypatch):
    for code in ("en", "es"):
        monkeypatch.setitem(table(code), "work", TEXTS)
    return Work


class Work:
    """Work whose every step waits until the test lets it go; ``spoil`` says at which step what is raised."""

    def __init__(self, steps=30, spoil=None, held=False):
        self.steps, self.spoil = 0, spoil or {}
        self.looks = []
        self.gate = threading.Semaphore(0 if held else 10**6)
        self.running = RunningPicture("work", step=self.step, measure=lambda: self.steps, steps=steps, every=10, figsize=(3, 2))
        axes = self.running.figure.subplots()
        axes.set(xlim=(0, steps), ylim=(0, 1))
        (line,) = axes.plot([0, 0], [0, 1])
        self.running.moving(line)

        @self.running.frame
        def frame(measured):
            self.looks.append(measured)
            line.set_xdata([measured, measured])
            return f"{measured} done"

    def step(self):
        assert self.gate.acquire(timeout=10)
        if self.steps in self.spoil:
            raise self.spoil[self.steps]
        self.steps += 1
        return self.steps

    def press(self):
        self.running.button.click()


def test_it_is_drawn_at_once_every_few_steps_and_when_it_rests(work):
    made = work(steps=25)
    assert (made.looks, repr(made.running), made.running.button.description) == ([0], "0 done", "Start")
    before = made.running.image.png
    made.press()
    made.running.wait()
    assert made.looks == [0, 10, 20, 25]
    assert (made.running.bar.value, made.running.told.value, repr(made.running)) == (25, "25 done", "25 done")
    assert made.running.image.png != before
    assert (made.running.button.description, made.running.button.disabled) == ("Done", True)
    made.press()
    assert not made.running.running.is_set()


def test_it_stops_and_goes_on(work):
    made = work(held=True)
    made.press()
    made.gate.release(3)
    while made.steps < 3:
        time.sleep(0.001)
    assert made.running.button.description == "Stop"
    made.press()
    made.gate.release()  # the step in hand
    made.running.wait()
    assert made.running.button.description == "Resume"
    assert made.looks == [0, made.steps]
    made.gate.release(100)
    made.press()
    made.running.wait()
    assert made.steps == 30


def test_a_stop_that_is_taken_back_within_a_step_goes_on(work):
    made = work(held=True)
    for _ in range(3):  # start, stop, start: all before the first step is done
        made.press()
    made.gate.release(100)
    made.running.wait()
    assert made.steps == 30


@pytest.mark.parametrize(("language", "told"), [("en", "stopped at step 7"), ("es", "en el paso 7")])
def test_work_that_fails_says_so_in_its_place_and_can_go_on(work, language, told):
    bloque.language(language)
    made = work(spoil={7: ZeroDivisionError("<nothing> to divide by")})
    made.press()
    made.running.wait()
    running = made.running
    assert told in running.failure.value
    assert "ZeroDivisionError: &lt;nothing&gt; to divide by" in running.failure.value
    assert 'role="alert"' in running.failure.value
    assert running.failure.layout.display is None
    assert (running.button.description, running.button.disabled, running.running.is_set()) == ("Resume", False, False)
    assert running.worker is None
    made.spoil.clear()
    made.press()
    running.wait()
    assert (made.steps, running.failure.value, running.failure.layout.display) == (30, "", "none")


def test_a_look_that_fails_stops_it_too(work, monkeypatch):
    made = work()
    monkeypatch.setattr(made.running, "_measure", lambda: {}["heads"])
    made.press()
    made.running.wait()
    assert "KeyError" in made.running.failure.value
    assert made.steps == 10
    assert not made.running.running.is_set()


def test_without_a_frame_it_says_what_is_missing(work):
    made = RunningPicture("work", step=int, measure=int, steps=3)
    with pytest.raises(ExplorerError, match=r"\w"):
        made.look()


@pytest.fixture
def cell(monkeypatch):
    """``cell(x)`` runs one and the same cell, which now shows x."""
    run = []
    monkeypatch.setattr(view, "_running_cell", lambda: ("cell", str(len(run))))
    monkeypatch.setattr(view, "_cells", {})
    published = []
    monkeypatch.setattr(outputs, "publish_view", published.append)
    monkeypatch.setattr("IPython.display.display", lambda *shown, **how: None)

    def show(picture):
        run.append(picture)
        picture._ipython_display_()
        return published[-1]

    return show


def test_a_cell_run_again_stops_the_work_and_lets_its_widgets_go(work, cell):
    before = threading.active_count()
    old = work(steps=10**6)
    cell(old.running)
    old.press()
    cell(work().running)
    assert threading.active_count() == before
    assert old.running.closed
    assert all(widget.comm is None for widget in old.running._widgets)
    steps = old.steps
    old.running.toggle()  # nothing to press is left, but a program could
    assert (old.running.running.is_set(), old.steps) == (False, steps)


def test_the_same_picture_shown_again_goes_on(work, cell):
    made = work(held=True)
    made.press()
    assert cell(made.running) == cell(made.running) == made.running.box.model_id
    assert made.running.running.is_set()
    made.gate.release(100)
    made.running.wait()
    assert made.steps == 30


def test_shown_again_after_another_it_has_widgets_and_what_it_had_done(work, cell):
    made = work(spoil={12: StopIteration()})
    made.press()
    made.running.wait()
    first = cell(made.running)
    cell(work().running)
    assert cell(made.running) != first
    assert not made.running.closed
    assert (made.running.bar.value, made.running.button.description, repr(made.running)) == (12, "Resume", "12 done")
    made.spoil.clear()
    made.press()
    made.running.wait()
    assert made.steps == 30
