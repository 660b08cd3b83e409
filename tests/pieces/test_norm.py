"""Layer norm: by rows, with 1/d, in two passes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bloque

ROW = [-1.34163542, -0.44721181, 0.44721181, 1.34163542]
rows = hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=3, min_side=2, max_side=7), elements=st.floats(-1e3, 1e3))


def test_the_deviation_has_no_correction():
    np.testing.assert_allclose(bloque.layer_norm([1, 0, 0, 0], eps=0), [1.7320508, -0.5773503, -0.5773503, -0.5773503], atol=1e-7)


def test_every_row_by_itself():
    normed = bloque.layer_norm(np.arange(24).reshape(2, 3, 4))
    np.testing.assert_allclose(normed, np.broadcast_to(ROW, (2, 3, 4)), atol=1e-7)


def test_one_row_never_disturbs_another(rng):
    x = rng.standard_normal((5, 8))
    moved = x.copy()
    moved[0] *= 7
    np.testing.assert_array_equal(bloque.layer_norm(moved)[1:], bloque.layer_norm(x)[1:])


def test_two_passes_survive_an_offset():
    x = np.array([40000, 40001, 40002, 40003], dtype=np.float32)
    assert np.square(x).mean(dtype=np.float32) - np.square(x.mean(dtype=np.float32)) < 0  # one pass: a negative variance
    np.testing.assert_allclose(bloque.layer_norm(x), ROW, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("value", [0.0, 1234.0])
def test_a_constant_row_becomes_zeros(dtype, value):
    np.testing.assert_array_equal(bloque.layer_norm(np.full((2, 256), value, dtype)), np.zeros((2, 256)))


def test_the_lesson_s_example():
    x = np.random.default_rng(7).normal(3, 2, (5, 8))
    means = x.mean(axis=-1)
    assert (round(means.min(), 3), round(means.max(), 3)) == (0.984, 2.894)
    normed = bloque.layer_norm(x, np.full(8, 4.0), np.full(8, -1.0))
    np.testing.assert_allclose(normed.mean(axis=-1), -1, atol=1e-12)
    np.testing.assert_allclose(normed.std(axis=-1), 4, atol=1e-4)


@given(rows)
def test_mean_zero_and_deviation_at_most_one(x):
    normed = bloque.layer_norm(x)
    np.testing.assert_allclose(normed.mean(axis=-1), 0, atol=1e-9)
    variance = x.var(axis=-1)
    np.testing.assert_allclose(normed.var(axis=-1), variance / (variance + 1e-5), atol=1e-9)


@given(rows, st.floats(-100, 100), st.floats(0.1, 10))
def test_a_shift_is_forgotten_and_without_epsilon_so_is_a_positive_scale(x, shift, scale):
    x = x + np.arange(x.shape[-1])  # no constant row
    np.testing.assert_allclose(bloque.layer_norm(x + shift), bloque.layer_norm(x), atol=1e-6)
    np.testing.assert_allclose(bloque.layer_norm(x * scale, eps=0), bloque.layer_norm(x, eps=0), atol=1e-6)


def test_gamma_scales_and_beta_shifts_the_columns(rng):
    x, gamma, beta = rng.standard_normal((4, 6)), rng.standard_normal(6), rng.standard_normal(6)
    np.testing.assert_allclose(bloque.layer_norm(x, gamma, beta), bloque.layer_norm(x) * gamma + beta, atol=1e-15)
    np.testing.assert_allclose(bloque.layer_norm(x, gamma), bloque.layer_norm(x) * gamma, atol=1e-15)
    np.testing.assert_allclose(bloque.layer_norm(x, beta=beta), bloque.layer_norm(x) + beta, atol=1e-15)


def test_empty_and_shapes():
    assert bloque.layer_norm(np.zeros((0, 3, 4))).shape == (0, 3, 4)
    np.testing.assert_array_equal(bloque.layer_norm([[5.0]]), [[0.0]])
    with pytest.raises(ValueError, match=r"x has shape \(3, 0\)"):
        bloque.layer_norm(np.zeros((3, 0)))
    with pytest.raises(ValueError, match=r"gamma has shape \(5,\).*d = 4.*x \(3, 4\), gamma \(5,\)"):
        bloque.layer_norm(np.zeros((3, 4)), np.ones(5))
