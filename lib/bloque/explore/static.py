"""The tour written to a folder, for pages on which no Python runs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from .render import Base


def write_tour(explorer: Any, folder: Path, pixel_ratio: float) -> Path:
    """Write the tour and manifest.json; the manifest's path.

    The manifest is a view's spec, with ``base``, the PNG of the home position, and ``frames``: from a
    position, written "3,0,1", to its caption and the file of what changes there over the base (as
    `render.Base.difference` packs it; positions that look the same share a file).
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = tuple(c.default for c in explorer.grid)
    base = Base("home", explorer.pixels(home, pixel_ratio)[0])
    (folder / "base.png").write_bytes(base.png)
    frames: dict[str, dict[str, str]] = {}
    for position in dict.fromkeys([home, *explorer.tour]):
        pixels, caption = explorer.pixels(position, pixel_ratio)
        packed = base.difference(pixels)
        file = f"{hashlib.sha256(packed).hexdigest()[:16]}.bin"
        (folder / file).write_bytes(packed)
        frames[",".join(map(str, position))] = {"file": file, "caption": caption}
    manifest = explorer.spec() | {"id": explorer.prefix, "ratio": pixel_ratio, "base": "base.png", "frames": frames}
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path
