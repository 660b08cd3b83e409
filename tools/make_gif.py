"""The moving picture at the top of README.md: the slider of lesson 1 is dragged, and softmax saturates.

    python tools/make_gif.py            writes docs/saturation.gif

The frames are those of the lesson's own explorer; only the slider below them is drawn here.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # started as a script, only tools/ is on the path
    sys.path.insert(0, str(ROOT))

import bloque
from bloque.explore import style
from bloque.lessons.softmax_saturation import saturation

WIDTH = 900
BAR = 56  # height of the slider's strip
MILLISECONDS = 90
LARGEST = 1_000_000  # bytes


def drawn_slider(share: float, readout: str, label: str) -> Image.Image:
    """A slider with its thumb at ``share`` of the track."""
    strip = Image.new("RGB", (WIDTH, BAR), "white")
    draw = ImageDraw.Draw(strip)
    font = ImageFont.truetype(font_file(), 17)
    left, right, middle = 250, WIDTH - 130, BAR // 2
    draw.text((left - 18, middle), label, font=font, fill=style.TEXT, anchor="rm")
    draw.line([(left, middle), (right, middle)], fill=style.GRID, width=6)
    thumb = left + share * (right - left)
    draw.line([(left, middle), (thumb, middle)], fill=style.ACCENT, width=6)
    draw.ellipse([thumb - 10, middle - 10, thumb + 10, middle + 10], fill=style.ACCENT)
    draw.text((right + 24, middle), readout, font=font, fill=style.TEXT, anchor="lm")
    return strip


def font_file() -> str:
    """The font that Matplotlib brings with it, so that the picture is the same everywhere."""
    from matplotlib import font_manager

    return font_manager.findfont("DejaVu Sans")


def frames() -> list[Image.Image]:
    """From equal weights to one weight of 1 and back, resting at both ends."""
    explorer = saturation()
    control = next(c for c in explorer.controls if c.name == "scale")
    indices = list(range(0, control.count, 2))
    pictures = []
    for index in [indices[0]] * 4 + indices + [indices[-1]] * 6 + indices[::-2]:
        value = control.value_of(index)
        picture = Image.open(io.BytesIO(explorer.still(ratio=1, scale=value))).convert("RGB")
        height = round(picture.height * WIDTH / picture.width)
        frame = Image.new("RGB", (WIDTH, height + BAR), "white")
        frame.paste(picture.resize((WIDTH, height), Image.Resampling.LANCZOS), (0, 0))
        frame.paste(drawn_slider(index / (control.count - 1), explorer.readouts["scale"][index], explorer.labels["scale"]), (0, height))
        pictures.append(frame.quantize(64, dither=Image.Dither.NONE))
    return pictures


def main() -> int:
    """Write the moving picture; fail if it is too large."""
    bloque.language("es")
    first, *rest = frames()
    target = ROOT / "docs" / "saturation.gif"
    target.parent.mkdir(exist_ok=True)
    first.save(target, save_all=True, append_images=rest, duration=MILLISECONDS, loop=0, optimize=True)
    size = target.stat().st_size
    print(f"{target}: {len(rest) + 1} frames, {size / 1000:.0f} kB")
    return 0 if size < LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
