"""The explorer in a notebook: real ipywidgets controls, tied in the browser to a view that keeps the frames.

Python is only asked for frames the browser does not have, two questions at a time; a view that does
not exist asks nothing, so nothing runs ahead where nobody looks.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import numpy as np
import traitlets

from .explorer import ExplorerError
from .grid import GridControl
from .keys import Keys
from .render import LOCK, Base, png

DESCRIPTION = {"description_width": "initial"}
_serial = itertools.count(1)


class Slider(ipywidgets.SelectionSlider):
    """A slider over the positions of a control, whose steps Python does not echo."""

    index = traitlets.Int(0, allow_none=True).tag(sync=True, echo_update=False)


class View(anywidget.AnyWidget):
    """What the browser knows of an explorer; positions are the traits p0, p1 …"""

    _esm = Path(__file__).parent / "view.js"
    spec = traitlets.Dict().tag(sync=True)
    epoch = traitlets.Int(0).tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)
    locked = traitlets.Bool(False).tag(sync=True, echo_update=False)
    guess_at = traitlets.Int(0).tag(sync=True, echo_update=False)


class LivePicture(anywidget.AnyWidget):
    """A picture with words for whoever does not see it, which Python may change while it works.

    Neither a stored PNG, as JupyterLab shows it, nor ipywidgets.Image has a place for those words.
    ``caption``: whether the caption that is stored behind it is hidden with the stored picture.
    """

    _esm = """
export default { render({ model, el }) {
  const image = Object.assign(document.createElement("img"), { alt: model.get("alt") });
  image.style.cssText = `display: block; width: min(100%, ${model.get("width")}px)`;
  let address = "";
  const turn = async () => {
    const next = URL.createObjectURL(new Blob([model.get("png")], { type: "image/png" }));
    const ready = Object.assign(new Image(), { src: next });
    await ready.decode().catch(() => {}); // never a blank between two pictures
    image.src = next;
    URL.revokeObjectURL(address);
    address = next;
  };
  let output = null; // the stored picture waits behind, as an explorer's does
  const hiding = model.get("caption") ? ["bloque-shown", "bloque-told"] : ["bloque-shown"];
  const placed = setTimeout(() => { output = el.closest(".jp-OutputArea-child"); output?.classList.add(...hiding); }, 0);
  model.on("change:png", turn);
  turn();
  el.append(image);
  return () => {
    clearTimeout(placed);
    output?.classList.remove(...hiding);
    model.off("change:png", turn);
    URL.revokeObjectURL(address);
  };
} };
"""
    _css = """
