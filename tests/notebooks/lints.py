"""Small rules, each from something that once broke a notebook for somebody."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import nbformat

from tests.notebooks.course import Cell, Course, headings, take_apart
from tools.build_notebooks import FILTERS

MEGABYTE = 1_000_000
LARGEST = 1.5 * MEGABYTE
LONGEST_PATH = 100  # Windows allows 260 for the whole path


def text_files(root: Path) -> Iterator[Path]:
    """The course's own text files; not the environment, not what is built."""
    skipped = {".git", ".venv", "_site", "_class", "node_modules", "build", "dist", "__pycache__", ".ipynb_checkpoints"}
    suffixes = {".py", ".ipynb", ".md", ".toml", ".txt", ".js", ".css", ".html", ".yml", ".sh", ".mjs", ".cff"}

    def walk(folder: Path) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            if (
                path.name in skipped
                or path.name.endswith(".egg-info")
                or (path.name.startswith(".") and path.name not in (".github", ".ci"))
            ):
                continue
            if path.is_dir():
                yield from walk(path)
            elif path.suffix in suffixes or path.name == "Makefile":
                yield path

    yield from walk(root)


def code_cells(course: Course) -> Iterator[Cell]:
    for notebook in course.notebooks:
        yield from notebook.code()


def no_cell_ends_with_a_semicolon(course: Course) -> list[str]:
    """Outside the notebook's own page a semicolon hides nothing."""
    problems = []
    for cell in code_cells(course):
        tokens = [t for t in tokenize.generate_tokens(StringIO(cell.source).readline) if t.string.strip() and t.type != tokenize.COMMENT]
        if tokens and tokens[-1].string == ";":
            problems.append(f"{cell.place}: ends with a semicolon")
    return problems


def outputs_are_plain(course: Course) -> list[str]:
    """No repr of a NumPy scalar, no address, no minus zero, no warning, one stream, no error, no repr of a widget."""
    bad = {
        "a NumPy scalar": r"np\.(?:float|int|bool|str)\d*_?\(",
        "a memory address": r"\bat 0x[0-9a-f]+",
        "minus zero": r"(?<![\w.])[-−]0\.?0*(?![\d.])(?![eE])\b|(?<![\w.])-0\.(?!\d)",
        "the repr of a widget": r"^(?:Output|VBox|HBox|Box|IntSlider|FloatSlider|HTML|Label|Button|Dropdown|interactive)\(",
        "the repr of a figure": r"<Figure size|<matplotlib\.|Text\(\d",
    }
    problems = []
    for cell in code_cells(course):
        streams = {output.name for output in cell.outputs if output.output_type == "stream"}
        if "stderr" in streams:
            problems.append(f"{cell.place}: writes to stderr (a warning?)")
        if any(output.output_type == "error" for output in cell.outputs) and "raises-exception" not in cell.tags:
            problems.append(f"{cell.place}: raises")
        for what, pattern in bad.items():
            if match := re.search(pattern, cell.output_text, re.MULTILINE):
                problems.append(f"{cell.place}: prints {what}: {match.group()}")
    return problems


def every_picture_has_words(course: Course) -> list[str]:
    """A reader without the picture, and the comparison of outputs, read the words beside it."""
    problems = []
    for cell in code_cells(course):
        pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        if pictures and len(cell.output_text.strip()) < 20:
            problems.append(f"{cell.place}: a picture without a caption")
        if len(pictures) > 1:
            problems.append(f"{cell.place}: {len(pictures)} pictures in one cell")
    return problems


