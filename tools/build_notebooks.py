"""Build the notebooks: the .py is the truth, the .ipynb is made from it, executed and cleaned.

    python tools/build_notebooks.py                                all of them
    python tools/build_notebooks.py notebooks/es/02_raiz_dk.py …   these
    python tools/build_notebooks.py --check [FILES…]               fail if anything would change
    python tools/build_notebooks.py --inputs [FILES…]              do not execute: keep the outputs there are

Building twice changes no byte: cell ids come from the code (so they are the same in every language),
outputs lose whatever depends on the moment, and the line of the colophon comes from a file that
changes only when the outputs do. Times of files are never trusted.
"""

from __future__ import annotations

import argparse
import ast
import base64
import copy
import datetime
import hashlib
import io
import os
import platform
import re
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # started as a script, only tools/ is on the path
    sys.path.insert(0, str(ROOT))

from bloque import colophon
from bloque.checks.marking import CurrentPython
from tools.setup_cell import setup_cell

FORMAT = "py:percent"
FILTERS = {"notebook_metadata_filter": "kernelspec,-all", "cell_metadata_filter": "tags,-all"}
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE_INFO = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
COMPARED = ("text/plain", "text/html", "image/svg+xml", "text/markdown", "text/latex")
VERSIONS = {"NumPy": "numpy", "Matplotlib": "matplotlib", "ipywidgets": "ipywidgets", "JupyterLab": "jupyterlab"}
CELL_SECONDS = 600  # a cell that takes longer hangs; the promise of 5 s is printed, not enforced on a busy machine
SLOW_CELL = 5.0


# ── the .py ──────────────────────────────────────────────────────────────────────────────────────


def read_script(path: Path) -> NotebookNode:
    """The notebook that a .py in percent format describes: no outputs, no ids."""
    return jupytext.reads(path.read_text(encoding="utf-8"), fmt=FORMAT)


def write_script(notebook: NotebookNode) -> str:
    """The .py of a notebook, as JupyterLab with jupytext would write it."""
    plain = copy.deepcopy(notebook)
    plain.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "jupytext": dict(FILTERS)})
    for cell in plain.cells:
        cell.metadata = kept(cell.metadata)
    return jupytext.writes(plain, fmt=FORMAT)


def kept(metadata: NotebookNode) -> NotebookNode:
    """What of a cell's metadata belongs to the course; the rest is the editor's and the moment's."""
    return nbformat.from_dict({key: value for key, value in metadata.items() if key in ("tags", "lines_to_next_cell")})


def fill_in(notebook: NotebookNode, language: str, number: int) -> None:
    """Write the cells that are the same everywhere: the one tagged "setup" and the one tagged "colophon"."""
    for tag, source in {"setup": setup_cell(language), "colophon": colophon_cell(number)}.items():
        tagged = [cell for cell in notebook.cells if tag in cell.metadata.get("tags", ())]
        if len(tagged) != 1:
            raise BuildError(f'needs exactly one code cell with tags=["{tag}"], has {len(tagged)}')
        tagged[0].source = source


def colophon_cell(number: int) -> str:
    """The last code cell of a notebook."""
    return f"from bloque.colophon import colophon\n\ncolophon({number})"


class BuildError(Exception):
    """A notebook that cannot be built, and why, in one line."""


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────


def skeleton(source: str) -> str:
    """The code without comments and with its strings masked: what must be equal in every language."""
    return ast.dump(_Masked().visit(ast.parse(source)))


class _Masked(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.copy_location(ast.Constant("…"), node) if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        # the order of the fields belongs to the sentence, and so to the language
        fields = sorted(ast.unparse(self.visit(part)) for part in node.values if isinstance(part, ast.FormattedValue))
        return ast.copy_location(ast.Constant("…" + "".join(fields)), node)


def give_ids(cells: Iterable[NotebookNode], number: int) -> None:
    """Ids from the code: a code cell's own skeleton; a text cell counts on from the code before it.

    A cell that is put in or taken out leaves the ids of the others as they were.
    """
    seen: Counter[str] = Counter()
    last = f"{number:02d}-top"
    for cell in cells:
        if cell.cell_type == "code":
            try:
                seed = skeleton(cell.source)
            except SyntaxError:
                seed = cell.source
            name = last = f"{number:02d}-{hashlib.sha256(seed.encode()).hexdigest()[:8]}"
        else:
            name = f"{last}-text"
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name}-{seen[name]}"
            if cell.cell_type == "code":
                last = name
        cell.id = name


# ── running ──────────────────────────────────────────────────────────────────────────────────────


class ThisPython(CurrentPython, AsyncKernelManager):
    """A kernel of the Python that runs this script."""


