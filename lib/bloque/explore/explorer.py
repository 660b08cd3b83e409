"""A figure and some controls made into an explorer."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist

from bloque.clock import own_seconds
from bloque.texts import entry, optional, text

from . import style
from .grid import Control, GridControl
from .guess import Guess
from .outputs import publish
from .render import HIGHEST_RATIO, LOCK, Drawing, png
from .static import write_tour
from .stored import RATIO, with_strip
from .tour import LONGEST_TOUR, Position, default_strip, default_tour, telling_positions

MOST_BYTES = 32_000_000  # PNGs and decoded pictures together, in the browser, for each explorer
MOST_FRAMES = 700
SLOWEST_FRAME = 5.0  # seconds; a slider whose pictures take longer is no slider


class ExplorerError(ValueError):
    """An explorer that cannot be built or drawn, and why, in the reader's language."""


class Explorer:
    """A figure with controls: sliders move it, its caption says what it shows.

    Written whole, an explorer is a function like this one. Draw everything once; name the artists
    that move; in the frame change their data only, and return the caption with the key result.

    >>> import numpy as np
    >>> import bloque
    >>> from bloque.explore import Explorer, Slider, style
    >>> from bloque.texts import number, text
    >>> def wave():
    ...     explorer = Explorer("explore.example", figsize=(6, 3), controls=[Slider("speed", 1, 10, value=2)])
    ...     axes = explorer.figure.subplots()
    ...     x = np.linspace(0, 1, 200)
    ...     axes.set(xlim=(0, 1), ylim=(-1.1, 1.1), title=text("explore.example.axes"))
    ...     (line,) = axes.plot(x, np.sin(x), color=style.QUERIES)
    ...     explorer.moving(line)
    ...     @explorer.frame
    ...     def frame(speed):
    ...         line.set_ydata(np.sin(2 * np.pi * speed * x))
    ...         return text("explore.example.caption", speed=number(speed))
    ...     return explorer
    >>> language = bloque.language("en")
    >>> explorer = wave()
    >>> explorer
    2 waves in one second.
    >>> explorer.at(speed=3)
    '3 waves in one second.'

    The texts it needs, under its prefix, in each language::

        [explore.example]
        title = "Waves"
        alt = "A curve that rises and falls."
        axes = "height in one second"
        caption = "{speed} waves in one second."
        controls.speed = "waves in a second"

    and, where there are such controls, ``options.<name>.<option>``, ``units.<name>`` (written behind
    a slider's number) and ``guess.<name>`` (the question).

    ``tour``: the positions that tell the story, at most 300: they are drawn ahead and are what a
    static page carries; by default every slider's whole range and every option, the other controls
    at their defaults. ``strip``: the four or five positions of the stored picture.
    """

    def __init__(
        self,
        prefix: str,
        *,
        figsize: tuple[float, float] = (9, 3),
        controls: Sequence[Control] = (),
        tour: Iterable[Mapping[str, Any]] | None = None,
        strip: Iterable[Mapping[str, Any]] | None = None,
        guess: Guess | None = None,
    ):
        self.prefix = prefix
        self.title = text(f"{prefix}.title")
        self.alt = text(f"{prefix}.alt")
        self.controls: list[Any] = list(controls)
        names = [control.name for control in self.controls]
        if len(set(names)) != len(names):
            raise ExplorerError(text("explore.errors.same_name", names=", ".join(names)))
        self.grid: list[GridControl] = [c for c in self.controls if isinstance(c, GridControl)]
        self.free: dict[str, Any] = {c.name: c.value for c in self.controls if c.free}
        self.labels = {name: text(f"{prefix}.controls.{name}") for name in names}
        self.readouts = {c.name: [self._readout(c, i) for i in range(c.count)] for c in self.grid}
        self.position: Position = tuple(c.default for c in self.grid)
        self.figure = style.figure(prefix, figsize)
        self.drawing = Drawing(self.figure)
        self.caption = ""
        self.guess = guess
        self._function: Callable[..., str] | None = None
        self._places: dict[str, Any] | None = None  # where a click on the picture chooses what
        self._live: Any = None
        self.tour = default_tour(self.grid) if tour is None else self._positions(tour)
        if len(self.tour) > LONGEST_TOUR:
            raise ExplorerError(text("explore.errors.long_tour", name=prefix, count=len(self.tour), most=LONGEST_TOUR))
        self.strip = default_strip(self.grid) if strip is None else self._positions(strip)

    def _readout(self, control: GridControl, index: int) -> str:
        written = control.readout(index, self.prefix)
        unit = optional(f"{self.prefix}.units.{control.name}")
        return f"{written} {unit}" if unit else written

    def _positions(self, wanted: Iterable[Mapping[str, Any]]) -> list[Position]:
        return list(dict.fromkeys(self.locate(**values) for values in wanted))

    # ── what an author says ──────────────────────────────────────────────────────────────────────

    def moving(self, *artists: Any) -> None:
        """Name the artists that the frame changes: artists, containers (bars, stems) or lists of them."""
        flat = list(_flatten(artists))
        for artist in flat:
            if not isinstance(artist, Artist):
                raise ExplorerError(text("explore.errors.not_an_artist", given=type(artist).__name__))
            if artist.get_figure() is not self.figure:
                raise ExplorerError(text("explore.errors.other_figure", given=type(artist).__name__))
        self.drawing.move(flat)

    def clickable(self, control: str, boxes: Mapping[Any, Any]) -> None:
        """Let a click on the picture choose an option: {option: artist}, each where its artist stands.

        The control stays, for the keyboard and for whoever does not see the picture.
        """
        place = next((i for i, c in enumerate(self.grid) if c.name == control), None)
        if place is None:
            raise ExplorerError(text("explore.errors.no_control", name=control, known=", ".join(c.name for c in self.grid)))
        self.drawing.pixels(RATIO)  # the layout settles with the first drawing
        corner = self.figure.transFigure.inverted()
        boxes_found = []
        for option, artist in boxes.items():
            (left, low), (right, high) = corner.transform(artist.get_window_extent().get_points())
            index = self.grid[place].index_of(option)
            boxes_found.append([index, *(round(float(v), 4) for v in (left, 1 - high, right, 1 - low))])
        self._places = {"control": place, "boxes": boxes_found}

    def redraw(self) -> None:
        """Draw this frame whole: for when limits, ticks or anything that was not named moving has changed."""
        self.drawing.forget(relayout=True)

    def frame(self, function: Callable[..., str]) -> Callable[..., str]:
        """The function that puts the picture at a position. It is tried at every end and option at once."""
        self._function = function
        positions = telling_positions(self.grid)
        drawn = {positions[0], positions[-1]}  # drawing takes fifty times as long as the frame itself
        for position in positions:
            began = own_seconds()
            if position in drawn:
                self.draw(position, RATIO)  # the ratio of the stored picture, which then needs no second whole drawing
            else:
                self._set(position)
            taken = own_seconds() - began
            if taken > SLOWEST_FRAME:
                raise ExplorerError(text("explore.errors.slow", where=self.where(position), seconds=f"{taken:.0f}", most=SLOWEST_FRAME))
        self.caption = self._set(self.position)
        return function

    # ── positions ────────────────────────────────────────────────────────────────────────────────

    def locate(self, **values: Any) -> Position:
        """The grid position of some values, the other controls at their defaults."""
        unknown = set(values) - {c.name for c in self.grid}
        if unknown:
            known = ", ".join(c.name for c in self.grid)
            raise ExplorerError(text("explore.errors.no_control", name=", ".join(sorted(unknown)), known=known))
        return tuple(c.index_of(values[c.name]) if c.name in values else c.default for c in self.grid)

    def values(self, position: Position) -> dict[str, Any]:
        """What the frame is called with at a position."""
        return {c.name: c.value_of(i) for c, i in zip(self.grid, position, strict=True)} | self.free

    def where(self, position: Position) -> str:
        """A position in the reader's words."""
        return ", ".join(f"{self.labels[c.name]}: {self.readouts[c.name][i]}" for c, i in zip(self.grid, position, strict=True))

    def at(self, **values: Any) -> str:
        """Go to a position, the controls that are not named staying where they are; the caption there.

        When something is wrong with a value, or the frame fails there, nothing moves.
        """
        with LOCK:
            free = {c.name: c.check(values.pop(c.name)) for c in self.controls if c.free and c.name in values}
            named = self.locate(**values)
            here = tuple(new if c.name in values else old for c, new, old in zip(self.grid, named, self._present(), strict=True))
            before, self.free = self.free, self.free | free
            try:
                self.caption = self._set(here)
            except ExplorerError:
                self.free = before
                raise
            self.position = here
        if self._live is not None and not self._live.closed:
            self._live.go(self.position)
            if free:
                self._live.write(free)
        return self.caption

    def _present(self) -> Position:
        """Where the controls stand: on a page they may have been dragged since Python last moved them."""
        return self.position if self._live is None or self._live.closed else self._live.position()

    def _follow(self) -> None:
        """Go where the reader has dragged the controls; a position that cannot be drawn is left alone."""
        with LOCK, contextlib.suppress(ExplorerError):
            here = self._present()
            self.caption = self._set(here)
            self.position = here

    # ── pictures ─────────────────────────────────────────────────────────────────────────────────

    def _set(self, position: Position) -> str:
        """Call the frame function at a position and see that what it did can be shown."""
        if self._function is None:
            raise ExplorerError(text("explore.errors.no_frame"))
        values = self.values(position)
        try:
            caption = self._function(**values)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise ExplorerError(text("explore.errors.raised", where=self.where(position), error=told)) from error
        if not isinstance(caption, str) or not caption.strip():
            raise ExplorerError(text("explore.errors.no_caption", given=type(caption).__name__))
        for artist in self.drawing.moving:
            if _broken(artist):
                raise ExplorerError(text("explore.errors.nan", where=self.where(position), artist=type(artist).__name__))
        return caption

    def draw(self, position: Position, ratio: float = 1) -> tuple[np.ndarray, str]:
        """The frame at a position as (height, width, 4) bytes that the next drawing overwrites, and its caption."""
        with LOCK:
            caption = self._set(position)
            return self.drawing.pixels(min(max(ratio, 1.0), HIGHEST_RATIO)), caption

    def picture(self, position: Position, ratio: float = 1) -> tuple[bytes, str]:
        """The frame at a position: a PNG with ``ratio`` pixels a point of the figure, and its caption."""
        with LOCK:
            pixels, caption = self.draw(position, ratio)
            return png(pixels), caption

    def pixels(self, position: Position, ratio: float = 1) -> tuple[np.ndarray, str]:
        """The frame at a position as (height, width, 4) bytes of its own, and its caption."""
        with LOCK:
            pixels, caption = self.draw(position, ratio)
            return pixels.copy(), caption

    def still(self, *, ratio: float = 1, **values: Any) -> bytes:
        """The PNG of one position, the other controls at their defaults."""
        return self.picture(self.locate(**values), ratio)[0]

    def stored_png(self) -> bytes:
        """The present picture and, below it, the strip of telling positions."""
        with LOCK:
            strip = [(self._strip_label(p), self.pixels(p, RATIO)[0]) for p in self.strip]
            present = self.pixels(self.position, RATIO)[0]
        return with_strip(present, strip)

    def _strip_label(self, position: Position) -> str:
        """Only the controls that differ somewhere in the strip are worth saying."""
        told = [
            f"{self.labels[c.name]}: {self.readouts[c.name][p]}"
            for c, p, *others in zip(self.grid, position, *self.strip, strict=True)
            if len(set(others)) > 1
        ]
        return " · ".join(told) or self.where(position)

    # ── in a notebook and on a page ──────────────────────────────────────────────────────────────

    @property
    def spec_id(self) -> str:
        """Which explorer of this session a view shows."""
        return f"{self.prefix}/{id(self):x}"

    @property
    def width(self) -> int:
        """The picture's width on the page, in CSS pixels."""
        return style.page_size(self.figure)[0]

    def spec(self) -> dict[str, Any]:
        """All that a view has to know, in the language in force; nothing in it changes later."""
        guess = None
        if self.guess is not None:
            with LOCK:
                self.draw(self.position, self.drawing.ratio)
                place = self.guess.place(self.figure)
            guess = self.guess.spec(self.prefix, place)
        return {
            "id": self.spec_id,
            "title": self.title,
            "alt": self.alt,
            "width": self.width,
            "height": style.page_size(self.figure)[1],
            "caption": self.caption,
            "controls": [
                {
                    "name": c.name,
                    "label": self.labels[c.name],
                    "kind": c.kind,
                    "count": c.count,
                    "default": c.default,
                    "readouts": self.readouts[c.name],
                }
                for c in self.grid
            ],
            "free": [{"name": c.name, "label": self.labels[c.name], "value": c.write(self.free[c.name])} for c in self.controls if c.free],
            "tour": [list(p) for p in self.tour],
            "guess": guess,
            "places": self._places,
            "texts": dict(entry("explore.view")),
            "most_bytes": MOST_BYTES,
            "most_frames": MOST_FRAMES,
        }

    def guess_default(self) -> int:
        """Where the slider of the guess stands before it is moved; 0 without a guess."""
        return 0 if self.guess is None else self.guess.slider.default

    def export(self, folder: Path | str, *, pixel_ratio: float = 2) -> Path:
        """Write the tour for a static page: its frames, and a manifest that view.js and static.js read."""
        return write_tour(self, Path(folder), pixel_ratio)

    def __repr__(self) -> str:
        return self.caption

    def _ipython_display_(self) -> None:
        """Show the live view, the stored picture and the caption: three outputs, in this order."""
        from . import view

        if self._live is not None:
            self._follow()  # so that what is stored is what the view shows
        self._live = view.shown(self._live, lambda: view.Live(self))
        publish(self.stored_png(), self.caption, self.alt, width=self.width, view=self._live.box.model_id)


def _flatten(artists: Iterable[Any]) -> Iterator[Any]:
    for artist in artists:
        if isinstance(artist, (list, tuple, np.ndarray)):
            yield from _flatten(artist)
        else:
            yield artist


def _broken(artist: Any) -> bool:
    """Whether an artist holds a NaN where a number must be. A gap in a line is not one."""
    if not artist.get_visible():
        return False
    if hasattr(artist, "get_ydata"):
        data = np.asarray(artist.get_ydata(orig=False), dtype=float)
        return bool(data.size) and not np.isfinite(data).any()
    if hasattr(artist, "get_height") and hasattr(artist, "get_width"):
        return any(math.isnan(v) for v in (artist.get_x(), artist.get_y(), artist.get_width(), artist.get_height()))
    if hasattr(artist, "get_array") and artist.get_array() is not None:
        return bool(np.isnan(np.ma.filled(np.ma.asarray(artist.get_array(), dtype=float), 0)).any())
    if hasattr(artist, "get_unitless_position"):
        return any(math.isnan(v) for v in artist.get_unitless_position())
    return False
