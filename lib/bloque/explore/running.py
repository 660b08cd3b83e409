"""A picture of work that takes seconds or minutes, redrawn as the work goes on."""

from __future__ import annotations

import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from bloque.texts import number, text

from . import style
from .explorer import ExplorerError
from .outputs import publish
from .render import LOCK, Drawing, png
from .stored import few_colours

FAILED = "color: #222; background: #FDECEA; border: 1px solid #B3261E; border-radius: 3px; padding: 6px 10px; line-height: 1.4"
PATIENCE = 5.0  # seconds in which closing waits for the step in hand


class RunningPicture:
    """A picture with a button that starts, stops and resumes some work, and a bar that says how far it is.

    Draw everything once; name the artists that move; in the frame change their data only, and return
    the caption. ``step`` does one step of the work and returns how many are done; ``measure`` finds out
    what the frame is to show, which may take its time; the frame is called with what it returns: at
    once, after every ``every`` steps, and when the work rests.

    The work has a thread of its own, so the explorers of the page keep answering. In a browser's
    Python, which has no threads, it takes turns with the rest of the page.

    The texts it needs, under its prefix: ``alt``, ``progress`` (before the bar) and, for the button,
    ``start``, ``stop``, ``resume`` and ``done``.
    """

    def __init__(
        self,
        prefix: str,
        *,
        step: Callable[[], int],
        measure: Callable[[], Any],
        steps: int,
        done: int = 0,
        every: int = 10,
        figsize: tuple[float, float] = (9, 4),
    ):
        self.prefix = prefix
        self.alt = text(f"{prefix}.alt")
        self.steps, self.done, self.every = steps, done, every
        self._began = done
        self.figure = style.figure(prefix, figsize)
        self.drawing = Drawing(self.figure)
        self.caption = ""
        self.running = threading.Event()  # set while the work is wanted
        self.worker: Any = None
        self._step, self._measure = step, measure
        self._function: Callable[[Any], str] | None = None
        self._shown_at = -1  # how many steps were done when it was last drawn
        self._turn = threading.Lock()  # a press and the end of the work must not cross
        self._open()

    def _open(self) -> None:
        """Make the widgets."""
        import ipywidgets

        from .keys import Keys
        from .view import LivePicture

        self.closed = False
        self.button = ipywidgets.Button(button_style="primary")
        self.bar = ipywidgets.IntProgress(min=0, max=self.steps, description=text(f"{self.prefix}.progress"))
        self.told = ipywidgets.Label()
        self.failure = ipywidgets.HTML()
        self.image = LivePicture(alt=self.alt, width=style.page_size(self.figure)[0], caption=True)
        self.button.on_click(lambda _: self.toggle())
        row, keys = ipywidgets.HBox([self.button, self.bar, self.told], layout={"flex_flow": "row wrap"}), Keys()  # in a narrow page
        self.box = ipywidgets.VBox([row, self.failure, self.image, keys])
        self._widgets = (self.button, self.bar, self.told, self.failure, self.image, row, keys, self.box)
        self._rest()

    # ── what an author says ──────────────────────────────────────────────────────────────────────

    def moving(self, *artists: Any) -> None:
        """Name the artists that the frame changes."""
        self.drawing.move(artists)

    def frame(self, function: Callable[[Any], str]) -> Callable[[Any], str]:
        """The function that puts the picture where the work stands. It is tried at once."""
        self._function = function
        self.look()
        return function

    # ── the work ─────────────────────────────────────────────────────────────────────────────────

    def look(self) -> None:
        """Measure and draw where the work stands."""
        if self._function is None:
            raise ExplorerError(text("explore.errors.no_frame"))
        measured = self._measure()
        with LOCK:
            self.caption = self._function(measured)
            picture = png(self.drawing.pixels(1))
        self._shown_at = self.done
        self._show(picture)

    def _show(self, picture: bytes) -> None:
        self.image.png, self.bar.value, self.told.value = picture, self.done, self.caption

    def toggle(self) -> None:
        """Start, stop or resume."""
        with self._turn:
            if self.running.is_set():
                self.running.clear()
            elif not self.closed and self.done < self.steps:
                self.running.set()
                self._fail("")
                self.button.description, self.button.icon = text(f"{self.prefix}.stop"), "pause"
                if self.worker is None:  # else it is at its last step, and goes on
                    self._start()

    def wait(self, seconds: float = 120) -> None:
        """Wait until the work rests; in a browser's Python there is no waiting."""
        worker = self.worker
        if isinstance(worker, threading.Thread) and worker is not threading.current_thread():
            worker.join(seconds)

    def close(self) -> None:
        """Stop the work and let everything go; what is done stays done, and showing it again goes on from there."""
        if self.closed:
            return
        self.closed = True
        self.running.clear()
        self.wait(PATIENCE)
        for widget in self._widgets:
            widget.close()
        with LOCK:
            self.drawing.release()

    def _turns(self) -> Iterator[None]:
        """Work while that is wanted, one step a turn. However it ends, the page then says how it stands."""
        resting = False
        while not resting:
            failure = ""
            try:
                while self.running.is_set() and self.done < self.steps:
                    self.done = self._step()
                    if self.done % self.every == 0:
                        self.look()
                    yield
                if self._shown_at != self.done and not self.closed:
                    self.look()
            except Exception as error:  # the work's own, whatever it is: it belongs on the page, not in a dead thread
                failure = text("explore.errors.stopped", step=number(self.done), error=f"{type(error).__name__}: {error}")
            with self._turn:
                resting = bool(failure) or not self.running.is_set() or self.done >= self.steps
                if resting:
                    self.running.clear()
                    self._rest()
                    self._fail(failure)
                    self.worker = None  # last: whoever waits for it finds the page as it will stay

    def _rest(self) -> None:
        """The button says what a press would do."""
        finished = self.done >= self.steps
        words = "done" if finished else "start" if self.done == self._began else "resume"
        self.button.description = text(f"{self.prefix}.{words}")
        self.button.icon, self.button.disabled = "check" if finished else "play", finished

    def _fail(self, told: str) -> None:
        """Say in place why the work stopped; "" says that it did not."""
        self.failure.value = f'<div role="alert" style="{FAILED}">{html.escape(told)}</div>' if told else ""
        self.failure.layout.display = None if told else "none"

    def _start(self) -> None:
        if sys.platform == "emscripten":
            import asyncio

            async def turns() -> None:
                for _ in self._turns():
                    await asyncio.sleep(0)

            self.worker = asyncio.ensure_future(turns())
            return

        def thread() -> None:
            for _ in self._turns():
                time.sleep(0.002)  # lets the kernel answer the explorers

        self.worker = threading.Thread(target=thread, daemon=True)
        self.worker.start()

    # ── in a notebook ────────────────────────────────────────────────────────────────────────────

    def __repr__(self) -> str:
        return self.caption

    def _reopened(self) -> RunningPicture:
        self._open()
        self.look()
        return self

    def _ipython_display_(self) -> None:
        """Show button, bar and picture, the stored picture and the caption, as an explorer does."""
        from .view import shown

        shown(self, self._reopened)
        with LOCK:
            picture = few_colours(self.drawing.pixels(2))
        publish(picture, self.caption, self.alt, width=style.page_size(self.figure)[0], view=self.box.model_id)
