"""A third language is files added, and nothing else: a pseudo-language, made from the English one, is put beside the two.

Its words are the English ones in brackets and with accents, so that any word which does not come from
its tables is seen at once.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks.conftest import lay
from tests.notebooks.course import ROOT, Course
from tests.notebooks.language import tables_say_the_same_things
from tests.notebooks.rules import RULES

CODE = "xx"
ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def pseudo(sentence: str) -> str:
    """⟦Thé pséúdó-sénténcé⟧; {fields}, $formulas$, `code` and links stay."""
    kept = re.split(r"(\{[^{}]*\}|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`|\]\([^)]*\)|<[^>]*>)", sentence, flags=re.DOTALL)
    return "⟦" + "".join(piece if index % 2 else piece.translate(ACCENTS) for index, piece in enumerate(kept)) + "⟧"


def translated(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: translated(item) for key, item in value.items()}
    if isinstance(value, list):
        return [translated(item) for item in value]
    return pseudo(value) if isinstance(value, str) else value


def as_toml(table: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    if path:
        yield f"[{'.'.join(json.dumps(part) for part in path)}]"
    for key, value in table.items():
        if not isinstance(value, dict):
            yield f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from as_toml(value, (*path, key))


def write_toml(path: Path, table: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(as_toml(table)) + "\n", encoding="utf-8")


def add_language(folder: Path) -> set[Path]:
    """Put the pseudo-language's files into a copy of the course; returns what was added."""
    before = {path for path in folder.rglob("*") if path.is_file()}
    texts = folder / "lib" / "bloque" / "texts"
    for path in [texts / "en.toml", *sorted((texts / "en").glob("*.toml"))]:
        target = texts / f"{CODE}.toml" if path.parent == texts else texts / CODE / path.name
        write_toml(target, translated(tomllib.loads(path.read_text(encoding="utf-8"))))
    questions = folder / "lib" / "bloque" / "quiz" / "questions"
    for path in sorted(questions.glob("*.toml")):
        found = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
        write_toml(questions / CODE / path.name, {question["id"]: translated(question["en"]) for question in found})
    english = next((folder / "notebooks" / "en").glob("01_*.py"))
    source = english.read_text(encoding="utf-8").replace('bloque.language("en")', f'bloque.language("{CODE}")')
    (folder / "notebooks" / CODE).mkdir()
    (folder / "notebooks" / CODE / "01_xxsample.py").write_text(source, encoding="utf-8")
    return {path for path in folder.rglob("*") if path.is_file()} - before


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Path:
    """The library and the sample notebooks, in three languages, built with that library."""
    folder = lay(tmp_path_factory.mktemp("three") / "course")
    shutil.rmtree(folder / "lib")
    shutil.copytree(ROOT / "lib" / "bloque", folder / "lib" / "bloque", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", folder / "data")
    for notebook in (built / "notebooks").glob("*/*.ipynb"):
        shutil.copy(notebook, folder / notebook.relative_to(built))
    old = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    added = add_language(folder)
    assert added
    assert {path: path.read_bytes() for path in old} == old
    assert all(CODE in path.relative_to(folder).as_posix() for path in added)
    run(folder, BUILD, str(folder), CODE)
    return folder


def run(folder: Path, code: str, *arguments: str) -> str:
    """Python code with the copied library in front of the installed one."""
    path = os.pathsep.join([str(folder / "lib"), str(ROOT)])
    command = [sys.executable, "-X", "utf8", "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


BUILD = """
import sys
from pathlib import Path
import bloque
folder = Path(sys.argv[1])
assert Path(bloque.__file__).is_relative_to(folder), bloque.__file__
from tools.build_notebooks import Builder, scripts
for script in scripts(folder):
    if script.parent.name == sys.argv[2]:
        Builder(folder).build(script)
"""


def test_the_pseudo_language_leaves_what_is_not_language() -> None:
    assert pseudo("Take {n:d} of $a_e$ and `one`, [here](a.md)") == "⟦Táké {n:d} óf $a_e$ ánd `one`, [héré](a.md)⟧"


def test_its_tables_are_complete(three: Path) -> None:
    problems = [problem for problem in tables_say_the_same_things(Course(three)) if CODE in problem]
    assert problems == []


# Those that read notebooks and not the library: the library here is the one of two languages.
KEPT = [
    rule
    for rule in RULES
    if rule.__module__.endswith((".pairs", ".parity", ".links", ".lints")) and rule.__name__ != "the_shared_cells_are_shared"
]


@pytest.mark.parametrize("rule", KEPT, ids=lambda rule: rule.__name__)
def test_its_notebooks_keep_the_rules_beside_the_others(rule: Any, three: Path) -> None:
    course = Course(three)
    assert course.languages() == ["en", "es", CODE]
    assert [problem for problem in rule(course) if CODE in problem] == []


SPEAK = """
from pathlib import Path
import bloque
from bloque.checks import check, exercises
from bloque.quiz import quiz
from bloque.quiz.questions import lessons
from tests.notebooks.figures import explorers, look
from tests.notebooks.language import may_be_equal
bloque.language("xx")
seen = []
for id in exercises():
    seen += [check(id, lambda *a, **k: None).message]
for lesson in lessons():
    seen += [question.ask for question in quiz(lesson).questions]
done = set()
for name, build in explorers():
    if name.partition(".")[0] not in done:
        done.add(name.partition(".")[0])
        shown = look(build, "xx")
        seen += list(shown.words.values()) + list(shown.labels.values())
# the real model reads Spanish and English sentences only: their words stay as they are
sentences = " ".join(path.read_text(encoding="utf-8") for path in Path(bloque.__file__).parents[2].glob("data/*_sentences.toml"))
foreign = [words for words in seen if "⟦" not in words and not may_be_equal(words) and words not in sentences]
print(len(seen), "texts")
assert not foreign, foreign
"""


@pytest.mark.slow
def test_checks_quizzes_and_figures_speak_it(three: Path) -> None:
    assert int(run(three, SPEAK).split()[0]) > 100