def notebooks_are_clean(course: Course) -> list[str]:
    """The kernel's name, no widget state or view, executed in order, small enough."""
    problems = []
    for notebook in course.notebooks:
        node = nbformat.read(notebook.path, as_version=4)
        if node.metadata.get("kernelspec", {}).get("name") != "python3":
            problems.append(f"{notebook.name}: its kernel is not python3")
        if node.metadata.get("jupytext") != FILTERS:
            problems.append(f"{notebook.name}: was not written by tools/build_notebooks.py (JupyterLab may refuse the pair)")
        if "widgets" in node.metadata:
            problems.append(f"{notebook.name}: holds the state of widgets")
        if notebook.path.stat().st_size > LARGEST:
            problems.append(f"{notebook.name}: {notebook.path.stat().st_size / MEGABYTE:.1f} MB, more than {LARGEST / MEGABYTE}")
        for count, cell in enumerate(notebook.code(), start=1):
            if cell.execution_count != count:  # None would switch the comparison off, silently
                problems.append(f"{cell.place}: execution count {cell.execution_count}, not {count}")
            if any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in cell.outputs):
                problems.append(f"{cell.place}: holds the view of a widget")
            if set(cell.tags) & {"nbval-skip", "nbval-ignore-output", "raises-exception"} or re.search(
                r"#\s*NBVAL_|PYTEST_VALIDATE", cell.source
            ):
                problems.append(f"{cell.place}: its output is not compared")
    return problems


def headings_are_in_order(course: Course) -> list[str]:
    """One title, and no level left out on the way down."""
    problems = []
    for notebook in course.notebooks:
        last = 0
        titles = 0
        for cell in notebook.text():
            for heading in headings(cell.source):
                titles += heading.level == 1
                if heading.level > last + 1:
                    problems.append(f"{cell.place}: «{heading.text}» jumps from level {last} to {heading.level}")
                last = heading.level
        if titles != 1:
            problems.append(f"{notebook.name}: {titles} titles, not 1")
    return problems


def formulas_render(course: Course) -> list[str]:
    """In JupyterLab's MathJax an unescaped _ inside \\text{} breaks the formula."""
    problems = []
    for notebook in course.notebooks:
        for cell in notebook.text():
            parts = take_apart(cell.source)
            for formula in parts.formulas + parts.displays:
                for words in re.findall(r"\\(?:text|textit|textbf|mathrm|operatorname|mathit)\{([^{}]*)\}", formula):
                    if re.search(r"(?<!\\)_", words):
                        problems.append(f"{cell.place}: an unescaped _ in «{words}»")
                if formula.count("{") - formula.count("\\{") != formula.count("}") - formula.count("\\}"):
                    problems.append(f"{cell.place}: the braces of «{formula.strip()}» do not match")
            if re.search(r"(?<!\\)\$", parts.prose):
                problems.append(f"{cell.place}: a $ without its pair")
    return problems


def cells_are_safe_to_run_twice(course: Course) -> list[str]:
    """What breaks between executors, or when a reader runs a cell again."""
    names = {"interact", "interactive", "interact_manual", "clear_output", "Output", "update_display"}
    problems = []
    for cell in code_cells(course):
        if re.search(r"^\s*[%!]", cell.source, re.MULTILINE):
            problems.append(f"{cell.place}: a magic or a shell command")
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                if any("pyplot" in module for module in modules):
                    problems.append(f"{cell.place}: pyplot keeps every figure open")
                if names & set(modules):
                    problems.append(f"{cell.place}: {names & set(modules)}: differs between executors")
            if isinstance(node, ast.Call) and re.fullmatch(r"np\.random\.(?!default_rng)\w+", ast.unparse(node.func)):
                problems.append(f"{cell.place}: {ast.unparse(node.func)} depends on what ran before")
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.random.default_rng" and not node.args:
                problems.append(f"{cell.place}: a random generator without a seed")
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node in ast.parse(cell.source).body:
                problems.append(f"{cell.place}: run twice, {ast.unparse(node)} counts twice")
    return problems


