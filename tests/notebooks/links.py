"""Rules about links: what they lead to exists, stays in its language, and they say where they lead."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from tests.notebooks.course import ROOT, Course, Link, Notebook, headings, take_apart

FIRST_LANGUAGES = ("es", "en")
BADGE = re.compile(r"colab\.research\.google\.com/github/|mybinder\.org/v2/gh/")
EMPTY_WORDS = {"aquí", "here", "click", "clic", "enlace", "link", "this", "esto", "este", "más", "more", "pincha aquí", "click here"}


def repository() -> str:
    """owner/name, as pyproject.toml says it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return settings["project"]["urls"]["Repository"].removeprefix("https://github.com/")


def links_of(notebook: Notebook) -> Iterator[tuple[str, Link]]:
    for cell in notebook.text():
        for link in take_apart(cell.source).links:
            yield cell.place, link


def slugs(path: Path) -> set[str]:
    """The fragments that a page has: as JupyterLab makes them in a notebook, as GitHub does in a document."""
    if path.suffix == ".ipynb":
        import nbformat

        texts = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"]
        return {heading.text.replace(" ", "-") for text in texts for heading in headings(text)}
    found: dict[str, int] = {}
    for heading in headings(path.read_text(encoding="utf-8")):
        slug = re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", heading.text).lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
        if found[slug]:
            found[f"{slug}-{found[slug]}"] = 0
    return set(found)


def broken(target: str, folder: Path, root: Path, own: Path) -> str | None:
    """Why a relative link does not lead anywhere; None if it does."""
    file, _, fragment = unquote(target).partition("#")
    path = (folder / file).resolve() if file else own
    if not path.is_relative_to(root.resolve()):
        return "leads out of the course"
    if not path.exists():
        return "leads to nothing"
    if fragment and path.suffix in (".ipynb", ".md") and fragment not in slugs(path):
        return f"there is no heading #{fragment} in {path.name}"
    return None


def links_lead_somewhere(course: Course) -> list[str]:
    problems = []
    for notebook in course.notebooks:
        for place, link in links_of(notebook):
            if re.match(r"[a-z]+:", link.target):
                if not re.match(r"https://|mailto:|attachment:", link.target):
                    problems.append(f"{place}: {link.target}: not https")
            elif why := broken(link.target, notebook.path.parent, course.root, notebook.path):
                problems.append(f"{place}: {link.target}: {why}")
    return problems


def links_stay_in_their_language(course: Course) -> list[str]:
    """The one link to another language's notebook is the twin's, in the first cell.

    The two first languages link to each other; one that came later links to at least one of them, so
    that adding a language asks for no change in the notebooks that are there.
    """
    problems = []
    for notebook in course.notebooks:
        expected = {
            twin.path.resolve() for twin in course.notebooks if twin.number == notebook.number and twin.language != notebook.language
        }
        needed = {twin for twin in expected if {twin.parent.name, notebook.language} == set(FIRST_LANGUAGES)}
        first = notebook.cells[0].place
        found: list[Path] = []
        for place, link in links_of(notebook):
            target = (notebook.path.parent / unquote(link.target).partition("#")[0]).resolve()
            if (
                re.match(r"[a-z]+:", link.target)
                or target.suffix not in (".ipynb", ".py")
                or target.parent == notebook.path.parent.resolve()
            ):
                continue
            if target in expected and place == first:
                found.append(target)
            else:
                problems.append(f"{place}: {link.target}: leaves the language")
        for twin in needed | set(found):
            if found.count(twin) != 1:
                problems.append(f"{first}: {found.count(twin)} links to its twin {twin.parent.name}/{twin.name}, not 1")
        if expected and not found:
            problems.append(f"{first}: links to no other language")
        for place, link in links_of(notebook):
            other = re.match(r"https://(\w\w)\.(?:m\.)?wikipedia\.org", link.target)
            if other and other[1] != notebook.language:
                problems.append(f"{place}: {link.target}: another language's Wikipedia")
    return problems


def badges_open_their_own_notebook(course: Course) -> list[str]:
    problems = []
    for notebook in course.notebooks:
        for place, link in links_of(notebook):
            if BADGE.search(link.target) and (why := wrong_badge(link.target, course.root, notebook.path)):
                problems.append(f"{place}: {link.target}: {why}")
    return problems


def wrong_badge(target: str, root: Path, own: Path | None = None) -> str | None:
    """A badge names this repository, its branch main, and a file that exists (``own`` where it is given)."""
    target = unquote(target)
    colab = re.fullmatch(r"https://colab\.research\.google\.com/github/([\w.-]+/[\w.-]+)/blob/([\w.-]+)/(.+)", target)
    binder = re.fullmatch(r"https://mybinder\.org/v2/gh/([\w.-]+/[\w.-]+)/([\w.-]+)\?(?:labpath|urlpath)=(?:lab/tree/)?(.+)", target)
    match = colab or binder
    if not match:
        return "not the shape of a badge"
    if match[1] != repository():
        return f"names {match[1]}, not {repository()}"
    if match[2] != "main":
        return f"names the branch {match[2]}, not main"
    path = root / match[3]
    if not path.is_file():
        return f"{match[3]} does not exist"
    return None if own is None or path.resolve() == own.resolve() else "opens another notebook"


def links_say_where_they_lead(course: Course) -> list[str]:
    problems = []
    for notebook in course.notebooks:
        for place, link in links_of(notebook):
            words = re.sub(r"[\W_]+", " ", link.text).strip().lower()
            if not link.picture and (words in EMPTY_WORDS or link.text.startswith("http")):
                problems.append(f"{place}: the link «{link.text}» does not say where it leads")
            if link.picture and not link.text and not link.target.startswith("data:"):
                problems.append(f"{place}: the picture {link.target} has no description")
    return problems


RULES = [links_lead_somewhere, links_stay_in_their_language, badges_open_their_own_notebook, links_say_where_they_lead]
