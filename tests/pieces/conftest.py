"""Every test of the pieces runs in English, and as strictly as floating point allows."""

import numpy as np
import pytest
from hypothesis import settings

import bloque

settings.register_profile("pieces", deadline=None, max_examples=25, derandomize=True)
settings.load_profile("pieces")


@pytest.fixture(autouse=True)
def _english():
    bloque.language("en")
    yield
    bloque.language("en")


@pytest.fixture(autouse=True)
def _no_silent_warning(recwarn):
    """A RuntimeWarning of NumPy in any test is a failure."""
    yield
    assert [str(w.message) for w in recwarn if issubclass(w.category, RuntimeWarning)] == []


@pytest.fixture
def rng():
    return np.random.default_rng(2017)
