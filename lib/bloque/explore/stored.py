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
COMMONEST = 64  # so many of them are the colours that cover most


def few_colours(pixels: np.ndarray | Image.Image) -> bytes:
    """A PNG of few colours: a third of the bytes, and the eye sees no difference in a plot."""
    packed = _packed(np.asarray(pixels))
    runs, lengths = _runs(packed.ravel())
    colours, places = np.unique(runs, return_inverse=True)
    palette, nearest = _palette(_parts(colours), np.bincount(places, lengths))
    few = Image.fromarray(np.repeat(nearest[places], lengths).reshape(packed.shape))
    few.putpalette(palette.astype(np.uint8).tobytes())
    written = io.BytesIO()
    few.save(written, "PNG", compress_level=8)  # 9 takes more than twice as long for one byte in a hundred
    return written.getvalue()


def _runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The value and the length of each run of equal values: a plot is mostly long runs, and sorting is what takes time."""
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[starts], np.diff(np.append(starts, values.size))


def _palette(colours: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The colours kept, (few, 3), each exactly, and for every colour (n, 3) the place of the nearest kept.

    First those that cover most of the picture, so that white stays white. Then, one by one, the colour
    that is worst off: pixels times the square of their distance to what is kept, so that a small mark
    or a rare cell of a map keeps its own. Cutting colour space in boxes, as quantisers do, greys both.
    """
    kept = list(np.argsort(-times, kind="stable")[:COMMONEST])
    nearest = np.zeros(len(colours), dtype=np.uint8)
    distance = np.full(len(colours), np.inf)
    for place in range(min(COLOURS, len(colours))):
        if place >= len(kept):
            kept.append(int((times * distance).argmax()))
        to_it = ((colours - colours[kept[place]]) ** 2).sum(-1)
        closer = to_it < distance
        nearest[closer], distance[closer] = place, to_it[closer]
    return colours[kept], nearest


def _packed(pixels: np.ndarray) -> np.ndarray:
    """Each pixel's colour as one integer."""
    red, green, blue = (pixels[..., channel].astype(np.uint32) for channel in range(3))
    return red << 16 | green << 8 | blue


def _parts(packed: np.ndarray) -> np.ndarray:
    return np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=-1).astype(np.int32)


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
