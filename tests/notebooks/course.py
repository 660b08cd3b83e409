"""The notebooks of a folder, read for the rules: cells, sections, prose, links. Nothing here judges."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
HOLE = "\ufffc"  # stands in prose where code, a formula or a picture stood


@dataclass(frozen=True)
class Cell:
    """A cell as it stands in the .ipynb; ``place`` is how problems name it, ``section`` its ## heading."""

    place: str
    kind: str
    source: str
    id: str
    tags: tuple[str, ...]
    section: int
    outputs: tuple[nbformat.NotebookNode, ...] = ()
    execution_count: int | None = None

    @property
    def output_text(self) -> str:
        """What the cell says in words: streams and the plain text of results."""
        return "\n".join(
            output.text if output.output_type == "stream" else output.get("data", {}).get("text/plain", "") for output in self.outputs
        )


@dataclass(frozen=True)
class Notebook:
    """One language's notebook of one number."""

    path: Path  # the .ipynb
    cells: tuple[Cell, ...]

    @property
    def language(self) -> str:
        return self.path.parent.name

    @property
    def number(self) -> int:
        return int(self.path.stem[:2])

    @property
    def name(self) -> str:
        return f"{self.language}/{self.path.stem}"

    @property
    def script(self) -> Path:
        return self.path.with_suffix(".py")

    def code(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "code"]

    def text(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.kind == "markdown"]

    def sections(self) -> Iterator[list[Cell]]:
        """The cells under each ## heading; the first section is what stands before any."""
        for number in range(self.cells[-1].section + 1 if self.cells else 0):
            yield [cell for cell in self.cells if cell.section == number]


@dataclass(frozen=True)
class Course:
    """A folder that holds notebooks/<language>/NN_name.ipynb."""

    root: Path = ROOT

    @functools.cached_property
    def notebooks(self) -> list[Notebook]:
        return [read_notebook(path) for path in sorted((self.root / "notebooks").glob("*/[0-9][0-9]_*.ipynb"))]

    @functools.cached_property
    def scripts(self) -> list[Path]:
        return sorted((self.root / "notebooks").glob("*/[0-9][0-9]_*.py"))

    def languages(self) -> list[str]:
        return sorted({notebook.language for notebook in self.notebooks})

    def of(self, language: str) -> list[Notebook]:
        return [notebook for notebook in self.notebooks if notebook.language == language]

    def numbers(self) -> list[int]:
        return sorted({notebook.number for notebook in self.notebooks})

    def get(self, language: str, number: int) -> Notebook | None:
        return next((n for n in self.notebooks if (n.language, n.number) == (language, number)), None)


def read_notebook(path: Path) -> Notebook:
    node = nbformat.read(path, as_version=4)
    cells, section = [], 0
    for index, cell in enumerate(node.cells, start=1):
        if cell.cell_type == "markdown" and any(heading.level == 2 for heading in headings(cell.source)):
            section += 1
        cells.append(
            Cell(
                place=f"{path.parent.name}/{path.stem} cell {index}",
                kind=cell.cell_type,
                source=cell.source,
                id=cell.get("id", ""),
                tags=tuple(cell.metadata.get("tags", ())),
                section=section,
                outputs=tuple(cell.get("outputs", ())),
                execution_count=cell.get("execution_count"),
            )
        )
    return Notebook(path, tuple(cells))


# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Heading:
    level: int
    text: str


@dataclass
class Link:
    text: str
    target: str
    picture: bool = False


@dataclass
class Markdown:
    """A Markdown text taken apart: the prose with holes where the rest stood."""

    prose: str
    formulas: list[str] = field(default_factory=list)  # what stands in $…$
    displays: list[str] = field(default_factory=list)  # what stands in $$…$$
    fences: list[tuple[str, str]] = field(default_factory=list)  # (language, code)
    code: list[str] = field(default_factory=list)  # what stands in `…`
    links: list[Link] = field(default_factory=list)


FENCE = re.compile(r"^[ ]{0,3}```([\w-]*)[^\n]*\n(.*?)^[ ]{0,3}```[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<!\\)\$([^$]+?)(?<!\\)\$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HTML_LINK = re.compile(r"<(a|img)\b[^>]*?(?:href|src)\s*=\s*[\"']([^\"']+)[\"'][^>]*>", re.IGNORECASE)
TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)
BARE = re.compile(r"<?https?://[^\s)>]+>?")
HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


def take_apart(source: str) -> Markdown:
    parts = Markdown(source)

    def keep(store: list, group: int | tuple[int, ...]):
        def replace(match: re.Match[str]) -> str:
            store.append(match.group(group) if isinstance(group, int) else match.group(*group))
            return HOLE

        return replace

    def link(match: re.Match[str]) -> str:
        inner = LINK.sub(link, match[2])  # a badge is a picture inside a link
        parts.links.append(Link(TAG.sub("", match[2]).strip(), match[3], picture=bool(match[1])))
        return HOLE if match[1] else inner

    def html(match: re.Match[str]) -> str:
        alt = re.search(r"\balt\s*=\s*[\"']([^\"']+)", match[0])
        parts.links.append(Link(alt[1] if alt else "", match[2], picture=match[1].lower() == "img"))
        return ""

    text = FENCE.sub(keep(parts.fences, (1, 2)), source)
    text = CODE.sub(keep(parts.code, 2), text)
    text = DISPLAY.sub(keep(parts.displays, 1), text)
    text = INLINE.sub(keep(parts.formulas, 1), text)
    text = LINK.sub(link, text)
    text = HTML_LINK.sub(html, text)
    text = BARE.sub(HOLE, TAG.sub(" ", text))
    parts.prose = text
    return parts


def headings(source: str) -> list[Heading]:
    """The headings of a text, those inside code fences left out."""
    return [Heading(len(match[1]), match[2]) for match in HEADING.finditer(FENCE.sub("", source))]


def paragraphs(prose: str) -> list[str]:
    """Blocks between blank lines, and each item and table row for itself."""
    return [block.strip() for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>]|\d+\.)\s)", prose) if block.strip()]


def sentences(prose: str) -> list[str]:
    return [s.strip() for block in paragraphs(prose) for s in re.split(r"(?<=[.!?…:;])\s+", block) if s.strip()]
