"""Rules about twins: every language's notebook of a number has the same cells, tags, code, exercises and quizzes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.notebooks.course import Course, Notebook, headings, take_apart
from tools.build_notebooks import skeleton

# Of these arguments the words may be in the reader's language; any other word is a setting, equal in all.
SPOKEN = {"label", "title", "text", "sep", "end", "name", "sentence", "xlabel", "ylabel", "description", "labels"}


def twins(course: Course) -> Iterator[tuple[Notebook, Notebook]]:
    """Each notebook beside that of the first language with its number."""
    languages = course.languages()
    for number in course.numbers():
        present = [n for language in languages if (n := course.get(language, number))]
        yield from ((present[0], other) for other in present[1:])


def twins_have_the_same_cells(course: Course) -> list[str]:
    problems = []
    for one, other in twins(course):
        if len(one.cells) != len(other.cells):
            problems.append(f"{one.name} has {len(one.cells)} cells, {other.name} {len(other.cells)}")
        for a, b in zip(one.cells, other.cells, strict=False):
            if (a.kind, a.tags) != (b.kind, b.tags):
                problems.append(f"{a.place} is {a.kind} {list(a.tags)}, {b.place} {b.kind} {list(b.tags)}")
                break  # all that follows is shifted
    return problems


def twins_have_the_same_code(course: Course) -> list[str]:
    """But for comments and strings."""
    problems = []
    for one, other in twins(course):
        for a, b in zip(one.cells, other.cells, strict=False):
            if a.kind != "code" or b.kind != "code":
                continue
            if skeleton(a.source) != skeleton(b.source):
                problems.append(f"{a.place} and {b.place}: the code differs")
            elif settings(a.source) != settings(b.source):
                problems.append(f"{a.place} and {b.place}: a setting differs: {settings(a.source)}, {settings(b.source)}")
            if a.id != b.id:
                problems.append(f"{a.place} and {b.place}: ids {a.id} and {b.id}")
    return problems


def settings(source: str) -> list[str]:
    """Strings that steer the code and are read by nobody: norm="post", the ids of checks and quizzes."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            if keyword.arg not in SPOKEN and is_word(keyword.value):
                found.append(f"{keyword.arg}={ast.unparse(keyword.value)}")
        if isinstance(node.func, ast.Name) and node.func.id in ("check", "quiz", "score", "einsum") and node.args:
            found.append(f"{node.func.id}({ast.unparse(node.args[0])})")
    return sorted(found)


def is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(re.fullmatch(r"[A-Za-z_]+", node.value))


def twins_have_the_same_text_structure(course: Course) -> list[str]:
    """Levels of headings, displayed formulas, pictures, fenced code and folds: what prose written afresh still shares."""
    problems = []
    for one, other in twins(course):
        for a, b in zip(one.cells, other.cells, strict=False):
            if a.kind == b.kind == "markdown":
                here, there = structure(a.source), structure(b.source)
                for name, value in here.items():
                    if value != there[name]:
                        problems.append(f"{a.place} and {b.place}: {name} differ: {value}, {there[name]}")
    return problems


def structure(source: str) -> dict[str, object]:
    parts = take_apart(source)
    return {
        "heading levels": [heading.level for heading in headings(source)],
        "displayed formulas": len(parts.displays),
        "pictures": len([link for link in parts.links if link.picture]),
        "fenced code": [skeleton(code) if language == "python" else language for language, code in parts.fences],
        "folds": source.count("<details"),
    }


def exercises_and_quizzes(notebook: Notebook) -> list[str]:
    """check("softmax"), quiz("lesson1") … in their order."""
    found = []
    for cell in notebook.code():
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("check", "quiz", "score") and node.args:
                found.append(f"{node.func.id} {ast.literal_eval(node.args[0])}")
    return found


def twins_ask_the_same(course: Course) -> list[str]:
    problems = []
    for one, other in twins(course):
        mine, theirs = exercises_and_quizzes(one), exercises_and_quizzes(other)
        if mine != theirs:
            problems.append(f"{one.name} asks {mine}, {other.name} {theirs}")
    return problems


RULES = [twins_have_the_same_cells, twins_have_the_same_code, twins_have_the_same_text_structure, twins_ask_the_same]
