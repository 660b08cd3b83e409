"""Softmax and its Jacobian: exact values, and what must hold for any scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bloque

scores = hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6), elements=st.floats(-50, 50))


def largest_slope(z):
    return np.abs(bloque.softmax_jacobian(bloque.softmax(z))).max()


def test_known_values():
    weights = bloque.softmax([1000, 1001, 1002])
    np.testing.assert_allclose(weights, [0.09003057, 0.24472847, 0.66524096], atol=1e-8)
    np.testing.assert_allclose(weights, bloque.softmax([0, 1, 2]), atol=1e-15)


@pytest.mark.parametrize("z", [[-10000, -10000], [1e16, 1e16], [-1e308, -1e308], [1e308, 1e308]])
def test_equal_scores_share_equally_however_large(z):
    np.testing.assert_array_equal(bloque.softmax(z), [0.5, 0.5])


@pytest.mark.parametrize(
    ("z", "slope"),
    [([500, 500, 500], 0.2222), ([500, 501, 502], 0.2227), ([0, 1, 2], 0.2227), ([0, 10, 20], 4.54e-5)],
)
def test_only_differences_saturate(z, slope):
    assert largest_slope(z) == pytest.approx(slope, rel=1e-3)


def test_jacobian_of_a_saturated_row():
    jacobian = bloque.softmax_jacobian([0.001, 0.998, 0.001])
    np.testing.assert_allclose(np.diag(jacobian), [0.000999, 0.001996, 0.000999], atol=1e-15)
    assert np.abs(jacobian).max() == pytest.approx(0.001996)
    assert jacobian[0, 1] == pytest.approx(-0.001 * 0.998)


def test_slope_of_one_against_seven_first_rises_then_falls_by_e():
    gaps = np.linspace(0, 14, 1401)
    weights = bloque.softmax(np.concatenate([gaps[:, None], np.zeros((1401, 7))], axis=1))[:, 0]
    slopes = weights * (1 - weights)
    assert gaps[slopes.argmax()] == pytest.approx(np.log(7), abs=0.01)
    assert slopes.max() == pytest.approx(0.25, abs=1e-5)
    assert slopes[1200] / slopes[1100] == pytest.approx(np.exp(-1), rel=1e-3)


@given(scores)
def test_rows_add_up_to_one(z):
    np.testing.assert_allclose(bloque.softmax(z).sum(axis=-1), 1, atol=1e-12)


@given(scores, st.floats(-100, 100))
def test_a_shift_changes_nothing(z, shift):
    np.testing.assert_allclose(bloque.softmax(z + shift), bloque.softmax(z), atol=1e-12)


@given(scores)
def test_any_axis_is_the_last_one_moved(z):
    for axis in range(z.ndim):
        moved = np.moveaxis(bloque.softmax(np.moveaxis(z, axis, -1)), -1, axis)
        np.testing.assert_allclose(bloque.softmax(z, axis=axis), moved, atol=1e-15)


@given(scores)
def test_jacobian_is_symmetric_with_rows_that_cancel(z):
    weights = bloque.softmax(z)
    jacobian = bloque.softmax_jacobian(weights)
    assert jacobian.shape == (*z.shape, z.shape[-1])
    np.testing.assert_array_equal(jacobian, jacobian.swapaxes(-1, -2))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-12)


def test_jacobian_has_rank_n_minus_one():
    assert np.linalg.matrix_rank(bloque.softmax_jacobian(bloque.softmax([0.3, -1.0, 2.0, 0.0, 1.1]))) == 4


def test_jacobian_is_the_derivative():
    z, step = np.array([0.3, -1.2, 0.7, 2.0]), 1e-6
    moved = [(bloque.softmax(z + step * e) - bloque.softmax(z - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(bloque.softmax_jacobian(bloque.softmax(z)), np.transpose(moved), atol=1e-9)


def test_minus_infinity_is_a_score_with_weight_zero():
    weights = bloque.softmax([2, 1, -np.inf])
    assert weights[2] == 0
    np.testing.assert_allclose(weights[:2], [0.7311, 0.2689], atol=5e-5)


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize(("bad", "word"), [(-np.inf, "-inf"), (np.inf, "+inf"), (np.nan, "NaN")])
def test_a_row_without_an_answer_is_named(bad, word, code):
    bloque.language(code)
    z = np.zeros((2, 3, 4))
    z[1, 2] = bad
    with pytest.raises(ValueError, match=r"scores\[1, 2, :\]") as raised:
        bloque.softmax(z)
    assert word in str(raised.value)


def test_one_bad_score_is_enough():
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match=r"scores\[:, 1\]"):
            bloque.softmax([[0.0, 1.0], [2.0, bad]], axis=0)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 5)])
def test_empty(shape):
    assert bloque.softmax(np.zeros(shape)).shape == shape


def test_scores_without_that_axis_are_refused():
    with pytest.raises(ValueError, match="axis 2"):
        bloque.softmax(np.zeros((3, 4)), axis=2)
    with pytest.raises(ValueError, match="axis -1"):
        bloque.softmax(3.0)
