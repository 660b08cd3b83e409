"""Rules about language: no words of the other one, the course's terms, spelling; in prose, texts and code comments."""

from __future__ import annotations

import re
import shutil
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from tests.notebooks.course import HOLE, Course, Notebook, sentences, take_apart
from tests.notebooks.results import is_sources

HERE = Path(__file__).parent
STYLE = HERE / "style.toml"


@dataclass(frozen=True)
class Passage:
    """Some text of the course in one language, and where it stands."""

    place: str
    language: str
    text: str
    names: bool = False  # a list of sources, full of authors


@cache
def style() -> dict[str, Any]:
    return tomllib.loads(STYLE.read_text(encoding="utf-8"))


def passages(course: Course) -> Iterator[Passage]:
    """Everything written in a language: text cells, code comments, the tables of texts, the quizzes, the documents."""
    for notebook in course.notebooks:
        sources = {cell.place for cells in notebook.sections() if is_sources(cells) for cell in cells}
        for cell in notebook.cells:
            if cell.kind == "markdown":
                yield Passage(cell.place, notebook.language, take_apart(cell.source).prose, names=cell.place in sources)
                for language, code in take_apart(cell.source).fences:
                    if language == "python":
                        yield Passage(f"{cell.place} (solution)", notebook.language, comments(code))
            else:
                yield Passage(f"{cell.place} (comments)", notebook.language, comments(cell.source))
    texts = course.root / "lib" / "bloque" / "texts"
    for path in sorted([*texts.glob("*.toml"), *texts.glob("*/*.toml")]):
        language = path.stem if path.parent == texts else path.parent.name
        for key, text in strings(tomllib.loads(path.read_text(encoding="utf-8"))):
            yield Passage(f"texts/{path.relative_to(texts).as_posix()} {key}", language, take_apart(unfilled(text)).prose)
    for path in sorted((course.root / "lib" / "bloque" / "quiz" / "questions").glob("**/*.toml")):
        for question in tomllib.loads(path.read_text(encoding="utf-8")).get("question", []):
            for language, table in question.items():
                if isinstance(table, dict):
                    for key, text in strings(table):
                        yield Passage(f"{path.name} {question['id']} {language} {key}", language, take_apart(text).prose)
    for path in documents(course.root):
        for language, text in halves(path.read_text(encoding="utf-8")):
            yield Passage(path.relative_to(course.root).as_posix(), language, take_apart(text).prose)


def documents(root: Path) -> list[Path]:
    found = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [path for path in [*found, *sorted((root / "docs").glob("*.md"))] if path.exists()]


def halves(text: str) -> Iterator[tuple[str, str]]:
    """A document's parts between "<!-- language: es -->" marks; without marks it is English."""
    pieces = re.split(r"<!-- language: (\w+) -->", text)
    yield "en", pieces[0]
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


def strings(table: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(table, dict):
        for name, value in table.items():
            yield from strings(value, f"{key}.{name}" if key else name)
    elif isinstance(table, list):
        for number, value in enumerate(table):
            yield from strings(value, f"{key}[{number}]")
    elif isinstance(table, str):
        yield key, table


def unfilled(text: str) -> str:
    return re.sub(r"\{[^{}]*\}", HOLE, text)


def comments(source: str) -> str:
    """The comments and docstrings of a piece of code, a blank line between them."""
    found = []
    try:
        for token in tokenize.generate_tokens(StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string.lstrip("# "))
            elif token.type == tokenize.STRING and token.string.lstrip("rRbBuU").startswith(('"""', "'''")):
                found.append(token.string.strip("\"'rR"))
    except (tokenize.TokenError, SyntaxError):
        pass  # half a line of code in a fence
    return "\n\n".join(CODE_WORD.sub(HOLE, text) for text in found)


# In a comment a name with an underscore, a call, a shape or an operator is code.
CODE_WORD = re.compile(r"`[^`]*`|\S*[_=@\[\]{}]\S*|\b\w+(?:\.\w+)*\([^()]*\)|\([\w.,·×*/+ …-]*\)|\b\w+\.\w+\b")


# ── words of the other language ──────────────────────────────────────────────────────────────────

# Small words that the other language does not have. Not listed: what both write (no, a, me, come, as …).
SMALL_WORDS = {
    "en": {
        "the", "and", "with", "which", "this", "that", "these", "those", "of", "is", "are", "was", "were", "each", "from", "for", "its",
        "it", "by", "be", "been", "than", "then", "when", "what", "how", "why", "you", "your", "we", "our", "they", "their", "not", "but",
        "to", "in", "on", "at", "if", "into", "only", "same", "every", "all", "between", "because", "where", "there", "has", "have", "does",
    },
    "es": {
        "el", "la", "los", "las", "del", "al", "que", "con", "una", "uno", "unos", "unas", "por", "para", "cada", "es", "son", "está",
        "están", "fue", "como", "cuando", "cuándo", "qué", "cómo", "sin", "sobre", "entre", "muy", "más", "pero", "también", "porque",
        "donde", "desde", "hasta", "su", "sus", "se", "lo", "y", "o", "ni", "ya", "todo", "todos", "todas", "esta", "este", "esto", "eso",
        "de", "en", "un",
    },
}  # fmt: skip

QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"\n]*\"|\*[^*\n]+\*|(?<!\w)_[^_\n]+_(?!\w)|\([^()]*\d{4}[a-z]?\)")


