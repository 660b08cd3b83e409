"""The rule about numbers: a number in prose that is a result is printed by a cell of its own section.

Printed means whole and rounded as written: 0.87 is not the 0.875 that a cell prints. What else may
stand in prose without being printed:

- the integers from 0 to 12, which are words of counting, and reading times in minutes;
- a number that the section's code has literally (it was put in, so it is no result), and an integer
  that stands in one of the section's formulas;
- years, and the numbers of sections, notes, pages, versions and names ("GPT-2", "Python 3.11");
- what facts.toml lists, each with its source: constants and figures quoted from elsewhere. A fact
  that a cell of the section prints is refused there: the notebook can compute it.
"""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.notebooks.course import Cell, Course, Notebook, headings, take_apart
from tests.notebooks.numerals import MINUS, THIN, Numeral, numerals

FACTS = Path(__file__).with_name("facts.toml")

# A number right after one of these names a place or a thing. It never is a result.
NAMED = re.compile(
    r"(?:\b(?:secci[oó]n|section|apartado|cap[ií]tulo|chapter|nota|note|p[aá]ginas?|pages?|p\.|pp\.|figuras?|figures?|fig\.|tablas?|tables?"
    r"|ecuaci[oó]n|equation|eq\.|ec\.|lecci[oó]n|lecciones|lessons?|ejercicios?|exercises?|preguntas?|questions?|arXiv|volumen|volume|vol\."
    r"|Python|NumPy|PyTorch|Matplotlib|JupyterLab|Jupyter|ipywidgets|Lab|versi[oó]n|version)|§)[ \u00a0:]*"
    r"(?:\d+(?:\.\d+)*(?:,\s*|\s+(?:y|and|a|to)\s+|[–-]))*$",
    re.IGNORECASE,
)
MINUTES = re.compile(r"^\s*(?:[–-]\s*\d+\s*)?(?:min\b|minutos?\b|minutes?\b)", re.IGNORECASE)
SOURCES = re.compile(r"^(?:fuentes|sources|referencias|references|para saber más|further reading)", re.IGNORECASE)
COUNTING = 12
YEARS = range(1940, 2031)


@dataclass(frozen=True)
class Fact:
    """A number that no cell can compute: for one lesson, or for all (lesson None)."""

    number: str
    source: str
    lesson: int | None


def read_facts(path: Path = FACTS) -> list[Fact]:
    table = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Fact(f["number"], f["source"], f.get("lesson")) for f in table.get("fact", [])]


def canonical(written: str) -> str:
    """One form of a number as written: "-1.6" and "−1.6", "1 048 576" and "1048576", "1.7e-05" and "1.7e−5" are each the same."""
    text = written.replace(THIN, "").replace(MINUS, "-")
    mantissa, e, exponent = text.lower().partition("e")
    return mantissa + (f"e{int(exponent)}" if e else "")


def from_formula(formula: str) -> str:
    """A formula's numbers as prose would write them: 1\\,048 is 1 048, 1.7\\times 10^{-5} is 1.7e−5."""
    text = re.sub(r"(?<=\d)(?:\\[,;:]|\{,\}|\\thinspace\s*)(?=\d{3})", THIN, formula)
    text = re.sub(r"(?<=\d)\s*\\(?:cdot|times)\s*10\^\{?\s*([-−]?\d+)\s*\}?", r"e\1", text)
    return re.sub(r"\\[A-Za-z]+|[\\{}^_&]", " ", text)


def printed(cells: list[Cell]) -> set[str]:
    """Every number that the code cells of a section print, captions of explorers included."""
    return {canonical(numeral.written) for cell in cells if cell.kind == "code" for numeral in numerals(cell.output_text)}


