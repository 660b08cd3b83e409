"""Where the course's data files are, however the library was installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bloque.texts import text


def data_file(name: str) -> Path:
    """The path of a file of data/.

    Looked for in the folder that BLOQUE_DATA names, in the repository this library is run from,
    and in data/ beside the current folder or one of the three above it.
    Raises FileNotFoundError when it is in none of them.
    """
    folders = list(_folders())
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(text("files.missing", name=name, folders=", ".join(str(folder) for folder in folders)))


def _folders() -> Iterator[Path]:
    if chosen := os.environ.get("BLOQUE_DATA"):
        yield Path(chosen)
    yield Path(__file__).resolve().parents[2] / "data"
    here = Path.cwd()
    yield from (folder / "data" for folder in (here, *here.parents[:3]))
