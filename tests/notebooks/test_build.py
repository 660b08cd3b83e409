"""The build: it changes no byte the second time, and JupyterLab opens what it leaves."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.conftest import lay
from tools import build_notebooks
from tools.build_notebooks import Builder, BuildError, bare_png, give_ids, scripts

PNG_WITH_TEXT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAAEHRFWHRTb2Z0d2FyZQB4IDMuMTEu9Gu95QAAAApJREFUeJxjaAAAAIIAgXfNcrYAAAAASUVORK5CYII="
)


def test_building_twice_changes_no_byte(sample: Path) -> None:
    before = {path: path.read_bytes() for path in sample.rglob("*") if path.is_file()}
    builder = Builder(sample)
    for script in scripts(sample):
        builder.build(script)
    assert builder.changed == []
    assert {path: path.read_bytes() for path in sample.rglob("*") if path.is_file()} == before


def test_check_writes_nothing_and_names_what_differs(sample: Path) -> None:
    script, _ = scripts(sample)
    notebook = script.with_suffix(".ipynb")
    script.write_text(script.read_text(encoding="utf-8").replace("0.665.", "0.665!"), encoding="utf-8")
    before = notebook.read_bytes()
    builder = Builder(sample, check=True)
    builder.build(script)
    assert builder.changed == [notebook]
    assert notebook.read_bytes() == before


def test_an_edit_of_the_script_survives_a_younger_notebook(sample: Path) -> None:
    """Where jupytext --sync would trust the time and bring the old text back."""
    script, _ = scripts(sample)
    script.write_text(script.read_text(encoding="utf-8").replace("elsewhere", "in another place"), encoding="utf-8")
    os.utime(script, (0, 0))
    Builder(sample, run=False).build(script)
    assert "in another place" in script.read_text(encoding="utf-8")
    assert "in another place" in script.with_suffix(".ipynb").read_text(encoding="utf-8")


def test_a_cell_that_raises_stops_the_build(tmp_path: Path) -> None:
    folder = lay(tmp_path / "course")
    script, _ = scripts(folder)
    script.write_text(script.read_text(encoding="utf-8").replace("weights.max()", "weights.most()"), encoding="utf-8")
    with pytest.raises(BuildError, match="most"):
        Builder(folder).build(script)
    assert not script.with_suffix(".ipynb").exists()


def test_records_that_a_merge_left_half_done_are_told_before_anything_runs(sample: Path) -> None:
    records = sample / "lib" / "bloque" / "colophon.toml"
    records.write_text("<" * 7 + " HEAD\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in sample.rglob("*") if path.is_file()}
    with pytest.raises(BuildError, match=r"lib/bloque/colophon.toml cannot be read .*git checkout --ours"):
        Builder(sample).build(scripts(sample)[0])
    assert {path: path.read_bytes() for path in before} == before


def test_ids_are_the_same_in_each_language_and_stay_when_a_cell_is_put_in(sample: Path) -> None:
    notebooks = [nbformat.read(script.with_suffix(".ipynb"), as_version=4) for script in scripts(sample)]
    assert [cell.id for cell in notebooks[0].cells] == [cell.id for cell in notebooks[1].cells]
    notebook = notebooks[0]
    before = [cell.id for cell in notebook.cells]
    notebook.cells.insert(3, nbformat.v4.new_code_cell("a_new_cell = 1"))
    give_ids(notebook.cells, 1)
    after = [cell.id for cell in notebook.cells]
    changed = [id for id in before if id not in after]
    assert changed == [before[3]] or changed == []
    assert len(set(after)) == len(after)


def test_the_colophon_changes_only_with_the_outputs(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = (sample / "lib" / "bloque" / "colophon.toml").read_bytes()
    monkeypatch.setattr(build_notebooks.platform, "python_version", lambda: "3.99.0")
    script, other = scripts(sample)
    Builder(sample).build(script)
    assert (sample / "lib" / "bloque" / "colophon.toml").read_bytes() == records

    script.write_text(script.read_text(encoding="utf-8").replace("weights.max(), 3", "weights.max(), 4"), encoding="utf-8")
    Builder(sample).build(script)
    now = (sample / "lib" / "bloque" / "colophon.toml").read_text(encoding="utf-8")
    assert now.count("3.99.0") == 1
    assert "Python 3.99.0" in script.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert "Python 3.99.0" not in other.with_suffix(".ipynb").read_text(encoding="utf-8")


def test_a_picture_loses_the_name_of_the_version_that_drew_it() -> None:
    assert b"tEXtSoftware" in base64.b64decode(PNG_WITH_TEXT)
    bare = bare_png(PNG_WITH_TEXT)
    assert b"tEXt" not in base64.b64decode(bare)
    assert bare_png(bare) == bare


@pytest.mark.parametrize("younger", [".py", ".ipynb"])
def test_jupyterlab_opens_the_pair_whatever_the_times_of_its_files(sample: Path, younger: str) -> None:
    """A fresh clone sets the times at will; with jupytext's own contents manager, as JupyterLab uses it."""
    from jupytext import TextFileContentsManager

    manager = TextFileContentsManager(root_dir=str(sample))
    for script in scripts(sample):
        for path in (script, script.with_suffix(".ipynb")):
            moment = 2_000_000_000 if path.suffix == younger else 1_000_000_000
            os.utime(path, (moment, moment))
        for path in (script, script.with_suffix(".ipynb")):
            model = manager.get(path.relative_to(sample).as_posix())
            built = nbformat.read(script.with_suffix(".ipynb"), as_version=4)
            assert [cell.source for cell in model["content"].cells] == [cell.source for cell in built.cells]


def test_saving_in_jupyterlab_leaves_the_script_as_it_was(sample: Path) -> None:
    from jupytext import TextFileContentsManager

    manager = TextFileContentsManager(root_dir=str(sample))
    script, _ = scripts(sample)
    before = script.read_bytes()
    path = script.with_suffix(".ipynb").relative_to(sample).as_posix()
    manager.save(manager.get(path), path)
    assert script.read_bytes() == before
