"""`python -m bloque check` and `python -m bloque class`, on notebooks that are right, wrong and broken."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import bloque
from bloque.__main__ import main
from bloque.checks.classroom import without_solutions
from bloque.checks.marking import asked, language_of, read_cells
from bloque.texts import text

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = "import numpy as np\nimport bloque\nfrom bloque.checks import check"
GOOD = "def softmax(scores):\n    return bloque.softmax(scores)\ncheck('softmax', softmax)"
BAD = "def causal_mask(n):\n    return np.triu(np.ones((n, n), dtype=bool))\ncheck('causal_mask', causal_mask)"


@pytest.fixture(autouse=True)
def _english():
    before = bloque.language()
    bloque.language("en")
    yield
    bloque.language(before)


def notebook(path: Path, *cells: str) -> Path:
    code = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": c, "outputs": [], "execution_count": None}
        for i, c in enumerate(cells)
    ]
    path.write_text(json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    return path


def test_marks_of_right_wrong_and_broken_notebooks(tmp_path, capsys):
    good = notebook(tmp_path / "good.ipynb", IMPORTS, GOOD)
    mixed = notebook(tmp_path / "mixed.ipynb", IMPORTS, BAD, "1 / 0", GOOD, "def f(:\n", "check('scores', not_there)")
    endless = notebook(tmp_path / "endless.ipynb", IMPORTS, GOOD, "import time\nwhile True: time.sleep(0.05)", BAD)
    broken = tmp_path / "broken.ipynb"
    broken.write_text("{", encoding="utf-8")
    table, data = tmp_path / "marks.csv", tmp_path / "marks.json"

    assert main(["check", str(good)]) == 0
    files = [str(p) for p in (good, mixed, endless, broken, tmp_path / "missing.ipynb")]
    assert main(["check", *files, "--csv", str(table), "--json", str(data), "--seconds", "12", "--jobs", "2"]) == 1

    rows = json.loads(data.read_text(encoding="utf-8"))
    found = {(Path(row["notebook"]).stem, row["exercise"]): (row["passed"], row["mistake"]) for row in rows}
    assert found == {
        ("good", "softmax"): (True, ""),
        ("mixed", "causal_mask"): (False, "upper"),
        ("mixed", "softmax"): (True, ""),
        ("mixed", "scores"): (False, "not_reached"),
        ("mixed", ""): (False, "broken"),
        ("endless", "softmax"): (True, ""),
        ("endless", "causal_mask"): (False, "not_reached"),
        ("endless", ""): (False, "broken"),
        ("broken", ""): (False, "broken"),
        ("missing", ""): (False, "broken"),
    }
    with table.open(encoding="utf-8", newline="") as file:
        assert [row["exercise"] for row in csv.DictReader(file)] == [row["exercise"] for row in rows]
    shown = capsys.readouterr()
    assert "ZeroDivisionError" in shown.out
    assert "3 of 6 exercises right." in shown.out
    assert "5/5" in shown.err


def test_the_table_speaks_the_language_of_the_notebooks(tmp_path, capsys):
    spanish = notebook(tmp_path / "a.ipynb", "import bloque\n\nbloque.language('es')", "1 + 1")
    other = notebook(tmp_path / "b.ipynb", 'import bloque\n\nbloque.language("en")', "1 + 1")
    broken = tmp_path / "broken.ipynb"
    broken.write_text("{", encoding="utf-8")
    assert language_of([spanish, spanish]) == language_of([broken, tmp_path / "missing.ipynb", spanish]) == "es"
    assert language_of([spanish, other]) is language_of([broken]) is None
    assert main(["check", str(spanish)]) == 0
    assert text("checks.marking.no_exercises", lang="es") in capsys.readouterr().out


def test_exercises_of_a_notebook_in_order():
    assert asked(["check('b', f)", "def broken(:", "x = check('a', g); check('b', f)", "check(name, f)"]) == ["b", "a"]


def test_a_class_gets_no_solutions(tmp_path):
    (tmp_path / "es").mkdir()
    text = "# 1 · Título\n\nLo que harás.\n\n20 minutos."
    hint = "### Ejercicio\n<details><summary>Pista</summary>\n\nmira `axis`\n\n</details>"
    solution = "<details><summary>Solución</summary>\n\n```python\ndef softmax(scores):\n    return 1\n```\n\n</details>"
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text},
        {"cell_type": "markdown", "metadata": {}, "source": hint},
        {"cell_type": "code", "metadata": {"tags": ["exercise"]}, "source": GOOD, "outputs": [{"x": 1}], "execution_count": 3},
        {"cell_type": "markdown", "metadata": {}, "source": solution},
        {"cell_type": "markdown", "metadata": {}, "source": solution + "\n\nY sigue."},
    ]
    original = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    assert [c["source"] for c in without_solutions(original)["cells"]] == [text, hint, GOOD, "Y sigue."]
    (tmp_path / "es" / "01_x.ipynb").write_text(json.dumps(original), encoding="utf-8")
    assert main(["class", str(tmp_path / "out"), "--from", str(tmp_path)]) == 0
    page = (tmp_path / "out" / "es" / "PROFESORADO.md").read_text(encoding="utf-8")
    assert "20 minutos." in page
    assert "| `softmax` | " in page
    made = (tmp_path / "out" / "es" / "01_x.ipynb").read_text(encoding="utf-8")
    assert "return 1" not in made
    assert json.loads(made)["cells"][2]["outputs"] == []


@pytest.mark.parametrize("code", bloque.texts.languages())
def test_a_folder_without_notebooks_is_an_error(code, tmp_path, capsys):
    (tmp_path / "es").mkdir()
    (tmp_path / "es" / "notes.md").write_text("", encoding="utf-8")
    assert main(["--language", code, "class", str(tmp_path / "out"), "--from", str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == text("commands.class.nothing", lang=code, folder=tmp_path, expected="en/01_….ipynb, es/01_….ipynb") + "\n"
    assert not (tmp_path / "out").exists()


def test_no_solution_of_the_course_reaches_a_class(tmp_path):
    """Whatever passes its check in the folds of a lesson is not in the notebook for the class."""
    from tests.notebooks.exercises import solution

    main(["class", str(tmp_path), "--from", str(ROOT / "notebooks")])
    folds = 0
    for path in sorted((ROOT / "notebooks").glob("*/[0-9]*.ipynb")):
        made = json.loads((tmp_path / path.parent.name / path.name).read_text(encoding="utf-8"))
        left = "".join("".join(c["source"]) for c in made["cells"] if c["cell_type"] == "markdown")
        before = json.loads(path.read_text(encoding="utf-8"))
        for index, cell in enumerate(before["cells"]):
            if "exercise" in cell["metadata"].get("tags", ()):
                folded = solution("".join(before["cells"][index + 1]["source"]))
                assert folded
                assert folded not in left
                folds += 1
        assert asked(read_cells(path)) == asked(["".join(c["source"]) for c in made["cells"] if c["cell_type"] == "code"])
    assert folds
