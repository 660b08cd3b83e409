"""The tour written to a folder, for pages on which no Python runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .render import Base

PART = 250_000  # bytes in one file, about: a second on a slow line


def write_tour(explorer: Any, folder: Path, pixel_ratio: float) -> Path:
    """Write the tour and manifest.json; the manifest's path.

    The manifest is a view's spec, with ``base``, the PNG of the home position, and ``frames``: from a
    position, written "3,0,1", to its caption and where what changes there over the base is found (as
    `render.Base.difference` packs it): in which file, from which byte on, how many bytes. A page that
    fetched each frame by itself would wait longer for the answers than for their bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    home = tuple(c.default for c in explorer.grid)
    base = Base("home", explorer.pixels(home, pixel_ratio)[0])
    (folder / "base.png").write_bytes(base.png)
    frames: dict[str, dict[str, Any]] = {}
    found: dict[bytes, tuple[str, int, int]] = {}  # positions that look the same share their bytes
    parts: list[bytes] = [b""]
    for position in dict.fromkeys([home, *explorer.tour]):
        pixels, caption = explorer.pixels(position, pixel_ratio)
        packed = base.difference(pixels)
        if packed not in found:
            if len(parts[-1]) > PART:
                parts.append(b"")
            found[packed] = (f"part{len(parts)}.bin", len(parts[-1]), len(packed))
            parts[-1] += packed
        file, start, size = found[packed]
        frames[",".join(map(str, position))] = {"file": file, "from": start, "size": size, "caption": caption}
    for number, content in enumerate(parts, 1):
        (folder / f"part{number}.bin").write_bytes(content)
    manifest = explorer.spec() | {"id": explorer.prefix, "ratio": pixel_ratio, "base": "base.png", "frames": frames}
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifest, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    return path