def leftovers(passage: Passage) -> list[str]:
    """Sentences with two or more small words of another language; quotations and titles in italics are free."""
    problems = []
    own = SMALL_WORDS.get(passage.language)
    if own is None:
        return []  # a language whose small words nobody has listed yet
    for sentence in sentences(QUOTED.sub(HOLE, passage.text)):
        words = [word.lower() for word in re.findall(r"[^\W\d_]+", sentence)]
        for language, small in SMALL_WORDS.items():
            if language == passage.language:
                continue
            foreign = [word for word in words if word in small - own]
            if len(set(foreign)) >= 2 and len(foreign) > len([word for word in words if word in own]):
                problems.append(f"{passage.place}: words of another language ({', '.join(sorted(set(foreign)))}): «{sentence[:80]}»")
    return problems


def no_words_of_the_other_language(course: Course) -> list[str]:
    names = set(style()["names_of_languages"])
    return [problem for passage in passages(course) if passage.text.strip() not in names for problem in leftovers(passage)]


def comments_are_in_the_readers_language(course: Course) -> list[str]:
    """A comment of several words that is the same in two languages was not translated."""
    problems = []
    for number in course.numbers():
        twins = [n for language in course.languages() if (n := course.get(language, number))]
        for other in twins[1:]:
            for a, b in zip(twins[0].cells, other.cells, strict=False):
                same = (
                    set(re.split(r"\n\n", comments(a.source))) & set(re.split(r"\n\n", comments(b.source)))
                    if a.kind == b.kind == "code"
                    else set()
                )
                for comment in same:
                    if len(re.findall(r"[^\W\d_]{3,}", comment)) >= 3:
                        problems.append(f"{a.place} and {b.place}: the same comment: «{comment}»")
                if (
                    a.kind == b.kind == "markdown"
                    and a.source == b.source
                    and len(re.findall(r"[^\W\d_]{3,}", take_apart(a.source).prose)) >= 3
                ):
                    problems.append(f"{a.place} and {b.place}: the same text")
    return problems


# ── the tables of texts ──────────────────────────────────────────────────────────────────────────


def tables_say_the_same_things(course: Course) -> list[str]:
    """The same keys with the same {fields} in every language, and no string left as it was but those that style.toml allows."""
    root = course.root / "lib" / "bloque" / "texts"
    tables: dict[str, dict[str, str]] = {}
    for path in sorted([*root.glob("*.toml"), *root.glob("*/*.toml")]):
        language = path.stem if path.parent == root else path.parent.name
        tables.setdefault(language, {}).update(strings(tomllib.loads(path.read_text(encoding="utf-8"))))
    problems = []
    languages = sorted(tables)
    for other in languages[1:]:
        one, two = tables[languages[0]], tables[other]
        problems += [f"texts: only {languages[0]} has {key}" for key in sorted(set(one) - set(two))]
        problems += [f"texts: only {other} has {key}" for key in sorted(set(two) - set(one))]
        for key in sorted(set(one) & set(two)):
            if set(re.findall(r"\{(\w*)[^{}]*\}", one[key])) != set(re.findall(r"\{(\w*)[^{}]*\}", two[key])):
                problems.append(f"texts: {key}: other fields in {languages[0]} than in {other}")
            if one[key] == two[key] and not may_be_equal(one[key]):
                problems.append(f"texts: {key} is «{one[key]}» in {languages[0]} and {other}")
    return problems


