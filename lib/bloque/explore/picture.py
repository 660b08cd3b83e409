"""A figure that does not move, with its caption: what a plain Matplotlib figure lacks in a notebook."""

from __future__ import annotations

from typing import Any

from . import style
from .render import Drawing
from .stored import few_colours


class Picture:
    """A figure whose text is its caption: nbval compares the caption, a screen reader reads it.

    Written as a cell's last expression it shows the picture, and the caption below it.
    """

    def __init__(self, figure: Any, caption: str, alt: str):
        self.figure = figure
        self.caption = caption
        self.alt = alt

    def __repr__(self) -> str:
        return self.caption

    def png(self, ratio: float = 2) -> bytes:
        """The picture as a PNG, with ``ratio`` pixels for each CSS pixel of the figure."""
        return few_colours(Drawing(self.figure).pixels(ratio))

    def _ipython_display_(self) -> None:
        from .outputs import publish
        from .view import LivePicture, shown

        picture, width = self.png(), style.page_size(self.figure)[0]
        view = shown(None, lambda: LivePicture(png=picture, alt=self.alt, width=width))
        publish(picture, self.caption, self.alt, width=width, view=view.model_id)
