"""Each rule is shown to fail: one thing is broken in a copy of the sample course, and the rule must name it.

``BREAKS`` is the table: rule, what is broken, how. The last tests see to it that every rule has its break.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from tests.notebooks import exercises, figures, language, links, lints, pairs, parity, results
from tests.notebooks.course import Course, read_notebook, take_apart
from tests.notebooks.results import Fact, facts_are_needed, unprinted
from tests.notebooks.rules import RULES, Rule
from tools.build_notebooks import write_script

Break = Callable[[Path], None]


def notebook(folder: Path, code: str = "en") -> Path:
    return next((folder / "notebooks" / code).glob("*.ipynb"))


def script(folder: Path, code: str = "en") -> Path:
    return notebook(folder, code).with_suffix(".py")


def edit(old: str, new: str, code: str = "en") -> Break:
    """Replace words in the cells of a notebook, and in its script with them."""

    def apply(folder: Path) -> None:
        path = notebook(folder, code)
        node = nbformat.read(path, as_version=4)
        found = [cell for cell in node.cells if old in cell.source]
        assert found, f"the sample does not say {old!r}"
        for cell in found:
            cell.source = cell.source.replace(old, new)
        nbformat.write(node, path)
        path.with_suffix(".py").write_text(write_script(node), encoding="utf-8")

    return apply


def change(function: Callable[[nbformat.NotebookNode], None], code: str = "en") -> Break:
    """Change the stored notebook, its script left alone."""

    def apply(folder: Path) -> None:
        node = nbformat.read(notebook(folder, code), as_version=4)
        function(node)
        nbformat.write(node, notebook(folder, code))

    return apply


def output(old: str, new: str) -> Break:
    """Change what a cell printed."""

    def function(node: nbformat.NotebookNode) -> None:
        found = [out for cell in node.cells for out in cell.get("outputs", ()) if old in out.get("text", "")]
        assert found
        for out in found:
            out.text = out.text.replace(old, new)

    return change(function)


def code_cell(node: nbformat.NotebookNode, words: str = "weights =") -> nbformat.NotebookNode:
    return next(cell for cell in node.cells if cell.cell_type == "code" and words in cell.source)


def add_code(source: str) -> Break:
    return change(lambda node: node.cells.insert(4, nbformat.v4.new_code_cell(source, execution_count=3)))


def add_output(**data: str) -> Break:
    mimes = {key.replace("_", "/").replace("/view", "-view"): value for key, value in data.items()}
    return change(lambda node: code_cell(node).outputs.append(nbformat.v4.new_output("display_data", data=mimes)))


def text_file(name: str, content: bytes) -> Break:
    def apply(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)

    return apply


def table(old: str, new: str, code: str = "en", name: str = "notebook.toml") -> Break:
    def apply(folder: Path) -> None:
        path = folder / "lib" / "bloque" / "texts" / code / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return apply


def remove(path: Callable[[Path], Path]) -> Break:
    return lambda folder: path(folder).unlink()


def rename(folder: Path) -> None:
    for path in (notebook(folder), script(folder)):
        path.rename(path.with_name("02" + path.name[2:]))


def large(node: nbformat.NotebookNode) -> None:
    code_cell(node).outputs.append(nbformat.v4.new_output("display_data", data={"text/plain": "x", "image/png": "A" * 1_600_000}))


def reorder(node: nbformat.NotebookNode) -> None:
    node.cells[-1], node.cells[-2] = node.cells[-2], node.cells[-1]


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd+mwtwAAAABJRU5ErkJggg=="

BREAKS: list[tuple[Rule, str, Break]] = [
    # pairs
    (pairs.every_notebook_has_its_pair, "the script is gone", remove(script)),
    (pairs.every_notebook_has_its_pair, "the notebook is gone", remove(notebook)),
    (pairs.every_notebook_has_its_pair, "another number in one language", rename),
    (pairs.the_notebook_is_the_script, "a word in the script", lambda f: script(f).write_text(script(f).read_text("utf-8").replace("shortest", "longest"), "utf-8")),
    (pairs.the_notebook_is_the_script, "a cell taken out", change(lambda node: node.cells.pop(5))),
    (pairs.the_notebook_is_the_script, "a tag", change(lambda node: node.cells[2].metadata.update(tags=["hidden"]))),
    (pairs.the_script_is_as_jupyterlab_writes_it, "a blank line", lambda f: script(f).write_text(script(f).read_text("utf-8").replace("# %%\nimport", "# %%\n\n\nimport"), "utf-8")),
    (pairs.the_script_is_as_jupyterlab_writes_it, "jupytext's version in the header", lambda f: script(f).write_text(script(f).read_text("utf-8").replace("#   kernelspec:", "#   jupytext:\n#     text_representation:\n#       jupytext_version: 1.19.6\n#   kernelspec:"), "utf-8")),
    (pairs.ids_come_from_the_code, "a random id", change(lambda node: node.cells[4].update(id="4f1c0b7e"))),
    (pairs.the_shared_cells_are_shared, "the first cell changed by hand", edit('print("The Transformer', 'print("My Transformer')),
    (pairs.the_shared_cells_are_shared, "the colophon is not last", change(reorder)),
    (pairs.the_shared_cells_are_shared, "another notebook's colophon", edit("colophon(1)", "colophon(2)")),
    # parity
    (parity.twins_have_the_same_cells, "a cell more", add_code("1 + 1")),
    (parity.twins_have_the_same_cells, "another tag", change(lambda node: node.cells[2].metadata.update(tags=["hidden"]))),
    (parity.twins_have_the_same_cells, "text for code", change(lambda node: node.cells.__setitem__(2, nbformat.v4.new_markdown_cell("code")))),
    (parity.twins_have_the_same_code, "a number", edit("[0.0, 1.0, 2.0]", "[0.0, 1.0, 3.0]")),
    (parity.twins_have_the_same_code, "a function", edit("weights.max()", "weights.min()")),
    (parity.twins_have_the_same_code, "a setting that is a string", edit("np.array([0.0, 1.0, 2.0])", 'np.array([0.0, 1.0, 2.0], order="F")')),
    (parity.twins_have_the_same_text_structure, "a heading's level", edit("### Exercise", "#### Exercise")),
    (parity.twins_have_the_same_text_structure, "a formula", edit("$$\\text{sum} = 1$$", "the sum is 1")),
    (parity.twins_have_the_same_text_structure, "the solution's code", edit("exponentials / exponentials.sum(axis=-1", "exponentials / exponentials.sum(axis=0")),
    (parity.twins_ask_the_same, "another exercise", edit('check("softmax", softmax)', 'check("softmax_jacobian", softmax)')),
    # numbers
    (results.numbers_in_prose_are_printed, "a digit", edit("weighs 0.665. Else", "weighs 0.666. Else")),
    (results.numbers_in_prose_are_printed, "rounded otherwise than printed", edit("weighs 0.665. Else", "weighs 0.67. Else")),
    (results.numbers_in_prose_are_printed, "a decimal comma", edit("weighs 0.665. Else", "weighs 0,665. Else")),
    (results.numbers_in_prose_are_printed, "a sign", edit("weighs 0.665. Else", "weighs −0.665. Else")),
    (results.numbers_in_prose_are_printed, "the output changed", output("0.665", "0.664")),
    (results.numbers_in_prose_are_printed, "a large integer", edit("Elsewhere there are 1\u202f048\u202f576", "Elsewhere there are 1\u202f048\u202f577")),
    (results.numbers_in_prose_are_printed, "a result inside a formula", edit("$$\\text{sum} = 1$$", "$$\\text{sum} = 0.93$$")),
    (results.numbers_in_prose_are_printed, "printed, but in another section", edit("### Exercise 1 · Write softmax", "## Exercise 1 · Write softmax\n\nIt was 0.665.")),
    # links
    (links.links_lead_somewhere, "a file that is not there", edit("[the exercise](#Exercise-1-·-Write-softmax)", "[the exercise](02_next.ipynb)")),
    (links.links_lead_somewhere, "a heading that is not there", edit("(#Exercise-1-·-Write-softmax)", "(#exercise)")),
    (links.links_lead_somewhere, "out of the course", edit("(#Exercise-1-·-Write-softmax)", "(../../../../etc/hosts)")),
    (links.links_stay_in_their_language, "a link to the other language", edit("[the exercise](#Exercise-1-·-Write-softmax)", "[the exercise](../es/01_muestra.ipynb)")),
    (links.links_stay_in_their_language, "no link to the twin", edit("[Español](../es/01_muestra.ipynb)", "Español")),
    (links.links_stay_in_their_language, "English Wikipedia in a Spanish notebook", edit("[el ejercicio](#Ejercicio-1-·-Escribe-softmax)", "[la enciclopedia](https://en.wikipedia.org/wiki/Softmax)", "es")),
    (links.badges_open_their_own_notebook, "another branch", edit("See [", f"[Colab](https://colab.research.google.com/github/{links.repository()}/blob/dev/notebooks/en/01_sample.ipynb) [")),
    (links.badges_open_their_own_notebook, "another notebook", edit("See [", f"[Colab](https://colab.research.google.com/github/{links.repository()}/blob/main/notebooks/es/01_muestra.ipynb) [")),
    (links.badges_open_their_own_notebook, "another repository", edit("See [", "[Colab](https://colab.research.google.com/github/somebody/else/blob/main/notebooks/en/01_sample.ipynb) [")),
    (links.links_say_where_they_lead, "“here”", edit("[the exercise]", "[here]")),
    (links.links_say_where_they_lead, "a picture without words", edit("See [the exercise]", "![](picture.png) [the exercise]")),
    # small ones
    (lints.no_cell_ends_with_a_semicolon, "a semicolon", add_code("1 + 1;  # nothing shown")),
    (lints.outputs_are_plain, "a NumPy scalar", output("0.665", "np.float64(0.665)")),
    (lints.outputs_are_plain, "an address", output("0.665", "<function f at 0x7f3a>")),
    (lints.outputs_are_plain, "minus zero", output("0.665", "-0.000")),
    (lints.outputs_are_plain, "a warning", change(lambda node: code_cell(node).outputs.append(nbformat.v4.new_output("stream", name="stderr", text="Warning")))),
    (lints.outputs_are_plain, "an error", change(lambda node: code_cell(node).outputs.append(nbformat.v4.new_output("error", ename="E", evalue="e", traceback=[])))),
    (lints.outputs_are_plain, "the repr of a widget", add_output(text_plain="VBox(children=())")),
    (lints.every_picture_has_words, "a picture alone", change(lambda node: code_cell(node, "import numpy").outputs.append(nbformat.v4.new_output("display_data", data={"image/png": PIXEL})))),
    (lints.every_picture_has_words, "two pictures", change(lambda node: code_cell(node).outputs.extend(nbformat.v4.new_output("display_data", data={"image/png": PIXEL}) for _ in range(2)))),
    (lints.notebooks_are_clean, "somebody's own kernel", change(lambda node: node.metadata.kernelspec.update(name="conda-env-x"))),
    (lints.notebooks_are_clean, "no word for jupytext", change(lambda node: node.metadata.pop("jupytext"))),
    (lints.notebooks_are_clean, "the state of widgets", change(lambda node: node.metadata.update(widgets={"application/x": {}}))),
    (lints.notebooks_are_clean, "the view of a widget", change(lambda node: code_cell(node).outputs.append(nbformat.v4.new_output("display_data", data={"application/vnd.jupyter.widget-view+json": {"model_id": "x"}})))),
    (lints.notebooks_are_clean, "too large", change(large)),
    (lints.notebooks_are_clean, "never run", change(lambda node: code_cell(node).update(execution_count=None))),
    (lints.notebooks_are_clean, "an output that is not compared", edit("# the weights of three scores", "# NBVAL_IGNORE_OUTPUT")),
    (lints.headings_are_in_order, "a level left out", edit("## The largest", "#### The largest")),
    (lints.headings_are_in_order, "two titles", edit("## The largest", "# The largest")),
    (lints.formulas_render, "a bare _ in text", edit("\\text{sum}", "\\text{the_sum}")),
    (lints.formulas_render, "a brace", edit("\\text{sum}", "\\text{sum")),
    (lints.formulas_render, "half a formula", edit("$z = (0, 1, 2)$", "$z = (0, 1, 2)")),
    (lints.cells_are_safe_to_run_twice, "pyplot", add_code("import matplotlib.pyplot as plt")),
    (lints.cells_are_safe_to_run_twice, "interact", add_code("from ipywidgets import interact")),
    (lints.cells_are_safe_to_run_twice, "a magic", add_code("%matplotlib inline")),
    (lints.cells_are_safe_to_run_twice, "no seed", add_code("generator = np.random.default_rng()")),
    (lints.cells_are_safe_to_run_twice, "NumPy's global generator", add_code("np.random.normal()")),
    (lints.nothing_teaches_a_known_error, "large values", edit("See [", "Large values saturate it. See [")),
    (lints.nothing_teaches_a_known_error, "los valores grandes", edit("Véase [", "Los valores grandes la saturan. Véase [", "es")),
    (lints.nothing_teaches_a_known_error, "stability", edit("See [", "For numerical stability we divide by $\\sqrt{d_k}$. See [")),
    (lints.nothing_teaches_a_known_error, "across tokens", edit("See [", "Layer norm averages across the tokens. See [")),
    (lints.nothing_teaches_a_known_error, "invariant", edit("See [", "Attention is invariant to the order. See [")),
    (lints.files_are_plain, "Windows line endings", text_file("docs/x.md", b"a\r\nb\r\n")),
    (lints.files_are_plain, "a conflict", text_file("docs/x.md", b"a\n" + b"<" * 7 + b" HEAD\nb\n")),
    (lints.files_are_plain, "a long path", text_file("docs/" + "x" * 99 + ".md", b"a\n")),
    (lints.every_file_is_opened_as_utf8, "open", text_file("tools/x.py", b"print(open('a').read())\n")),
    (lints.every_file_is_opened_as_utf8, "read_text", text_file("tools/x.py", b"from pathlib import Path\nPath('a').read_text()\n")),
    # exercises
    (exercises.an_exercise_is_its_solution_with_blanks, "another solution", change(lambda node: next(c for c in node.cells if "exercise" in c.metadata.get("tags", ())).update(source="def softmax(scores):\n    return ...\n\n\ncheck('softmax', softmax)"))),
    (exercises.an_exercise_is_its_solution_with_blanks, "nothing to write", edit("    exponentials = ...\n    return ...\n", "    exponentials = 1\n    return 2\n")),
    (exercises.an_exercise_is_its_solution_with_blanks, "no solution", edit("```python", "```text")),
    (exercises.an_exercise_is_its_solution_with_blanks, "no check", edit('check("softmax", softmax)', "softmax")),
    (exercises.an_exercise_says_how_hard_and_how_long, "other minutes", edit("●○○ · 6 minutes", "●○○ · 50 minutes")),
    (exercises.an_exercise_says_how_hard_and_how_long, "other circles", edit("●○○ · 6 minutes", "●●○ · 6 minutes")),
    (exercises.an_exercise_says_how_hard_and_how_long, "nothing said", edit("Difficulty ●○○ · 6 minutes.", "Easy.")),
    (exercises.solutions_pass_and_exercises_do_not, "a wrong solution", edit("exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum()")),
    (exercises.solutions_pass_and_exercises_do_not, "an exercise already solved", edit("    exponentials = ...\n    return ...\n", "    return bloque.softmax(scores)\n")),
    # language
    (language.no_words_of_the_other_language, "a Spanish sentence", edit("See [", "El peso de la fila es el de las claves. See [")),
    (language.no_words_of_the_other_language, "an English sentence", edit("Véase [", "This is the weight of the row. Véase [", "es")),
    (language.no_words_of_the_other_language, "an English comment", edit("# los pesos de tres puntuaciones", "# these are the weights", "es")),
    (language.no_words_of_the_other_language, "a text of the library", table("Run this cell before the others", "Ejecuta la celda antes que las demás")),
    (language.comments_are_in_the_readers_language, "one comment for both", edit("# los pesos de tres puntuaciones", "# the weights of three scores", "es")),
    (language.tables_say_the_same_things, "a key less", table("unverified =", "unverifiable =")),
    (language.tables_say_the_same_things, "a field less", table("{outputs} outputs", "all outputs")),
    (language.tables_say_the_same_things, "left untranslated", table("Encuentra el curso, elige el idioma y dice la versión. Ejecuta esta celda antes que las demás.", "Finds the course, chooses the language and says the version. Run this cell before the others.", "es")),
    (language.terms_are_the_courses_own, "queries", edit("Véase [", "Cada query mira sus claves. Véase [", "es")),
    (language.terms_are_the_courses_own, "skip connection", edit("See [", "A skip connection adds it. See [")),
    (language.tables_of_terms_are_from_the_glossary, "a term of nobody", edit("| weight | *peso* |", "| heaviness | *peso* |")),
    (language.tables_of_terms_are_from_the_glossary, "another translation", edit("| weight | *peso* |", "| weight | *ponderación* |")),
    (language.tables_of_terms_are_from_the_glossary, "a term in one language only", edit("| peso | *weight* | lo que sale |", "", "es")),
    (language.words_are_spelt_right, "a slip", edit("shortest", "shortset")),
    (language.words_are_spelt_right, "una errata", edit("más corto", "mas korto", "es")),
    (language.words_are_spelt_right, "a slip in the library's texts", table("Run this cell", "Run thiss cell")),
]  # fmt: skip


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule is not results.facts_are_needed], ids=lambda rule: rule.__name__)
def test_the_sample_keeps(rule: Rule, built: Path) -> None:
    assert rule(Course(built)) == []


@pytest.mark.parametrize(("rule", "what", "breakage"), BREAKS, ids=[f"{rule.__name__}: {what}" for rule, what, _ in BREAKS])
def test_a_rule_says_no(rule: Rule, what: str, breakage: Break, sample: Path) -> None:
    breakage(sample)
    problems = rule(Course(sample))
    assert problems, f"{rule.__name__} does not see: {what}"
    places = ("01_", "02_", "texts", "docs/", "tools/", "en", "es")
    assert all(problem.startswith(places) or " cell " in problem for problem in problems), problems


def test_every_rule_is_shown_to_fail() -> None:
    shown = {rule for rule, _, _ in BREAKS} | {results.facts_are_needed}
    assert [rule.__name__ for rule in RULES if rule not in shown] == []


# ── rules that need more than a broken notebook ──────────────────────────────────────────────────


def test_a_fact_needs_a_source_a_sentence_and_no_cell_that_computes_it(sample: Path) -> None:
    course = Course(sample)
    assert "no source" in facts_are_needed(course, [Fact("0.665", "", None)])[0]
    assert "nothing says" in facts_are_needed(course, [Fact("3.14159", "a book, page 3", 1)])[0]
    assert "computes it" in facts_are_needed(course, [Fact("0.665", "a book, page 3", 1)])[0]


def test_a_fact_lets_a_number_stand(sample: Path) -> None:
    edit("weighs 0.665. Else", "weighs 0.84 in the paper. Else")(sample)
    lesson = read_notebook(notebook(sample))
    assert len(unprinted(lesson, [])) == 1
    assert unprinted(lesson, [Fact("0.84", "a paper, figure 2", 1)]) == []
    assert len(unprinted(lesson, [Fact("0.84", "a paper, figure 2", 2)])) == 1


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("GPT-2 and Python 3.11, section 3.2.1, note 14, in 2017, for 25 minutes, twice 12", True),
        ("there are 13 of them", False),
        ("a share of 0.5", False),
        ("between 20–30 rows", False),
        ("`code 77` gives 77", True),  # it was put in
        ("$n = 64$ rows, so 64", True),
        ("$p = 0.75$", False),
        ("$x = 1\\,048\\,576$ gives 1\u202f048\u202f576", True),
        ("$1.7\\times 10^{-5}$", False),
    ],
)
def test_what_counts_as_a_result(said: str, stands: bool, sample: Path) -> None:
    edit("Elsewhere there are 1\u202f048\u202f576 weights, and", said)(sample)
    assert (unprinted(read_notebook(notebook(sample)), []) == []) is stands


def test_a_missing_dictionary_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language.shutil, "which", lambda name: None)
    with pytest.raises(language.NoDictionary, match="install the package hunspell"):
        language.misspelt({"word"}, "en")
    monkeypatch.undo()
    monkeypatch.setitem(language.DICTIONARIES, "en", ("xx_XX", "hunspell-xx"))
    with pytest.raises(language.NoDictionary, match="install the package hunspell-xx"):
        language.misspelt({"word"}, "en")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("words", {"title": "three hundred words"}, "is the same in"),
        ("labels", {"scale": "the scale of things"}, "is the same in"),
        ("labels", {"scale": "$d_k$"}, "formulas are not drawn there"),
        ("ticks", ["0{,}1"], "a tick says"),
        ("sizes", {"small": 7.0}, "points small"),
        ("maps", {"jet"}, "the colour map jet"),
        ("ranges", {"scale": [[1, 2], 1]}, "other controls"),
    ],
)
def test_a_figure_left_in_another_language_is_seen(field: str, value: object, problem: str) -> None:
    broken = {"en": figures.Shown(), "es": figures.Shown()}
    setattr(broken["es"], field, value)
    if problem == "is the same in":
        setattr(broken["en"], field, value)
    assert any(problem in found for found in figures.compare("lesson.figure", broken))
    assert figures.compare("lesson.figure", {"en": figures.Shown(), "es": figures.Shown()}) == []


def test_nbval_sees_a_changed_output(sample: Path, tmp_path: Path) -> None:
    """The comparison of outputs itself: one stored digit is changed, and pytest fails on that cell."""
    import subprocess
    import sys

    output("0.665", "0.666")(sample)
    change(lambda node: node.cells.pop())(sample)  # the colophon speaks of the real course
    for name in ("conftest.py", "constraints.txt"):
        shutil.copy(Course().root / name, sample)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-q",
        "--nbval",
        "--nbval-current-env",
        "-c",
        str(Course().root / "pyproject.toml"),
    ]
    run = subprocess.run(
        [*command, "--rootdir", str(Course().root), str(notebook(sample))],
        capture_output=True,
        encoding="utf-8",
        cwd=Course().root,
        check=False,
    )
    assert run.returncode == 1, run.stdout
    assert "1 failed" in run.stdout
    assert "0.666" in run.stdout


def test_prose_is_taken_apart() -> None:
    parts = take_apart("A [link](x.md) with `code`, $f_1$ and <b>bold</b>.\n\n```python\nx = 1\n```\n\n$$y$$ ![pic](p.png)")
    assert parts.prose.split() == ["A", "link", "with", "￼,", "￼", "and", "bold", ".", "￼", "￼", "￼"]
    assert (parts.code, parts.formulas, parts.displays, parts.fences) == (["code"], ["f_1"], ["y"], [("python", "x = 1\n")])
    assert [(link.text, link.target, link.picture) for link in parts.links] == [("link", "x.md", False), ("pic", "p.png", True)]
