"""The notebooks for a class: without solutions, and a page for the teacher."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bloque.checks import exercise
from bloque.checks.marking import asked
from bloque.texts import languages, text

# A fold whose block of code is a whole function is a solution; hints are folds without one.
FOLD = re.compile(
    r"<details\b[^>]*>(?:(?!</details>).)*?```python\n(?:(?!</details>).)*?\bdef (?:(?!</details>).)*?</details>\n?", re.DOTALL
)


def make_class(source: Path, folder: Path) -> Iterator[Path]:
    """Write every notebook under ``source`` without its solutions, and a page a language with aims, minutes and exercises."""
    for code in languages():
        rows = []
        for path in sorted((source / code).glob("[0-9]*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            ids = asked(["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code" and _is_exercise(c)])
            rows.append((path.name, _opening(notebook), ids))
            target = folder / code / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(without_solutions(notebook), ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
            yield target
        if rows:
            page = folder / code / text("checks.class.file", lang=code)
            page.write_text(_page(rows, code), encoding="utf-8", newline="\n")
            yield page


def without_solutions(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook, no fold holding a solution and no output under an exercise; a cell left empty goes."""
    cells = []
    for cell in notebook["cells"]:
        cell = dict(cell)
        if cell["cell_type"] == "markdown":
            kept = FOLD.sub("", "".join(cell["source"])).strip("\n")
            if not kept.strip():
                continue
            cell["source"] = kept
        elif _is_exercise(cell):
            cell["outputs"], cell["execution_count"] = [], None
        cells.append(cell)
    return {**notebook, "cells": cells}


def _is_exercise(cell: dict[str, Any]) -> bool:
    return "exercise" in cell.get("metadata", {}).get("tags", ())


def _opening(notebook: dict[str, Any]) -> tuple[str, str]:
    """The title, and what the first cell says below it: aims and minutes."""
    first = next("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    title, _, rest = first.partition("\n")
    return title.lstrip("# ").strip(), rest.strip()


def _page(rows: list[tuple[str, tuple[str, str], list[str]]], code: str) -> str:
    lines = [f"# {text('checks.class.title', lang=code)}", "", text("checks.class.how", lang=code), ""]
    for name, (title, aims), ids in rows:
        lines += [f"## {title}", "", f"`{name}`", "", aims, ""]
        if ids:
            lines += [f"| {text('checks.class.columns', lang=code)} |", "|---|---|---|---|"]
            for id in ids:
                found = exercise(id)
                name_of = text(f"checks.exercise.{id}.title", lang=code)
                lines.append(f"| `{id}` | {name_of} | {'●' * found.difficulty}{'○' * (3 - found.difficulty)} | {found.minutes} |")
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"
