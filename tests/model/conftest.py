"""What the tests of the real model share: the model, what other programs made of it, the language."""

import json
from pathlib import Path

import numpy as np
import pytest

from bloque.model import load

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def model():
    return load()


@pytest.fixture(scope="session")
def tokens():
    """Texts and the pieces the tokenizers library cuts them into (tools/model_reference.py)."""
    return json.loads((HERE / "tokens.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def reference():
    """Hidden states and maps of transformers' BertModel, in units of 1e-5 (tools/model_reference.py)."""
    return dict(np.load(HERE / "reference.npz"))
