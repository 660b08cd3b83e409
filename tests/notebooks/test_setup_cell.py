"""The first cell: it finds the course, says what to do where it is not, and installs it in Colab."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bloque
from tools.setup_cell import repository, setup_cell

LONGEST = 26  # lines: a reader should see the lesson's first cell without scrolling

# Runs the cell in a Python that has IPython's way of showing an exception, but where importing the course fails
# until pip has "run": the last line of its output is the command that was given to subprocess.run.
HARNESS = """
import builtins, subprocess, sys, types
real, installed = builtins.__import__, []
def fake_import(name, *rest):
    if name == "bloque" and not (installed and {pip_works}):
        raise ModuleNotFoundError("No module named 'bloque'")
    return real(name, *rest)
def fake_run(command, **options):
    installed.append(command)
    print("RAN", subprocess.list2cmdline(command))
    return types.SimpleNamespace(returncode=0 if {pip_works} else 1)
builtins.__import__, subprocess.run = fake_import, fake_run
if {colab}:
    sys.modules["google.colab"] = types.ModuleType("google.colab")
source = open({cell!r}, encoding="utf-8").read()
try:
    exec(compile(source, "cell", "exec"))
except Exception as stop:
    print("\\n".join(stop._render_traceback_()))
"""


def run(tmp_path: Path, language: str, *, colab: bool, pip_works: bool, folder: Path | None = None) -> str:
    cell = tmp_path / "cell.py"
    cell.write_text(setup_cell(language), encoding="utf-8")
    code = HARNESS.format(colab=colab, pip_works=pip_works, cell=str(cell))
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, encoding="utf-8", cwd=folder or tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_cell_is_short_and_the_same_but_for_its_words(language: str) -> None:
    from tools.build_notebooks import skeleton

    assert len(setup_cell(language).splitlines()) <= LONGEST
    assert skeleton(setup_cell(language)) == skeleton(setup_cell("en"))
    assert f'bloque.language("{language}")' in setup_cell(language)
    ast.parse(setup_cell(language))


@pytest.mark.parametrize(
    ("language", "words"), [("es", "Este Python no encuentra el curso"), ("en", "This Python does not find the course")]
)
def test_a_kernel_without_the_course_says_which_python_and_the_exact_command(language: str, words: str, tmp_path: Path) -> None:
    root = tmp_path / "my course"
    (root / "lib" / "bloque").mkdir(parents=True)
    here = root / "notebooks" / language
    here.mkdir(parents=True)
    said = run(tmp_path, language, colab=False, pip_works=False, folder=here)
    assert words in said
    assert sys.executable in said
    assert subprocess.list2cmdline([sys.executable, "-m", "pip", "install", "-e", str(root)]) in said
    assert "Traceback" not in said
    assert "RAN" not in said  # nothing is installed behind the reader's back


def test_a_lone_notebook_in_colab_installs_the_course(tmp_path: Path) -> None:
    said = run(tmp_path, "es", colab=True, pip_works=True)
    assert f"RAN {sys.executable} -m pip install -e git+{repository()}.git#egg=bloque" in said
    assert f"versión {bloque.__version__}" in said


def test_colab_without_a_network_explains(tmp_path: Path) -> None:
    said = run(tmp_path, "en", colab=True, pip_works=False)
    assert "RAN" in said
    assert "This Python does not find the course" in said
    assert "Traceback" not in said


def test_where_the_course_is_installed_the_cell_says_its_version(tmp_path: Path) -> None:
    cell = tmp_path / "cell.py"
    cell.write_text(setup_cell("en"), encoding="utf-8")
    done = subprocess.run([sys.executable, "-X", "utf8", str(cell)], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == f"The Transformer, block by block · version {bloque.__version__}\n"
