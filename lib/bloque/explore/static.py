"""The tour written to a folder, for pages on which no Python runs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .stored import few_colours, palette_of


def write_tour(explorer: Any, folder: Path, pixel_ratio: float) -> Path:
    """Write one PNG for each different picture of the tour, and manifest.json; the manifest's path.

    The manifest is a view's spec, with ``frames``: from a position, written "3,0,1", to the
    picture's file and its caption.
    """
    folder.mkdir(parents=True, exist_ok=True)
    frames: dict[str, dict[str, str]] = {}
    home = tuple(c.default for c in explorer.grid)
    telling = np.concatenate([explorer.pixels(p)[0] for p in dict.fromkeys([home, *explorer.strip])])
    palette = palette_of(telling)  # one for the whole tour: choosing colours takes longer than drawing
    for position in dict.fromkeys([home, *explorer.tour]):
        pixels, caption = explorer.pixels(position, pixel_ratio)
        png = few_colours(pixels, palette)
        file = f"{hashlib.sha256(png).hexdigest()[:16]}.png"
        (folder / file).write_bytes(png)
        frames[",".join(map(str, position))] = {"file": file, "caption": caption}
    manifest = explorer.spec() | {"id": explorer.prefix, "ratio": pixel_ratio, "frames": frames}
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path
