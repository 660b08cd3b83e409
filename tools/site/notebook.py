"""A notebook run in this process, so that its explorers and pictures can be met as objects.

The stored outputs say what a reader sees; the objects carry what a file cannot: the frames of a
tour, the alt text of a picture, the questions of a quiz.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


@dataclass
class RunCell:
    """One cell: its source, its stored outputs, and the object its last expression gave."""

    kind: str
    source: str
    tags: list[str]
    outputs: list[Cell] = field(default_factory=list)
    value: Any = None


def run(path: Path) -> list[RunCell]:
    """The cells of a built notebook, code cells executed in order in one namespace.

    Raises RuntimeError naming the notebook and the cell when a cell fails.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for position, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        run_cell = RunCell(cell["cell_type"], source, cell["metadata"].get("tags", []), cell.get("outputs", []))
        if run_cell.kind == "code":
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(path.parent):
                    run_cell.value = last_value(source, namespace, f"{path.name}[{position}]")
            except Exception as error:
                raise RuntimeError(f"{path}: cell {position} fails: {error!r}") from error
        cells.append(run_cell)
    return cells


def last_value(source: str, namespace: dict[str, Any], name: str) -> Any:
    """Execute a cell; the value of its last line if that line is an expression."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), name, "eval"), namespace) if last else None
