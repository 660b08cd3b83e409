"""The checks against answers by somebody who had not seen the diagnoses: all wrong ones rejected, most named, no right one refused."""

from __future__ import annotations

import numpy as np
import pytest

from bloque.checks import check
from tests.checks.blind import R, W


@pytest.fixture(scope="module", autouse=True)
def quiet():
    """These answers overflow and divide by zero as their authors let them."""
    with np.errstate(all="ignore"):
        yield


def test_every_wrong_answer_is_rejected_and_most_are_named() -> None:
    results = [(id, told, check(id, answer)) for id, answer, told in W]
    passed = [(id, told) for id, told, result in results if result.passed]
    assert not passed
    named = sum(result.mistake is not None for _, _, result in results)
    assert named >= 0.8 * len(results), f"{named} of {len(results)} named"


def test_no_right_answer_is_refused() -> None:
    refused = [(id, result.message) for id, answer in R if not (result := check(id, answer)).passed]
    assert not refused
