"""The sinusoidal encoding."""

import numpy as np
import pytest

import bloque


def test_sines_and_cosines_alternate():
    np.testing.assert_allclose(bloque.positional_encoding(2, 4), [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995]], atol=5e-5)


def test_is_the_formula_entry_by_entry():
    encoding = bloque.positional_encoding(7, 10)
    for t in range(7):
        for i in range(5):
            angle = t / 10000 ** (2 * i / 10)
            assert encoding[t, 2 * i] == pytest.approx(np.sin(angle), abs=1e-15)
            assert encoding[t, 2 * i + 1] == pytest.approx(np.cos(angle), abs=1e-15)


def test_an_odd_width_ends_in_a_sine():
    encoding = bloque.positional_encoding(6, 5)
    assert encoding.shape == (6, 5)
    np.testing.assert_allclose(encoding[:, 4], np.sin(np.arange(6) / 10000 ** (4 / 5)), atol=1e-15)


def test_products_depend_on_the_distance_only():
    encoding = bloque.positional_encoding(60, 16)
    products = (encoding[:-5] * encoding[5:]).sum(axis=-1)
    np.testing.assert_allclose(products, 6.1370, atol=5e-5)


@pytest.mark.parametrize(("n", "d_model"), [(0, 4), (1, 1), (3, 1)])
def test_small_sizes(n, d_model):
    assert bloque.positional_encoding(n, d_model).shape == (n, d_model)


@pytest.mark.parametrize(("n", "d_model", "name"), [(-1, 4, "n"), (3, 0, "d_model"), (2.5, 4, "n"), (3, "4", "d_model")])
def test_sizes_are_whole_numbers(n, d_model, name):
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number"):
        bloque.positional_encoding(n, d_model)