# What is wrong wherever it stands, with the reason.
WRONG = {
    "differences saturate, not values": (
        r"valores (?:muy )?grandes (?:l[oa]s? )?satura|large values saturate|saturates? (?:for|with) large values"
    ),
    "layer norm works on each token by itself": r"across (?:the )?tokens|entre (?:los )?tokens",
    "attention is equivariant to order, not invariant": (
        r"invariant[e]?s? (?:al|to(?: the)?|ante el) (?:orden|order)|(?:permutation|order)[- ]invariant"
        r"|invariante (?:a|ante) (?:las )?permutaci"
    ),
}
STABILITY = re.compile(
    r"estabilidad num[eé]rica|num[eé]ricamente (?:in)?estable|inestabilidad num[eé]rica|numerical(?:ly)? (?:in)?stab", re.IGNORECASE
)
ROOT_OF_KEYS = re.compile(r"√\s*d|\\sqrt\s*\{?\s*d|raíz de d|root of d|sqrt\(d", re.IGNORECASE)


def nothing_teaches_a_known_error(course: Course) -> list[str]:
    problems = []
    for notebook in course.notebooks:
        for cell in notebook.text():
            for why, pattern in WRONG.items():
                if (match := re.search(pattern, cell.source, re.IGNORECASE)) and not denied(cell.source, match.start()):
                    problems.append(f"{cell.place}: «{match.group()}»: {why}")
            for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n", cell.source):
                if (
                    STABILITY.search(sentence)
                    and ROOT_OF_KEYS.search(sentence)
                    and not denied(sentence, STABILITY.search(sentence).start())
                ):
                    problems.append(f"{cell.place}: √d_k cures saturation, not overflow: «{sentence.strip()[:90]}»")
    return problems


def denied(text: str, position: int) -> bool:
    """Whether the words just before say "not", as in a list of frequent mistakes."""
    return bool(re.search(r"\b(?:no|not|nunca|never|ni|nor|isn't|doesn't|n't)\b[^.]{0,60}$", text[:position], re.IGNORECASE))


def files_are_plain(course: Course) -> list[str]:
    """Line endings, conflict markers, lengths of paths."""
    problems = []
    for path in text_files(course.root):
        name = path.relative_to(course.root).as_posix()
        data = path.read_bytes()
        if b"\r\n" in data:
            problems.append(f"{name}: CRLF line endings")
        if re.search(rb"^(?:<{7} |>{7} |={7}$)", data, re.MULTILINE) or re.search(rb'"(?:<{7} |>{7} )', data):
            problems.append(f"{name}: a conflict marker")
        if len(name) > LONGEST_PATH:
            problems.append(f"{name}: {len(name)} characters, more than {LONGEST_PATH}")
        if not name.isascii():
            problems.append(f"{name}: a name that is not ASCII")
    return problems


def every_file_is_opened_as_utf8(course: Course) -> list[str]:
    """On Windows the default is another encoding."""
    problems = []
    for path in text_files(course.root):
        if path.suffix != ".py" or path.is_relative_to(course.root / "notebooks"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and opens_text(node) and not any(k.arg in ("encoding", None) for k in node.keywords):
                problems.append(f"{path.relative_to(course.root).as_posix()}:{node.lineno}: {ast.unparse(node.func)} without encoding")
    return problems


def opens_text(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("read_text", "write_text"):
        return len(node.args) < (1 if name == "read_text" else 2)  # the encoding may be given by its place
    if name != "open" or (
        isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) in ("webbrowser", "os", "Image", "zipfile", "tarfile", "gzip", "wave")
    ):
        return False
    mode = (
        node.args[1]
        if isinstance(node.func, ast.Name) and len(node.args) > 1
        else node.args[0]
        if isinstance(node.func, ast.Attribute) and node.args
        else None
    )
    mode = next((k.value for k in node.keywords if k.arg == "mode"), mode)
    return not (isinstance(mode, ast.Constant) and "b" in str(mode.value)) and (
        isinstance(node.func, ast.Name) or mode is None or isinstance(mode, ast.Constant)
    )


RULES = [
    no_cell_ends_with_a_semicolon,
    outputs_are_plain,
    every_picture_has_words,
    notebooks_are_clean,
    headings_are_in_order,
    formulas_render,
    cells_are_safe_to_run_twice,
    nothing_teaches_a_known_error,
    files_are_plain,
    every_file_is_opened_as_utf8,
]
