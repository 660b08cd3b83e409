"""Every explorer of every lesson says the same in each language, in that language's words."""

import pytest

from bloque.texts import languages
from tests.notebooks.figures import Build, compare, explorers, look

EXPLORERS = dict(explorers())


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_speaks_each_language(name: str) -> None:
    build: Build = EXPLORERS[name]
    problems = compare(name, {language: look(build, language) for language in languages()})
    assert not problems, "\n".join(problems)


def test_there_are_explorers() -> None:
    assert EXPLORERS