def may_be_equal(text: str) -> bool:
    """Symbols, numbers, names, and the words that both languages share (style.toml)."""
    bare = re.sub(r"\S*_\S*", HOLE, take_apart(unfilled(text)).prose)  # d_model is a name
    words = re.findall(r"[^\W\d_]{3,}", bare)
    return all(word.lower() in style()["same_in_every_language"] for word in words)


# ── terms ────────────────────────────────────────────────────────────────────────────────────────


def terms_are_the_courses_own(course: Course) -> list[str]:
    """Each language has words that it does not use, with the one it uses instead (style.toml)."""
    problems = []
    for passage in passages(course):
        if "table" in passage.place or "|" in passage.text[:3] or passage.place.startswith(("docs/", "CONTRIBUTING", "texts/")):
            continue
        text = QUOTED.sub(HOLE, re.sub(r"\([^()]*\)", HOLE, passage.text))
        text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("|"))
        for wrong, right in style().get("avoid", {}).get(passage.language, {}).items():
            if match := re.search(rf"(?<![\w-])(?:{wrong})(?![\w-])", text, re.IGNORECASE):
                problems.append(f"{passage.place}: «{match.group()}»: the course says {right}")
    return problems


def tables_of_terms_are_from_the_glossary(course: Course) -> list[str]:
    """Each row of a lesson's table of terms is one of the glossary's, with the other language's word, and twins list the same ones."""
    problems = []
    for number in course.numbers():
        listed: dict[str, set[str]] = {}
        for notebook in (n for language in course.languages() if (n := course.get(language, number))):
            listed[notebook.name] = set()
            for place, term, elsewhere in listed_terms(notebook, glossary(course, notebook.language)):
                others = [glossary(course, other) for other in course.languages() if other != notebook.language]
                keys = [key for key, known in glossary(course, notebook.language).terms.items() if known == term]
                if not keys:
                    problems.append(f"{place}: «{term}» is not in the glossary (texts/{notebook.language}/glossary.toml)")
                elif others and not any(other.terms.get(keys[0]) == elsewhere for other in others):
                    problems.append(f"{place}: «{term}» is not «{elsewhere}» in the glossary")
                listed[notebook.name] |= set(keys)
        (first, terms), *rest = listed.items()
        problems += [f"{other} and {first} list other terms: {sorted(terms ^ its)}" for other, its in rest if its != terms]
    return problems


@dataclass(frozen=True)
class Glossary:
    """A language's terms by their key, and the column by which a lesson's table of terms is known."""

    column: str = ""
    terms: dict[str, str] = field(default_factory=dict)


def glossary(course: Course, language: str) -> Glossary:
    path = course.root / "lib" / "bloque" / "texts" / language / "glossary.toml"
    if not path.exists():
        return Glossary()
    table = tomllib.loads(path.read_text(encoding="utf-8"))["glossary"]
    return Glossary(table["columns"][2], {key: entry["term"] for key, entry in table["terms"].items()})


def listed_terms(notebook: Notebook, known: Glossary) -> Iterator[tuple[str, str, str]]:
    """Place, term and the other language's word of each row of tables like «| español | inglés | en una línea |»."""
    for cell in notebook.text():
        inside = False
        for line in cell.source.splitlines():
            columns = [column.strip() for column in line.strip().strip("|").split(" | ")]
            inside = line.startswith("|") and (inside or (len(columns) == 3 and columns[2] == known.column))
            if inside and len(columns) == 3 and columns[2] != known.column:
                yield cell.place, columns[0], columns[1].strip("*")


# ── spelling ─────────────────────────────────────────────────────────────────────────────────────

DICTIONARIES = {"es": ("es_ES", "hunspell-es"), "en": ("en_GB", "hunspell-en-gb")}
WORD = re.compile(r"(?<!\w)[A-Za-zÀ-ÖØ-öø-ÿ]+(?:['’][A-Za-z]+)*(?!\w)")  # no Greek, no subscripts: those are formulas