.bloque-shown + .jp-OutputArea-child, .bloque-told + .jp-OutputArea-child + .jp-OutputArea-child { display: none; }
"""
    png = traitlets.Bytes().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    width = traitlets.Int(900).tag(sync=True)
    caption = traitlets.Bool(False).tag(sync=True)


def view_class(grid: list[GridControl]) -> type[View]:
    """A view with one trait for each control."""
    traits: dict[str, Any] = {}
    for place, control in enumerate(grid):
        kind: Any = traitlets.Bool if control.kind == "switch" else traitlets.Int
        traits[f"p{place}"] = kind(control.default).tag(sync=True, echo_update=False)
    return type("ExplorerView", (View,), traits)


class Live:
    """The widgets of one explorer that is shown, and its answers to the browser."""

    def __init__(self, explorer: Any):
        self.explorer = explorer
        self.closed = False
        self.bases: dict[tuple[int, ...], Base] = {}
        self.view = view_class(explorer.grid)(spec=explorer.spec(), locked=explorer.guess is not None, guess_at=explorer.guess_default())
        self.view.on_msg(self._hear)
        self.links: list[Any] = []
        self.widgets: dict[str, Any] = {}
        rows = [self._row(control) for control in explorer.controls]
        self.go(explorer.position)
        self.controls = ipywidgets.Box(rows, layout={"display": "grid", "grid_gap": "2px 28px", "width": "100%"})
        self.controls.layout.grid_template_columns = "repeat(auto-fit, minmax(min(100%, 380px), 1fr))"
        self.controls.layout.max_width = f"{explorer.width}px"
        self.controls.layout.order = "1"
        self.controls.layout.margin = "2px 0 4px"
        self.controls.layout.overflow = "visible"
        self.keys = Keys()
        self.box = ipywidgets.VBox([self.view, self.controls, self.keys], layout={"width": "100%", "overflow": "visible"})
        self.box.add_class("bloque-explorer")

    def _row(self, control: Any) -> Any:
        explorer, label = self.explorer, self.explorer.labels[control.name]
        layout = {"width": "auto"}
        common = {"description": label, "description_allow_html": False, "style": DESCRIPTION, "layout": layout}
        if control.free:
            widget: Any = ipywidgets.Text(value=control.write(explorer.free[control.name]), continuous_update=False, **common)
            widget.layout.grid_column = "1 / -1"
            widget.observe(lambda change: self._read(control, widget, change["new"]), "value")
            attribute = ""
        else:
            place = explorer.grid.index(control)
            options = [(readout, i) for i, readout in enumerate(explorer.readouts[control.name])]
            if control.kind == "switch":
                widget = ipywidgets.Checkbox(value=bool(control.default), indent=False, **common)
                attribute = "value"
            elif control.kind == "choice" or control.count == 1:
                widget = ipywidgets.Dropdown(options=options, index=control.default, disabled=control.count == 1, **common)
                attribute = "index"
            else:
                widget = Slider(options=options, index=control.default, **common)
                attribute = "index"
            widget.add_class(f"bloque-at-{place}")
            if control.count > 1:
                self.links.append(ipywidgets.jslink((widget, attribute), (self.view, f"p{place}")))
        widget.add_class("bloque-control")
        if explorer.guess is not None and (control.free or control.count > 1):
            widget.disabled = True
            self.links.append(ipywidgets.jsdlink((self.view, "locked"), (widget, "disabled")))
        self.widgets[control.name] = widget
        return widget

    def go(self, position: tuple[int, ...]) -> None:
        """Move the controls, and with them the view, from Python."""
        for place, control in enumerate(self.explorer.grid):
            widget, index = self.widgets[control.name], position[place]
            if control.kind == "switch":
                widget.value = bool(index)
                setattr(self.view, f"p{place}", bool(index))
            else:
                widget.index = index
                setattr(self.view, f"p{place}", index)

    def position(self) -> tuple[int, ...]:
        """Where the controls stand, whoever moved them there."""
        standing = [(self.widgets[c.name], "value" if c.kind == "switch" else "index") for c in self.explorer.grid]
        return tuple(int(getattr(widget, attribute)) for widget, attribute in standing)

    def write(self, free: dict[str, Any]) -> None:
        """Write new values of free controls in their fields; every frame is another now."""
        for control in self.explorer.controls:
            if control.name in free:
                self.widgets[control.name].value = control.write(free[control.name])
        self.renew()

    def renew(self) -> None:
        """Say that every frame the browser has is of the past."""
        self.view.epoch += 1

    # ── what the browser says ────────────────────────────────────────────────────────────────────

    def _read(self, control: Any, widget: Any, written: str) -> None:
        """A free control was written in."""
        if self.closed:
            return
        if written == control.write(self.explorer.free[control.name]):  # written by us, maybe with fewer digits
            self.view.notice = ""
            return
        try:
            value = control.read(written)
        except ValueError as error:
            self.view.notice = str(error)
            return
        self.view.notice = ""
        if value != self.explorer.free[control.name]:
            with LOCK:
                self.explorer.free[control.name] = value
            self.renew()

    def _hear(self, _view: Any, message: dict[str, Any], _buffers: Any) -> None:
        if self.closed or not isinstance(message, dict):
            return
        if message.get("kind") == "ask":
            self._answer(message)
        elif message.get("kind") == "moved":
            self.go(tuple(message["to"]))
        elif message.get("kind") == "guess":
            self.view.guess_at, self.view.locked = message["at"], False
            for control in self.explorer.controls:
                if control.free or control.count > 1:
                    self.widgets[control.name].disabled = False

    def _answer(self, message: dict[str, Any]) -> None:
        """Draw the positions asked for, in order, until the time given is used up; the first always."""
        began = time.perf_counter()
        frames: list[dict[str, Any]] = []
        pictures: list[bytes] = []
        epoch, ratio = message["epoch"], message["ratio"]
        answer = {"kind": "frames", "id": message["id"], "epoch": epoch, "ratio": ratio, "frames": frames}
        for key in message["keys"]:
            if epoch != self.view.epoch or self.closed:
                break
            try:
                with LOCK:
                    pixels, caption = self.explorer.draw(tuple(key), ratio)
                    told = {"key": key, "caption": caption}
                    if message["plain"]:
                        picture = png(pixels)
                    else:
                        base = self._base(epoch, pixels)
                        told["over"], picture = base.name, base.difference(pixels)
                        if base.name not in (message["base"], answer.get("base")):
                            answer["base"] = base.name
                            pictures.append(base.png)  # always with the first frame, and so the first picture
                frames.append(told)
                pictures.append(picture)
            except Exception as error:
                told = {"key": key, "error": str(error) or type(error).__name__}
                lasting = isinstance(error, ExplorerError)  # the frame function's own: it would fail again
                frames.append(told if lasting else told | {"passing": True})
            if (time.perf_counter() - began) * 1000 >= message["budget"]:
                break
        self.view.send(answer, pictures)

    def _base(self, epoch: int, pixels: np.ndarray) -> Base:
        """The picture that frames of this size are told against; the first one drawn, if there is none yet."""
        size = (epoch, *pixels.shape)
        if size not in self.bases:
            recent = list(self.bases.items())[-1:]  # two, for two windows of different sharpness
            self.bases = dict(recent) | {size: Base(f"{epoch}-{next(_serial)}", pixels)}
        return self.bases[size]

    def close(self) -> None:
        """Stop answering and let everything go."""
        if self.closed:
            return
        self.closed = True
        for link in self.links:
            link.close()
        for widget in (*self.widgets.values(), self.controls, self.view, self.keys, self.box):
            widget.close()
        with LOCK:
            self.bases = {}
            self.explorer.drawing.release()


# ── what lives in which cell ─────────────────────────────────────────────────────────────────────

_cells: dict[str, tuple[str, list[Any]]] = {}  # cell -> its last run, and the views of explorers and pictures that run shows


def shown(now: Any, make: Callable[[], Any]) -> Any:
    """What the running cell shows: ``now`` if it is still open, else what ``make`` makes.

    First, what an earlier run of the same cell showed is closed; not ``now`` itself, and not what
    another cell shows as well.
    """
    cell, run = _running_cell()
    if cell:
        _leave(cell, run, now)
    live = make() if now is None or now.closed else now
    if cell:
        _, lives = _cells.setdefault(cell, (run, []))
        if live not in lives:
            lives.append(live)
    return live


def _leave(cell: str, run: str, now: Any) -> None:
    last, lives = _cells.get(cell, (run, []))
    if last == run:
        return
    del _cells[cell]
    for old in lives:
        if old is not now and not any(old in others for _, others in _cells.values()):
            old.close()


def _running_cell() -> tuple[str, str]:
    from IPython import get_ipython

    shell = get_ipython()
    parent = getattr(shell, "parent_header", None) or {}
    if hasattr(shell, "get_parent"):
        parent = shell.get_parent() or parent
    return parent.get("metadata", {}).get("cellId", ""), parent.get("header", {}).get("msg_id", "")
