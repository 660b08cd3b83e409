"""Attention: scaling, masks, broadcasting, and what a row without keys gives."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bloque


def draws(seed, n_q=3, n_k=5, d_k=4, d_v=6, leading=()):
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((*leading, *shape)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


def by_the_formula(q, k, v):
    e = np.exp(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ v, weights


@given(st.integers(0, 10**6), st.sampled_from([(), (2,), (2, 3)]))
def test_is_the_formula(seed, leading):
    q, k, v = draws(seed, leading=leading)
    for ours, theirs in zip(bloque.attention(q, k, v), by_the_formula(q, k, v), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_the_divisor_is_the_root_of_d_k():
    q, k = np.array([[1.0, 2, 3, 4]]), np.array([[0.5, 0.25, 0, 0], [0, 0, 0, 0]])
    _, weights = bloque.attention(q, k, np.eye(2))
    assert np.log(weights[0, 0] / weights[0, 1]) == pytest.approx(float(q[0] @ k[0]) / 2, abs=1e-15)
    _, raw = bloque.attention(q, k, np.eye(2), scale=1)
    assert np.log(raw[0, 0] / raw[0, 1]) == pytest.approx(float(q[0] @ k[0]), abs=1e-15)


def test_dividing_the_queries_first_is_the_same():
    q, k, v = draws(0)
    np.testing.assert_allclose(bloque.attention(q / 2, k, v, scale=1)[0], bloque.attention(q, k, v)[0], atol=1e-12)


def test_deviation_of_the_scores_of_a_head():
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 20_000, 64))
    scores = (q * k).sum(axis=-1)
    assert (scores / np.sqrt(64)).std() == pytest.approx(1, abs=0.02)
    assert (scores / np.sqrt(512)).std() == pytest.approx(0.354, abs=0.01)


def test_rows_add_up_to_one_and_columns_do_not():
    _, weights = bloque.attention(*draws(3, n_q=5))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-12)
    assert np.abs(weights.sum(axis=-2) - 1).max() > 0.1


def test_the_order_of_tokens_goes_through():
    x, order = draws(4, n_q=7, d_k=4)[0], np.array([3, 0, 6, 1, 5, 2, 4])
    np.testing.assert_allclose(bloque.attention(x[order], x[order], x[order])[0], bloque.attention(x, x, x)[0][order], atol=1e-12)


def test_keys_and_values_move_together():
    q, k, v = draws(5)
    order = np.array([4, 2, 0, 1, 3])
    np.testing.assert_allclose(bloque.attention(q, k[order], v[order])[0], bloque.attention(q, k, v)[0], atol=1e-12)


def masked_weights(mask):
    """Weights for the scores (2, 1, 0.5) under a mask."""
    return bloque.attention(np.array([[1.0]]), np.array([[2.0], [1.0], [0.5]]), np.eye(3), mask=mask, scale=1)[1][0]


@pytest.mark.parametrize("mask", [[True, True, False], [0.0, 0.0, -np.inf], [[True, True, False]], [0.0, 0.0, -1e9]])
def test_a_mask_closes_before_the_softmax(mask):
    np.testing.assert_allclose(masked_weights(mask), [0.7311, 0.2689, 0], atol=5e-5)
    assert masked_weights(mask)[2] == 0


def test_multiplying_by_zero_would_leak():
    assert bloque.softmax([2, 1, 0.5 * 0])[2] == pytest.approx(0.0900, abs=5e-5)
    assert (bloque.softmax([2, 1, 0.5]) * [1, 1, 0]).sum() == pytest.approx(0.8598, abs=5e-5)


def test_a_floating_mask_is_added():
    bias = np.array([0.5, -1.0, 0.25])
    np.testing.assert_allclose(masked_weights(bias), bloque.softmax(np.array([2, 1, 0.5]) + bias), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_a_finite_mask_stays_finite_in_a_smaller_type(dtype):
    q, k, v = (a.astype(dtype) for a in draws(12))
    mask = np.zeros((3, 5))
    mask[0] = -1e300  # all alike: nothing is closed, and the weights are those of float64
    mask[1] = [0, -1e300, -np.inf, 0, 0]
    mask[2] = [1e300, 0, 0, 0, 1e300]  # beside it the other keys are nothing
    output, weights = bloque.attention(q, k, v, mask=mask)
    exact = bloque.attention(*draws(12), mask=mask)[1]
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-3)
    np.testing.assert_allclose(weights[1:], exact[1:], atol=2e-1)
    np.testing.assert_array_equal(weights == 0, exact == 0)
    np.testing.assert_allclose(weights[0], 0.2, atol=1e-3)
    assert output.dtype == weights.dtype == dtype


def test_true_means_may_attend():
    mask = bloque.causal_mask(4)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, np.tril(np.ones((4, 4))) == 1)
    q, k, v = draws(6, n_q=4, n_k=4)
    output, weights = bloque.attention(q, k, v, mask=mask)
    np.testing.assert_array_equal(weights[0], [1, 0, 0, 0])
    v[2:] += 100
    k[2:] -= 3
    np.testing.assert_array_equal(bloque.attention(q, k, v, mask=mask)[0][:2], output[:2])


@pytest.mark.parametrize("kind", ["boolean", "floating"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_row_that_may_attend_to_nothing_gives_zeros_and_disturbs_no_other(kind, dtype):
    q, k, v = (a.astype(dtype) for a in draws(7))
    mask = np.ones((3, 5), dtype=bool)
    mask[1] = False
    given_mask = mask if kind == "boolean" else np.where(mask, 0.0, -np.inf)
    output, weights = bloque.attention(q, k, v, mask=given_mask)
    np.testing.assert_array_equal(output[1], 0)
    np.testing.assert_array_equal(weights[1], 0)
    free, free_weights = bloque.attention(q, k, v)
    np.testing.assert_allclose(output[[0, 2]], free[[0, 2]], atol=1e-12)
    np.testing.assert_allclose(weights[[0, 2]], free_weights[[0, 2]], atol=1e-12)
    assert output.dtype == weights.dtype == dtype


def test_no_keys_at_all_give_zeros():
    output, weights = bloque.attention(np.ones((3, 4)), np.ones((0, 4)), np.ones((0, 6)))
    np.testing.assert_array_equal(output, np.zeros((3, 6)))
    assert weights.shape == (3, 0)


@pytest.mark.parametrize("mask_shape", [(), (5,), (1, 5), (3, 1), (3, 5), (2, 1, 5), (4, 2, 3, 5)])
def test_masks_and_leading_axes_broadcast(mask_shape):
    q, k, v = draws(8, leading=(2,))
    mask = np.random.default_rng(9).random(mask_shape) < 0.7
    output, weights = bloque.attention(q, k[0], v[1], mask=mask)
    whole = np.broadcast_to(mask, np.broadcast_shapes(mask_shape, (2, 3, 5)))
    assert weights.shape == whole.shape
    for place in np.ndindex(whole.shape[:-2]):
        one, one_weights = bloque.attention(q[place[-1]], k[0], v[1], mask=whole[place])
        np.testing.assert_allclose(weights[place], one_weights, atol=1e-12)
        np.testing.assert_allclose(output[place], one, atol=1e-12)


def test_size_one_and_empty_batch():
    output, weights = bloque.attention(np.ones((1, 4)), np.ones((1, 4)), np.full((1, 6), 3.0))
    np.testing.assert_array_equal(weights, [[1]])
    np.testing.assert_array_equal(output, np.full((1, 6), 3.0))
    assert bloque.attention(np.ones((0, 3, 4)), np.ones((0, 5, 4)), np.ones((0, 5, 6)))[0].shape == (0, 3, 6)
    assert bloque.attention(np.ones((0, 4)), np.ones((5, 4)), np.ones((5, 6)))[1].shape == (0, 5)


@pytest.mark.parametrize("mask", [None, "boolean", "floating"])
def test_at_most_two_arrays_the_size_of_the_scores_are_alive(mask):
    n, d = 600, 4
    q, k, v = draws(10, n_q=n, n_k=n, d_k=d, d_v=d)
    masks = {None: None, "boolean": bloque.causal_mask(n), "floating": np.where(bloque.causal_mask(n), 0, -np.inf)}
    tracemalloc.start()
    bloque.attention(q, k, v, mask=masks[mask])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.3 * n * n * 8  # 2 arrays, and what is a boolean or small beside them


def test_a_mask_of_whole_numbers_is_refused():
    with pytest.raises(ValueError, match="int64"):
        masked_weights(np.array([1, 1, 0]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_mask_that_is_not_a_number_is_refused(bad):
    with pytest.raises(ValueError, match="mask"):
        masked_weights(np.array([0.0, bad, 0.0]))


@pytest.mark.parametrize("bad", [0.0, np.nan, "1", True])
def test_only_a_number_is_a_scale(bad):
    q, k, v = draws(11)
    if bad == 0.0:
        np.testing.assert_allclose(bloque.attention(q, k, v, scale=bad)[1], 0.2)
    else:
        with pytest.raises(ValueError, match="scale"):
            bloque.attention(q, k, v, scale=bad)
