"""A course of one short lesson in two languages, built once, for tests that break it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.build_notebooks import Builder, scripts

SAMPLE = Path(__file__).parent / "sample"
ROOT = SAMPLE.parents[2]


def lay(folder: Path) -> Path:
    """A folder like the course's own, with the sample's notebooks in it, not built yet."""
    shutil.copytree(SAMPLE / "notebooks", folder / "notebooks")
    shutil.copy(ROOT / "notebooks" / "jupytext.toml", folder / "notebooks")
    for language in ("es", "en"):  # of the library's texts only those that every notebook uses, and the glossary
        texts = folder / "lib" / "bloque" / "texts" / language
        texts.mkdir(parents=True)
        for name in ("notebook.toml", "glossary.toml"):
            shutil.copy(ROOT / "lib" / "bloque" / "texts" / language / name, texts)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built. Nobody writes into it: tests that do take ``sample``."""
    folder = lay(tmp_path_factory.mktemp("sample") / "course")
    builder = Builder(folder)
    for script in scripts(folder):
        builder.build(script)
    return folder


@pytest.fixture
def sample(built: Path, tmp_path: Path) -> Path:
    """A copy of the built sample, to break."""
    return Path(shutil.copytree(built, tmp_path / "course"))
