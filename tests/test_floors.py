"""The library's floors: each imports only from those below it, and the lowest needs nothing but NumPy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[1] / "lib" / "bloque"

# folder or module -> floor; what is not named here is one of the pieces, floor 1
FLOORS = {
    "texts": 0,
    "clock": 0,
    "verdict": 0,
    "model": 2,
    "files": 2,
    "training": 2,
    "explore": 3,
    "checks": 4,
    "quiz": 4,
    "lessons": 5,
    "colophon": 5,
    "__main__": 5,
}
PIECES = 1
SHOWING = {"matplotlib", "ipywidgets", "anywidget", "IPython", "PIL"}
THIRD_PARTY_OF_FLOOR = {0: set(), 1: {"numpy"}, 2: {"numpy"}}  # above, Matplotlib and the widgets too


def floor(module: str) -> int:
    """Of a dotted name under bloque."""
    parts = module.split(".")
    return FLOORS.get(parts[1], PIECES) if len(parts) > 1 else PIECES


def imports(path: Path, root: Path) -> Iterator[str]:
    """The full names of everything a module imports, relative ones resolved."""
    package = ".".join(["bloque", *path.relative_to(root).parent.parts])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package.split(".")[: len(package.split(".")) - node.level + 1], *([base] if base else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def upward(root: Path) -> list[str]:
    """Imports that climb, and third-party modules that a low floor must not need."""
    problems = []
    for path in sorted(root.rglob("*.py")):
        name = ".".join(["bloque", *path.relative_to(root).with_suffix("").parts])
        own = floor(name)
        for imported in imports(path, root):
            top = imported.split(".")[0]
            if top == "bloque":
                # "import bloque" itself is floor 1: what it exports are the pieces
                if floor(imported) > own:
                    problems.append(f"{name} (floor {own}) imports {imported} (floor {floor(imported)})")
            elif top not in sys.stdlib_module_names and own in THIRD_PARTY_OF_FLOOR and top not in THIRD_PARTY_OF_FLOOR[own]:
                problems.append(f"{name} (floor {own}) imports {top}")
    return problems


def test_every_import_goes_down() -> None:
    assert upward(LIBRARY) == []


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("norm.py", "from bloque.explore import Explorer"),
        ("norm.py", "import matplotlib"),
        ("texts/__init__.py", "import numpy"),
        ("explore/grid.py", "from ..lessons import multi_head"),
        ("model/weights.py", "from bloque.checks import check"),
        ("quiz/widget.py", "def f():\n    from bloque.lessons.sqrt_dk import width"),
    ],
)
def test_an_import_that_climbs_is_seen(where: str, line: str, tmp_path: Path) -> None:
    (tmp_path / where).parent.mkdir(exist_ok=True)
    (tmp_path / where).write_text(line + "\n", encoding="utf-8")
    assert len(upward(tmp_path)) == 1


def test_importing_the_course_brings_nothing_but_numpy() -> None:
    code = "import sys, numpy; before = set(sys.modules); import bloque"  # what NumPy itself brings is its own affair
    told = "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    brought = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}\n{told}"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert set(brought.stdout.split()) - {"numpy", "__main__", "__mp_main__"} == {"bloque"}
    assert not SHOWING & set(brought.stdout.split())
