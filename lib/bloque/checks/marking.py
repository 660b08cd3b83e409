"""Marking notebooks: each in its own kernel, with a time limit; a broken one is a row, not a crash."""

from __future__ import annotations

import ast
import csv
import importlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bloque.texts import text

# Cells are run one by one and may fail: an exercise that is wrong must not keep the next from being tried.
REPORT = """
import bloque.checks as _checks
_marks = []
def _remember(id, candidate, _check=_checks.check):
    result = _check(id, candidate)
    _marks.append([str(id), result.passed, result.mistake, result.message])
    return result
_checks.check = _remember
"""


@dataclass(frozen=True)
class Mark:
    """A row of the table: one exercise of one notebook, or what broke the notebook."""

    notebook: str
    exercise: str
    passed: bool
    mistake: str
    message: str


def mark(
    notebooks: Sequence[Path], *, seconds: float = 120, jobs: int = 2, csv_path: Path | None = None, json_path: Path | None = None
) -> int:
    """Run them, print the table, write it; 1 if anything did not pass."""
    rows: dict[Path, list[Mark]] = {}
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        waiting = {pool.submit(marks_of, path, seconds): path for path in notebooks}
        for done in _progress(as_completed(waiting), len(waiting)):
            rows[waiting[done]] = done.result()
    marks = [row for path in notebooks for row in rows[path]]
    print(as_table(marks))
    if csv_path:
        with csv_path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=["notebook", "exercise", "passed", "mistake", "message"])
            writer.writeheader()
            writer.writerows(asdict(row) for row in marks)
    if json_path:
        json_path.write_text(json.dumps([asdict(row) for row in marks], ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row.passed for row in marks) else 1


def marks_of(path: Path, seconds: float) -> list[Mark]:
    """The rows of one notebook, whatever state it is in."""
    try:
        cells = read_cells(path)
        found, trouble = _run(path, cells, seconds)
    except Exception as error:
        return [_broken(path, f"{type(error).__name__}: {error}")]
    rows = [Mark(str(path), id, passed, mistake or "", message) for id, passed, mistake, message in found]
    reached = {row.exercise for row in rows}
    rows += [Mark(str(path), id, False, "not_reached", text("checks.marking.not_reached")) for id in asked(cells) if id not in reached]
    if trouble:
        rows.append(_broken(path, trouble))
    return rows or [Mark(str(path), "", True, "", text("checks.marking.no_exercises"))]


def _broken(path: Path, trouble: str) -> Mark:
    return Mark(str(path), "", False, "broken", text("checks.marking.broken", trouble=" ".join(trouble.split())[:300]))


def read_cells(path: Path) -> list[str]:
    """The code cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def language_of(paths: Sequence[Path]) -> str | None:
    """The language that all the notebooks speak, as their first cells choose it; None if they differ or do not say."""
    said = set()
    for path in paths:
        try:
            cells = read_cells(path)
        except (OSError, ValueError, LookupError, TypeError):
            continue  # what is wrong with it becomes its row in the table
        said |= set(re.findall(r"""^bloque\.language\(["'](\w+)["']\)""", "\n".join(cells), re.MULTILINE))
    return said.pop() if len(said) == 1 else None


def asked(cells: Sequence[str]) -> list[str]:
    """The ids of the exercises that a notebook checks, in order."""
    ids = []
    for source in cells:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "check" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    ids.append(first.value)
    return list(dict.fromkeys(ids))


class CurrentPython:
    """Put before a kernel manager: its kernels run the Python that runs this, whatever kernels the user has registered."""

    @property
    def kernel_spec(self) -> Any:
        """How such a kernel is started."""
        from jupyter_client.kernelspec import KernelSpec

        argv = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=40"]
        return KernelSpec(argv=argv, display_name="Python 3 (ipykernel)", language="python")


def _run(path: Path, cells: Sequence[str], seconds: float) -> tuple[list[Any], str]:
    """The results of every `check` call, and what stopped the notebook early, if anything did."""
    from jupyter_client.manager import KernelManager

    class Manager(CurrentPython, KernelManager):
        """One kernel of this Python."""

    manager = Manager()
    with tempfile.TemporaryDirectory() as profile:
        manager.start_kernel(
            cwd=str(path.resolve().parent), env=os.environ | {"IPYTHONDIR": profile, "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
        )
        client = manager.client()
        client.start_channels()
        said: list[str] = []

        def listen(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream":
                said.append(message["content"]["text"])

        def execute(code: str, limit: float) -> dict[str, Any]:
            said.clear()
            return client.execute_interactive(code, timeout=limit, output_hook=listen, allow_stdin=False, stop_on_error=False)["content"]

        try:
            client.wait_for_ready(timeout=max(seconds, 30))
            execute(REPORT, 60)
            end = time.monotonic() + seconds  # what a kernel takes to start is not the notebook's fault
            trouble = ""
            for source in cells:
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                reply = execute(source, left)
                if reply["status"] == "error" and not trouble and "check(" not in source:
                    trouble = f"{reply['ename']}: {reply['evalue']}"
            execute("import json as _json; print(_json.dumps(_marks))", 10)
            return json.loads("".join(said)), trouble
        except TimeoutError:
            manager.interrupt_kernel()
            try:
                execute("import json as _json; print(_json.dumps(_marks))", 5)
                found = json.loads("".join(said))
            except Exception:  # a kernel that cannot be interrupted tells nothing
                found = []
            return found, text("checks.marking.too_long", seconds=f"{seconds:g}")
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def _progress(done: Iterator[Any], total: int) -> Iterator[Any]:
    """A bar on the terminal: tqdm's where it is installed, a plain one elsewhere."""
    try:
        yield from importlib.import_module("tqdm").tqdm(done, total=total, file=sys.stderr, unit="nb")
    except ImportError:
        for i, item in enumerate(done, 1):
            print(f"\r[{'#' * (20 * i // total):<20}] {i}/{total}", end="" if i < total else "\n", file=sys.stderr, flush=True)
            yield item


def as_table(marks: Sequence[Mark]) -> str:
    """Rows under each other, then the sum."""
    wide = max((len(row.notebook) for row in marks), default=0)
    names = max((len(row.exercise) for row in marks), default=0)
    lines = []
    for row in marks:
        told = "" if row.passed and row.exercise else row.message if not row.exercise else row.mistake or row.message
        lines.append(f"{'✓' if row.passed else '✗'} {row.notebook:<{wide}}  {row.exercise:<{names}}  {told}".rstrip())
    exercises = [row for row in marks if row.exercise]
    lines.append(text("checks.marking.sum", passed=sum(row.passed for row in exercises), total=len(exercises)))
    return "\n".join(lines)
