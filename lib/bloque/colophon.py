"""The line at a notebook's end: with which versions it was verified, and how many outputs were compared.

The facts stand in one file, ``colophon.toml``, written by ``tools/build_notebooks.py`` and only when
the outputs of a notebook change: so a rebuild on another day, or with another patch release, changes
nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from bloque.texts import entry, language, number, text


def colophon(notebook: int) -> None:
    """Print when, with what, and on how many outputs notebook number ``notebook`` was verified."""
    print(sentence(records().get(f"{language()}/{notebook:02d}")))


def records() -> dict[str, Any]:
    """One record a notebook, under "es/01": its date, versions, number of outputs and their digest."""
    file = resources.files("bloque") / "colophon.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def sentence(record: Mapping[str, Any] | None, lang: str | None = None) -> str:
    """What a record says, in a language; None is a notebook that was never built."""
    if record is None:
        return text("colophon.unverified", lang=lang)
    day = record["date"]
    month = entry("colophon.months", lang=lang)[day.month - 1]
    return text(
        "colophon.verified",
        lang=lang,
        date=text("colophon.date", lang=lang, day=day.day, month=month, year=day.year),
        versions=", ".join(f"{name} {version}" for name, version in record["versions"].items()),
        outputs=number(record["outputs"]),
    )
