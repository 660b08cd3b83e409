"""The stored picture: what stays in a notebook when nothing runs. Small, sharp, and it tells the movement."""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from .style import ACCENT, BACKGROUND, TEXT

RATIO = 1.5
COLOURS = 128


def few_colours(pixels: np.ndarray | Image.Image, palette: Image.Image | None = None) -> bytes:
    """A PNG of few colours: a third of the bytes, and the eye sees no difference in a plot.

    ``palette`` (from `palette_of`) saves the choice of colours.
    """
    found = np.ascontiguousarray(np.asarray(pixels)[..., :3])
    few = Image.fromarray(found).quantize(palette=palette or palette_of(found), dither=Image.Dither.NONE)
    written = io.BytesIO()
    # The last tenth of the bytes costs six times the time: worth it once, not for every frame of a tour.
    few.save(written, "PNG", **({"optimize": True} if palette is None else {"compress_level": 6}))
    return written.getvalue()


def palette_of(pixels: np.ndarray) -> Image.Image:
    """The colours that cover most of a picture, each kept exactly: white stays white, a small mark its colour.

    Cutting colour space in boxes, as quantisers do, greys the background and the small marks.
    """
    rgb = pixels[..., :3].astype(np.uint32)
    packed, times = np.unique(rgb[..., 0] << 16 | rgb[..., 1] << 8 | rgb[..., 2], return_counts=True)
    kept = packed[np.lexsort((packed, -times))][:COLOURS].tolist()
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in kept for part in (colour >> 16, colour >> 8 & 255, colour & 255)])
    return palette


def with_strip(present: np.ndarray, strip: list[tuple[str, np.ndarray]]) -> bytes:
    """The present picture, and below it smaller ones, each under a line that says its position."""
    height, width = present.shape[:2]
    if not strip:
        return few_colours(present)
    gap = width // 60
    columns = 2 if width > 2 * height and len(strip) in (2, 4) else min(len(strip), 3)
    lines = -(-len(strip) // columns)
    small = (width - gap * (columns - 1)) // columns
    low = round(small * height / width)
    font = _font(round(width / 75))
    head = round(width / 75 * 1.7)
    sheet = Image.new("RGB", (width, height + gap + lines * (head + low + gap // 2)), BACKGROUND)
    sheet.paste(Image.fromarray(np.ascontiguousarray(present[..., :3])), (0, 0))
    pen = ImageDraw.Draw(sheet)
    pen.line([(0, height + gap // 2), (width, height + gap // 2)], fill="#DDDDDD", width=2)
    for i, (label, pixels) in enumerate(strip):
        x = (i % columns) * (small + gap)
        y = height + gap + (i // columns) * (head + low + gap // 2)
        pen.rectangle([x, y + head // 4, x + 3, y + head - head // 4], fill=ACCENT)
        pen.text((x + 10, y + head // 2), label, font=font, fill=TEXT, anchor="lm")
        picture = Image.fromarray(np.ascontiguousarray(pixels[..., :3])).resize((small, low), Image.Resampling.LANCZOS)
        sheet.paste(picture, (x, y + head))
    return few_colours(sheet)


@functools.cache
def _font(size: int) -> Any:
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), size)