def execute(notebook: NotebookNode, folder: Path) -> list[float]:
    """Run every cell in ``folder``; returns the seconds that each code cell took."""
    seconds: list[float] = []
    start = [0.0]

    def before(cell: NotebookNode, cell_index: int) -> None:
        start[0] = time.perf_counter()

    def after(cell: NotebookNode, cell_index: int, **_: Any) -> None:
        seconds.append(time.perf_counter() - start[0])

    client = NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        timeout=CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=before,
        on_cell_executed=after,
    )
    with tempfile.TemporaryDirectory() as profile:  # the user's own IPython settings have no say
        client.execute(env=os.environ | {"IPYTHONDIR": profile, "PYTHONUTF8": "1"})
    return seconds


# ── cleaning ─────────────────────────────────────────────────────────────────────────────────────


def clean(notebook: NotebookNode) -> None:
    """Leave in a notebook only what would be the same if it were run again."""
    # the filters: without them JupyterLab refuses a pair whose .py is older
    notebook.metadata = nbformat.from_dict({"jupytext": FILTERS, "kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    count = 0
    for cell in notebook.cells:
        cell.metadata = kept(cell.metadata)
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.outputs = [_clean_output(output, count) for output in _joined(cell.outputs)]


def _joined(outputs: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Streams of one name as one output: how print is cut into messages is chance."""
    streams: dict[str, NotebookNode] = {}
    for output in outputs:
        if output.output_type != "stream":
            yield output
        elif output.name not in streams:
            streams[output.name] = output
            output.text = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == output.name)
            yield output


def _clean_output(output: NotebookNode, count: int) -> NotebookNode:
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    if output.output_type == "execute_result":
        output.execution_count = count
    if "data" in output:
        output.data.pop(WIDGET_VIEW, None)  # without its model a saved widget says only "model not found"
        if "image/png" in output.data:
            output.data["image/png"] = bare_png(output.data["image/png"])
    return output


def bare_png(encoded: str) -> str:
    """A base64 PNG without text and time chunks, which name the version that made it."""
    data = base64.b64decode(encoded)
    kept, position = [data[:8]], 8
    while position < len(data):
        end = position + 12 + int.from_bytes(data[position : position + 4], "big")
        if data[position + 4 : position + 8] not in (b"tEXt", b"zTXt", b"iTXt", b"tIME"):
            kept.append(data[position:end])
        position = end
    return base64.b64encode(b"".join(kept)).decode()


# ── the colophon ─────────────────────────────────────────────────────────────────────────────────


def compared(notebook: NotebookNode) -> list[str]:
    """The outputs that the tests compare, the colophon's own left out."""
    texts = []
    for cell in notebook.cells:
        if cell.cell_type != "code" or "colophon" in cell.metadata.get("tags", ()):
            continue
        for output in cell.outputs:
            if output.output_type == "stream":
                texts.append(output.text)
            elif output.output_type == "error":
                texts.append(output.traceback[0])
            else:
                texts += [output.data[kind] for kind in COMPARED if kind in output.data]
    return texts


def record_of(notebook: NotebookNode, previous: dict[str, Any] | None) -> dict[str, Any]:
    """What the colophon will say: the previous record, unless the outputs have changed."""
    texts = compared(notebook)
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    if previous and previous["digest"] == digest:
        return previous
    return {
        "date": datetime.datetime.now(datetime.UTC).date(),
        "outputs": len(texts) + 1,  # and the colophon's own
        "digest": digest,
        "versions": {"Python": platform.python_version()} | {name: metadata.version(key) for name, key in VERSIONS.items()},
    }


def write_records(records: dict[str, Any]) -> str:
    """The stored file, in the order of the notebooks."""
    text = io.StringIO()
    text.write("# Written by tools/build_notebooks.py; a record changes only when the outputs of its notebook do.\n")
    for key in sorted(records):
        record = records[key]
        versions = ", ".join(f'{name} = "{version}"' for name, version in record["versions"].items())
        text.write(f'\n["{key}"]\ndate = {record["date"]}\noutputs = {record["outputs"]}\n')
        text.write(f'digest = "{record["digest"]}"\nversions = {{ {versions} }}\n')
    return text.getvalue()


def say_record(notebook: NotebookNode, record: dict[str, Any], language: str) -> None:
    """Put the sentence of the record where the colophon cell printed that of the record before it."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and "colophon" in cell.metadata.get("tags", ()):
            said = colophon.sentence(record, language) + "\n"
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=said)]


# ── one notebook ─────────────────────────────────────────────────────────────────────────────────


class Builder:
    """Builds notebooks of one course folder; with ``check`` it writes nothing and remembers what differs."""

    def __init__(self, root: Path = ROOT, *, check: bool = False, run: bool = True) -> None:
        self.records_file = root / "lib" / "bloque" / "colophon.toml"
        self.check = check
        self.run = run
        self.changed: list[Path] = []

    def build(self, script: Path) -> list[float]:
        """Write the .ipynb beside ``script`` (and the script, if it was not as jupytext writes it)."""
        language, number = script.parent.name, int(script.stem[:2])
        target = script.with_suffix(".ipynb")
        notebook = read_script(script)
        fill_in(notebook, language, number)
        source = write_script(notebook)
        notebook = jupytext.reads(source, fmt=FORMAT)
        give_ids(notebook.cells, number)
        notebook.metadata["kernelspec"] = nbformat.from_dict(KERNELSPEC)

        seconds: list[float] = []
        if self.run:
            self._records()  # a file that cannot be read is told now: the colophon's cell would only stumble over it
            try:
                seconds = execute(notebook, script.parent)
            except CellExecutionError as error:
                raise BuildError(re.sub(r"\x1b\[[\d;]*m", "", str(error))) from None
        elif target.exists():
            keep_outputs(notebook, nbformat.read(target, as_version=4))
        clean(notebook)

        key = f"{language}/{number:02d}"
        if self.run:
            records = self._records()
            records[key] = record_of(notebook, records.get(key))
            self._write(self.records_file, write_records(records))
            say_record(notebook, records[key], language)
        nbformat.validate(notebook)
        self._write(script, source)
        self._write(target, nbformat.writes(notebook).rstrip("\n") + "\n")
        return seconds

    def _records(self) -> dict[str, Any]:
        """The records there are, read anew each time: another build may have written some."""
        if not self.records_file.exists():
            return {}
        try:
            return tomllib.loads(self.records_file.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            place = "/".join(self.records_file.parts[-3:])
            raise BuildError(f"{place} cannot be read ({error}); after a merge: git checkout --ours {place}") from None

    def _write(self, path: Path, text: str) -> None:
        data = text.encode()
        if path.exists() and path.read_bytes() == data:
            return
        self.changed.append(path)
        if not self.check:
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            beside.write_bytes(data)
            os.replace(beside, path)  # never half a file, also when another build runs


def keep_outputs(notebook: NotebookNode, old: NotebookNode) -> None:
    """Carry the outputs of the notebook that stands there over to the cells whose code is still the same."""
    before = {shared(cell) or cell.id: cell for cell in old.cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        twin = before.get(shared(cell) or cell.id) if cell.cell_type == "code" else None
        if twin is not None and (shared(cell) or twin.source == cell.source):
            cell.outputs = twin.outputs


def shared(cell: NotebookNode) -> str:
    """The tag of a cell that this script writes itself, or nothing: what such a cell prints does not hang on its code."""
    return next((tag for tag in cell.metadata.get("tags", ()) if tag in ("setup", "colophon")), "")


def scripts(root: Path = ROOT) -> list[Path]:
    """Every notebook of the course, as its .py."""
    return sorted((root / "notebooks").glob("*/[0-9][0-9]_*.py"))


def main(arguments: list[str] | None = None) -> int:
    """Build what the command line asks for, tell how long each took, and fail if one cannot be built."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="notebooks/<language>/NN_name.py; none: all")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if anything would change")
    parser.add_argument("--inputs", action="store_true", help="do not execute, keep the outputs there are")
    options = parser.parse_args(arguments)

    builder = Builder(check=options.check, run=not options.inputs)
    failed = 0
    known = scripts()
    if strange := [str(file) for file in options.files if file.resolve().with_suffix(".py") not in known]:
        print(f"no such notebook: {', '.join(strange)}; expected notebooks/<language>/NN_name.py", file=sys.stderr)
        return 2
    for script in [file.resolve().with_suffix(".py") for file in options.files] or known:
        name = f"{script.parent.name}/{script.stem}"
        try:
            seconds = builder.build(script)
        except BuildError as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
            continue
        if seconds:
            slowest = max(seconds)
            note = f", slowest cell {seconds.index(slowest) + 1}: {slowest:.1f} s" + (" (too slow)" if slowest > SLOW_CELL else "")
            print(f"{name}: {len(seconds)} code cells, {sum(seconds):.1f} s{note}")
        else:
            print(f"{name}: inputs only")
    for path in builder.changed:
        print(("would change " if options.check else "wrote ") + str(path))
    return 1 if failed or (options.check and builder.changed) else 0


if __name__ == "__main__":
    sys.exit(main())