def put_in(cells: list[Cell]) -> set[float]:
    """The numbers that stand literally in a section's code (also in its folded solutions), and the integers of its formulas."""
    given: set[float] = set()
    for cell in cells:
        if cell.kind == "code":
            given |= literals(cell.source)
            continue
        parts = take_apart(cell.source)
        for _, code in parts.fences:
            given |= literals(code)
        for code in parts.code:
            given |= {numeral.value for numeral in numerals(code)}
        for formula in parts.formulas + parts.displays:
            given |= {numeral.value for numeral in numerals(from_formula(formula)) if numeral.value == int(numeral.value)}
    return given


def literals(source: str) -> set[float]:
    found: set[float] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NUMBER and not token.string.lower().startswith("0x") and token.string[-1] not in "jJ":
                found.add(float(token.string.replace("_", "")))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        pass  # a fence may hold half a line of code
    return found


def claims(cell: Cell) -> list[tuple[Numeral, str]]:
    """The numbers of a text cell that have to be results, each with some words around it."""
    parts = take_apart(cell.source)
    found = []
    for numeral in numerals(parts.prose):
        before, after = parts.prose[: numeral.start], parts.prose[numeral.end :]
        if NAMED.search(before[-60:]) or MINUTES.match(after[:20]) or counts(numeral):
            continue
        if re.search(r"[A-Za-z]-$", before) and numeral.value == int(numeral.value):
            continue  # GPT-2, SHA-256
        found.append((numeral, " ".join((before[-30:] + numeral.written + after[:20]).split())))
    for formula in parts.formulas + parts.displays:
        text = from_formula(formula)
        found += [(numeral, formula.strip()) for numeral in numerals(text) if numeral.value != int(numeral.value) or "e" in numeral.written]
    return found


def counts(numeral: Numeral) -> bool:
    whole = numeral.written.isdigit()
    return whole and (numeral.value <= COUNTING or int(numeral.value) in YEARS)


def is_sources(cells: list[Cell]) -> bool:
    return any(SOURCES.match(re.sub(r"^[\W\d]+", "", heading.text)) for cell in cells[:1] for heading in headings(cell.source))


def unprinted(notebook: Notebook, facts: list[Fact]) -> list[str]:
    problems = []
    known = {canonical(fact.number) for fact in facts if fact.lesson in (None, notebook.number)}
    for cells in notebook.sections():
        if is_sources(cells):
            continue
        results, given = printed(cells), put_in(cells)
        for cell in cells:
            if cell.kind != "markdown":
                continue
            for numeral, words in claims(cell):
                if comma := re.search(rf"\d,{re.escape(numeral.written)}", words):
                    problems.append(f"{cell.place}: {comma[0]}: the course writes a decimal point («{words}»)")
                elif canonical(numeral.written) not in results | known and numeral.value not in given:
                    problems.append(f"{cell.place}: {numeral.written} is printed by no cell of its section («{words}»)")
    return problems


def numbers_in_prose_are_printed(course: Course) -> list[str]:
    facts = read_facts()
    return [problem for notebook in course.notebooks for problem in unprinted(notebook, facts)]


def facts_are_needed(course: Course, facts: list[Fact] | None = None) -> list[str]:
    """Each fact has a source, is said by its lesson, and is not printed by the cells of the section that says it."""
    problems = []
    for fact in read_facts() if facts is None else facts:
        if len(fact.source.split()) < 2:
            problems.append(f"facts.toml: {fact.number} has no source")
        if fact.lesson is not None and fact.lesson not in course.numbers():
            continue  # python -m tests.notebooks looks at one lesson
        said = False
        for notebook in course.notebooks:
            if fact.lesson not in (None, notebook.number):
                continue
            for cells in notebook.sections():
                here = [numeral for cell in cells if cell.kind == "markdown" for numeral, _ in claims(cell)]
                if canonical(fact.number) in {canonical(numeral.written) for numeral in here}:
                    said = True
                    if fact.lesson is not None and canonical(fact.number) in printed(cells):
                        problems.append(f"facts.toml: {fact.number} is printed by {notebook.name}: the notebook computes it")
        if not said:
            problems.append(f"facts.toml: nothing says {fact.number}")
    return problems


RULES = [numbers_in_prose_are_printed, facts_are_needed]