class NoDictionary(RuntimeError):
    """Hunspell or a dictionary is missing; the message names the package."""


def misspelt(words: set[str], language: str) -> set[str]:
    """The words that neither the dictionary of the language nor the course's own list knows."""
    dictionary, package = DICTIONARIES[language]
    program = shutil.which("hunspell")
    if program is None:
        raise NoDictionary("the spelling test needs hunspell: install the package hunspell (make system)")
    own = {
        word
        for line in (HERE / "words" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        if (word := line.partition("#")[0].strip())
    }
    unknown = {word for word in words if word not in own and word.lower() not in own}
    found = hunspell(program, unknown, dictionary, package)
    if language == "es":  # the dictionary has «escribe» but not «escríbelo»
        bare = {word: ENCLITIC.sub("", word).translate(UNACCENTED) for word in found if ENCLITIC.search(word)}
        wrong = hunspell(program, set(bare.values()), dictionary, package)
        found -= {word for word, verb in bare.items() if verb not in wrong and verb.lower() not in own}
    return found


ENCLITIC = re.compile(r"(?<=[aeiáéíóúnrs])(?:[mts]e)?(?:me|te|se|nos|l[oae]s?)$")
UNACCENTED = str.maketrans("áéíóú", "aeiou")


def hunspell(program: str, words: set[str], dictionary: str, package: str) -> set[str]:
    answer = subprocess.run(
        [program, "-l", "-i", "utf-8", "-d", dictionary],
        input="\n".join(sorted(words)), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if answer.returncode or "Can't open" in answer.stderr:
        raise NoDictionary(f"hunspell has no dictionary {dictionary}: install the package {package} (make system)")
    found = set(answer.stdout.splitlines())
    return {word for word in words if word in found or found & set(re.split("['’-]", word))}


def words_of(text: str, *, names: bool = False) -> Iterator[str]:
    """The words to look up. A capital inside a sentence makes a name; where ``names`` are listed, any capital does."""
    text = re.sub(r"https?://\S+|\S+\.(?:py|ipynb|toml|txt|md|json|npz|yml)\b|\S*_\S*", HOLE, text)
    for match in WORD.finditer(text):
        word = match.group().replace("’", "'").removesuffix("'s")
        begins = re.search(r"(?:^|[.!?…:;¿¡|●○·*#«“(\n]|^\s*[-*])\s*$", text[: match.start()])
        if word[0].isupper() and (names or not begins):
            continue
        if len(word) > 1 and not re.search(r"\w[A-Z]", word) and not word.isupper():
            yield word


def words_are_spelt_right(course: Course) -> list[str]:
    """Each word is in its language's dictionary; in a table of terms, in that of one of the languages."""
    places: dict[str, dict[str, str]] = {}
    in_tables: dict[str, dict[str, str]] = {}
    for passage in passages(course):
        if passage.language in DICTIONARIES:
            lines = QUOTED.sub(HOLE, passage.text).splitlines(keepends=True)  # what is quoted may be in another language
            for is_table, store in ((False, places), (True, in_tables)):
                text = "".join(line for line in lines if line.lstrip().startswith("|") == is_table)
                for word in words_of(text, names=passage.names):
                    store.setdefault(passage.language, {}).setdefault(word, passage.place)
    problems = []
    for language in sorted(places.keys() | in_tables.keys()):
        words = places.get(language, {})
        rows = in_tables.get(language, {})
        wrong = misspelt(set(words), language)
        foreign = misspelt(set(rows), language)
        for other in set(DICTIONARIES) - {language}:
            foreign &= misspelt(foreign, other)
        for word in sorted(wrong | foreign):
            place = words[word] if word in wrong else rows[word]
            problems.append(f"{place}: «{word}»: not in the dictionary; if it is right, add it to tests/notebooks/words/{language}.txt")
    return problems


RULES = [
    no_words_of_the_other_language,
    comments_are_in_the_readers_language,
    tables_say_the_same_things,
    terms_are_the_courses_own,
    tables_of_terms_are_from_the_glossary,
    words_are_spelt_right,
]
