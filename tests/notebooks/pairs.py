"""Rules about files: each .ipynb is its .py built, and each notebook has its twin in every language."""

from __future__ import annotations

from collections import Counter

import nbformat

from tests.notebooks.course import Course
from tools.build_notebooks import fill_in, give_ids, read_script, write_script


def every_notebook_has_its_pair(course: Course) -> list[str]:
    """A .py and a .ipynb of one name; one notebook of a number in a language; the same numbers in each language."""
    problems = []
    built = {notebook.script for notebook in course.notebooks}
    for script in course.scripts:
        if script not in built:
            problems.append(f"{script.parent.name}/{script.name} has no .ipynb: run python tools/build_notebooks.py")
    for notebook in course.notebooks:
        if not notebook.script.exists():
            problems.append(f"{notebook.name}.ipynb has no .py, which is the truth")
    counts = Counter((notebook.language, notebook.number) for notebook in course.notebooks)
    for language in course.languages():
        for number in course.numbers():
            if counts[language, number] != 1:
                problems.append(f"{language}: {counts[language, number]} notebooks have the number {number:02d}")
    return problems


def the_notebook_is_the_script(course: Course) -> list[str]:
    """Cell by cell, from the files as they stand: kind, tags and source; times of files have no say."""
    problems = []
    for notebook in course.notebooks:
        if not notebook.script.exists():
            continue
        script = read_script(notebook.script).cells
        if len(script) != len(notebook.cells):
            problems.append(f"{notebook.name}: {len(script)} cells in the .py, {len(notebook.cells)} in the .ipynb")
        for mine, built in zip(script, notebook.cells, strict=False):
            tags = tuple(mine.metadata.get("tags", ()))
            if (mine.cell_type, tags, mine.source) != (built.kind, built.tags, built.source):
                problems.append(f"{built.place}: differs from {notebook.script.name}: run python tools/build_notebooks.py")
                if len(script) != len(notebook.cells):
                    break  # all that follows is shifted
    return problems


def the_script_is_as_jupyterlab_writes_it(course: Course) -> list[str]:
    """Else saving in JupyterLab would change the .py, or JupyterLab would refuse the pair."""
    return [
        f"{notebook.name}: the .py is not what jupytext makes of the .ipynb"
        for notebook in course.notebooks
        if notebook.script.exists()
        and write_script(nbformat.read(notebook.path, as_version=4)) != notebook.script.read_text(encoding="utf-8")
    ]


def ids_come_from_the_code(course: Course) -> list[str]:
    """So that they stay the same from build to build and from language to language."""
    problems = []
    for notebook in course.notebooks:
        node = nbformat.read(notebook.path, as_version=4)
        written = [cell.get("id") for cell in node.cells]
        give_ids(node.cells, notebook.number)
        for cell, old, new in zip(notebook.cells, written, node.cells, strict=True):
            if old != new.id:
                problems.append(f"{cell.place}: its id is {old}, not {new.id}")
    return problems


def the_shared_cells_are_shared(course: Course) -> list[str]:
    """The cell that finds the course, and the colophon, are what the tool writes in every notebook."""
    problems = []
    for notebook in course.notebooks:
        node = nbformat.read(notebook.path, as_version=4)
        before = [cell.source for cell in node.cells]
        fill_in(node, notebook.language, notebook.number)
        for cell, old, new in zip(notebook.cells, before, node.cells, strict=True):
            if old != new.source:
                problems.append(f"{cell.place}: not the cell that tools/build_notebooks.py writes")
        if node.cells[-1].metadata.get("tags") != ["colophon"]:
            problems.append(f"{notebook.name}: the colophon is not its last cell")
        code = notebook.code()
        if not code or "setup" not in code[0].tags:
            problems.append(f"{notebook.name}: its first code cell is not the one tagged setup")
    return problems


RULES = [
    every_notebook_has_its_pair,
    the_notebook_is_the_script,
    the_script_is_as_jupyterlab_writes_it,
    ids_come_from_the_code,
    the_shared_cells_are_shared,
]
