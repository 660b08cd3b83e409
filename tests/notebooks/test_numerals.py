"""Numbers in texts, and the loose comparison used away from Linux and the locked versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.numerals import BEHIND_OUTPUTS, Loosely, agree, differences, numerals

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.875 and −1.6", ["0.875", "−1.6"]),
        ("there are 1\u202f048\u202f576 of them", ["1\u202f048\u202f576"]),
        ("4.54e−5, 1.0e-05", ["4.54e−5", "1.0e-05"]),
        ("[ 0. -1.5]", ["0", "-1.5"]),
        ("GPT-2", ["2"]),
        ("5–10, 3-4", ["5", "10", "3", "4"]),
        ("W1, d_2, section 3.2.1", []),
        ("a tail 0.5.", ["0.5"]),
    ],
)
def test_numbers_are_found_as_they_are_written(text: str, written: list[str]) -> None:
    assert [numeral.written for numeral in numerals(text)] == written


def test_the_value_of_a_number() -> None:
    assert [numeral.value for numeral in numerals("1\u202f048\u202f576 −1.5 4.54e−5")] == [1048576.0, -1.5, 4.54e-5]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("max 0.87512", "max 0.87531", True),
        ("max 0.875", "max 0.882", False),
        ("max 0.875", "min 0.875", False),
        ("1.70e−5", "1.701e−5", True),
        ("1.7e−5", "1.7e−6", False),
        ("−0.5", "0.5", False),
        ("two numbers 1 2", "two numbers 1", False),
        ("a   0.1234", "a 0.12341", True),
        ("no numbers", "no number", False),
    ],
)
def test_loosely_means_the_words_and_three_digits(one: str, other: str, equal: bool) -> None:
    assert agree(one, other) is equal
    assert (Loosely(one) == Loosely(other)) is equal
    assert (Loosely(one) != Loosely(other)) is not equal


def test_outputs_are_compared_loosely_only_where_something_differs() -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    locked = dict(line.lower().split("==") for line in constraints.splitlines() if "==" in line)
    here = {name: locked[name] for name in BEHIND_OUTPUTS}
    assert differences(constraints, here, "linux") == []
    assert differences(constraints, here, "win32") == ["this is win32, not Linux"]
    assert "numpy is 1.26.0" in differences(constraints, here | {"numpy": "1.26.0"}, "linux")[0]
