"""README and the other documents: links and badges, the two halves, and the errors that newcomers search for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.notebooks.course import ROOT, headings, take_apart
from tests.notebooks.language import documents, halves
from tests.notebooks.links import BADGE, broken, repository, wrong_badge

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", documents(ROOT), ids=lambda path: path.name)
def test_links_of_a_document_lead_somewhere(path: Path) -> None:
    links = take_apart(path.read_text(encoding="utf-8")).links
    assert [
        (link.target, why)
        for link in links
        if not link.target.startswith("https:") and (why := broken(link.target, path.parent, ROOT, path))
    ] == []
    assert [(link.target, why) for link in links if BADGE.search(link.target) and (why := wrong_badge(link.target, ROOT))] == []


def test_a_wrong_link_and_a_wrong_badge_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Título\n", encoding="utf-8")
    assert broken("#título", tmp_path, tmp_path, page) is None
    assert broken("#titulo", tmp_path, tmp_path, page) is not None
    assert broken("gone.md", tmp_path, tmp_path, page) == "leads to nothing"
    assert "branch" in str(wrong_badge(f"https://mybinder.org/v2/gh/{repository()}/dev?labpath=page.md", tmp_path))
    assert "does not exist" in str(wrong_badge(f"https://mybinder.org/v2/gh/{repository()}/main?labpath=gone.ipynb", tmp_path))
    assert wrong_badge(f"https://mybinder.org/v2/gh/{repository()}/main?labpath=page.md", tmp_path) is None


def test_both_halves_of_the_readme_are_whole() -> None:
    """The same headings, commands, links and errors in each."""
    _, *parts = halves(README)
    assert [language for language, _ in parts] == ["es", "en"]
    spanish, english = (text for _, text in parts)
    assert [h.level for h in headings(spanish)] == [h.level for h in headings(english)]
    neutral = [re.sub(r"notebooks/\w+/\w+\.ipynb", "NOTEBOOK", code) for _, code in take_apart(spanish).fences]
    assert neutral == [re.sub(r"notebooks/\w+/\w+\.ipynb", "NOTEBOOK", code) for _, code in take_apart(english).fences]
    assert len(take_apart(spanish).links) == len(take_apart(english).links)
    assert spanish.count("\n**") == english.count("\n**")


@pytest.mark.parametrize(
    "error",
    [
        "externally-managed-environment",
        '"jupyter" no se reconoce como un comando interno o externo',
        "'jupyter' is not recognized as an internal or external command",
        "No se encontró Python",
        "Python was not found; run without arguments to install from the Microsoft Store",
        "ModuleNotFoundError: No module named 'bloque'",
        "ipywidgets 8.1.9",
        "Filename too long",
    ],
)
def test_the_readme_quotes_the_error_that_people_search_for(error: str) -> None:
    assert error in README


def test_jupyter_is_always_started_through_python() -> None:
    for match in re.finditer(r"jupyter lab", README):
        assert README[: match.start()].endswith("-m "), README[match.start() - 40 : match.end()]


def test_the_moving_picture_is_there_and_small() -> None:
    picture = ROOT / "docs" / "saturation.gif"
    assert picture.read_bytes()[:6] in (b"GIF87a", b"GIF89a")
    assert picture.stat().st_size < 1_000_000


def test_versions_and_addresses_agree() -> None:
    import bloque

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert settings["version"] == bloque.__version__
    assert f"version: {bloque.__version__}" in citation
    assert f'"{settings["urls"]["Repository"]}"' in citation
    assert f"## {bloque.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_nothing_is_pinned_for_readers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = settings["dependencies"] + [line for extra in settings["optional-dependencies"].values() for line in extra]
    ranges += [line for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
    assert [line for line in ranges if "==" in line or "<" in line] == []


def test_the_glossary_is_its_table() -> None:
    from tools.make_glossary import glossary, read_taught, target

    for folder in sorted(path for path in (ROOT / "notebooks").iterdir() if path.is_dir()):
        assert target(ROOT, folder.name).read_text(encoding="utf-8") == glossary(ROOT, folder.name, read_taught())


def test_every_term_is_taught_somewhere() -> None:
    from bloque.texts import entry, languages
    from tools.make_glossary import read_taught

    for language in languages():
        assert set(entry("glossary.terms", lang=language)) == set(read_taught())
    assert all(read_taught().values())
