"""What a cell shows: a live view if there is one, the stored picture, and the caption as an output of its own."""

from __future__ import annotations

import base64
import html
from typing import Any


def publish(png: bytes, caption: str, alt: str, *, width: float, view: Any = None) -> None:
    """Show view, picture and caption, in this order and as three outputs.

    In one bundle with a widget the picture would never be reached once the widget is gone, and
    a picture hides the text it shares a bundle with.
    """
    from IPython.display import display

    if view is not None:
        publish_view(view)
    picture = {"image/png": base64.b64encode(png).decode("ascii")}
    display(picture, raw=True, metadata={"image/png": {"width": round(width), "alt": alt}})
    display({"text/plain": caption, "text/html": caption_html(caption, width)}, raw=True)


def caption_html(caption: str, width: float) -> str:
    """A caption as prose: as plain text JupyterLab breaks it inside words, and others do not wrap it at all."""
    return f'<p style="max-width: {round(width)}px; margin: 0; white-space: pre-line">{html.escape(caption)}</p>'


def publish_view(model_id: str) -> None:
    """Show the widget of a model as an output of its own."""
    from IPython.display import display

    display({"application/vnd.jupyter.widget-view+json": {"version_major": 2, "version_minor": 0, "model_id": model_id}}, raw=True)
