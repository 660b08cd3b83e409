"""What the tests of every floor share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import bloque
from bloque.texts import languages


@pytest.fixture(params=languages())
def each_language(request: pytest.FixtureRequest) -> Iterator[str]:
    """The test in every language that has a table, the language put back afterwards."""
    before = bloque.language()
    bloque.language(request.param)
    yield request.param
    bloque.language(before)
