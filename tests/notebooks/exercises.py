"""Rules about exercises: the cell is its solution with the blanks put in, and the solution passes its check."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from tests.notebooks.course import Cell, Course, Notebook, take_apart


def exercises_of(notebook: Notebook) -> Iterator[tuple[Cell, str | None]]:
    """Each exercise cell, and the code of the folded solution in the text cell after it."""
    for index, cell in enumerate(notebook.cells):
        if "exercise" in cell.tags:
            after = notebook.cells[index + 1] if index + 1 < len(notebook.cells) else None
            yield cell, solution(after.source) if after and after.kind == "markdown" else None


def solution(source: str) -> str | None:
    """The one Python block inside the fold, or None."""
    folded = re.search(r"<details.*?</details>", source, re.DOTALL)
    blocks = [code for language, code in take_apart(folded.group()).fences if language == "python"] if folded else []
    return blocks[0] if len(blocks) == 1 else None


def an_exercise_says_how_hard_and_how_long(course: Course) -> list[str]:
    """Under its heading stand the circles and the minutes that the exercise has in the catalogue, which the teacher's page shows."""
    from bloque.checks import exercise, exercises

    problems = []
    for notebook in course.notebooks:
        heading = ""
        for cell in notebook.cells:
            if cell.kind == "markdown" and re.search(r"[●○]{3}|^###", cell.source, re.MULTILINE):
                heading = cell.source
            if "exercise" not in cell.tags:
                continue
            _, last = without_check(cell.source)
            id = ast.literal_eval(last.args[0]) if last and last.args else None
            if id not in exercises():
                continue  # other rules say so
            known, said = exercise(id), re.search(r"([●○]{3}) · (\d+) ", heading)
            due = ("●" * known.difficulty).ljust(3, "○"), str(known.minutes)
            if said is None or said.groups() != due:
                problems.append(
                    f"{cell.place}: {id}: «{due[0]} · {due[1]}» in the catalogue, «{said[0].strip() if said else ''}» in the text"
                )
    return problems


def without_check(source: str) -> tuple[ast.Module, ast.Call | None]:
    """The exercise without its last line, and that line: check("id", function)."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "check":
        return ast.Module(tree.body[:-1], type_ignores=[]), last.value
    return tree, None


def is_blank(node: Any) -> bool:
    node = node.value if isinstance(node, ast.Expr) else node
    return isinstance(node, ast.Constant) and node.value is ...


def fits(stub: Any, whole: Any) -> bool:
    """Whether ``whole`` is ``stub`` with its blanks filled: a blank is one expression, or one or more statements."""
    if isinstance(stub, list):
        return isinstance(whole, list) and lists_fit(stub, whole)
    if is_blank(stub) and isinstance(whole, ast.expr):
        return True
    if not isinstance(stub, ast.AST):
        return bool(stub == whole)
    return type(stub) is type(whole) and all(fits(getattr(stub, name, None), getattr(whole, name, None)) for name in stub._fields)


def lists_fit(stub: list[Any], whole: list[Any]) -> bool:
    if not stub:
        return not whole
    if not whole:
        return False
    if isinstance(stub[0], ast.stmt) and is_blank(stub[0]):
        return any(lists_fit(stub[1:], whole[taken:]) for taken in range(1, len(whole) + 1))
    return fits(stub[0], whole[0]) and lists_fit(stub[1:], whole[1:])


def count_blanks(tree: ast.AST) -> int:
    return sum(is_blank(node) for node in ast.walk(tree) if not isinstance(node, ast.Expr))


def an_exercise_is_its_solution_with_blanks(course: Course) -> list[str]:
    problems = []
    for notebook in course.notebooks:
        for cell, code in exercises_of(notebook):
            stub, check = without_check(cell.source)
            if check is None:
                problems.append(f"{cell.place}: does not end with check(…)")
            if code is None:
                problems.append(f"{cell.place}: the next cell does not fold one block of Python")
            elif not count_blanks(stub):
                problems.append(f"{cell.place}: nothing is left to write")
            elif not fits(stub, ast.parse(code)):
                problems.append(f"{cell.place}: is not its solution with blanks")
    return problems


def run_exercises(notebook: Notebook) -> list[str]:
    """Run imports and solutions in their order; every solution must pass, every untouched exercise must not."""
    import bloque

    problems: list[str] = []
    before = bloque.language()
    bloque.language(notebook.language)
    space: dict[str, Any] = {"__name__": "__main__"}
    solutions = {cell.place: code for cell, code in exercises_of(notebook)}
    try:
        for cell in notebook.code():
            if "exercise" not in cell.tags:
                preparation = [
                    node for node in ast.parse(cell.source).body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)
                ]
                exec(compile(ast.Module(preparation, type_ignores=[]), cell.place, "exec"), space)
                continue
            code = solutions[cell.place]
            stub, check = without_check(cell.source)
            if code is None or check is None:
                continue
            line = compile(ast.Expression(check), cell.place, "eval")
            stub_space = dict(space)
            exec(compile(stub, cell.place, "exec"), stub_space)
            if eval(line, stub_space).passed:
                problems.append(f"{cell.place}: the untouched exercise passes")
            exec(compile(code, f"{cell.place} (solution)", "exec"), space)
            result = eval(line, space)
            if not result.passed:
                problems.append(f"{cell.place}: the solution fails its check: {result.message}")
    finally:
        bloque.language(before)
    return problems


def solutions_pass_and_exercises_do_not(course: Course) -> list[str]:
    return [problem for notebook in course.notebooks for problem in run_exercises(notebook)]


RULES = [an_exercise_is_its_solution_with_blanks, an_exercise_says_how_hard_and_how_long, solutions_pass_and_exercises_do_not]
