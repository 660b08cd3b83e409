"""How numbers are written, in every language alike."""

from __future__ import annotations

import math

import pytest

from bloque.texts import number, setting


@pytest.mark.parametrize(
    ("value", "asked", "written"),
    [
        (3, {}, "3"),
        (3.0, {}, "3"),
        (1234, {}, "1234"),
        (12345, {}, "12\u202f345"),
        (0.12345, {}, "0.123"),
        (-0.0, {}, "0"),
        (-0.0004, {"decimals": 2}, "0.00"),
        (1e9, {"decimals": 1}, "1\u202f000\u202f000\u202f000.0"),
        (1.5, {"significant": 3}, "1.50"),
        (123_456.7, {"significant": 3}, "123\u202f457"),  # an integer part is written whole
        (999_999.9, {"significant": 3}, "1.00e6"),
        (1e6, {"significant": 8}, "1\u202f000\u202f000.0"),
        (1e-4, {"significant": 3}, "0.000100"),
        (9.9e-5, {"significant": 2}, "9.9e−5"),
        (-math.inf, {}, "−∞"),
    ],
)
def test_a_number_is_written_as_its_docstring_says(value, asked, written):
    assert number(value, **asked) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [(1, "1"), (3.16, "3.16"), (100.0, "100"), (0.1, "0.1"), (1e-5, "1e−5"), (1.5e-5, "1.5e−5"), (-2e-5, "−2e−5"), (2e6, "2e6")],
)
def test_a_setting_has_no_zeros_at_the_end(value, written):
    assert setting(value) == written
