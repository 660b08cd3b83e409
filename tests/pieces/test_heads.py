"""Heads: how the columns split, and that a fused product is the paper's h products."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bloque
from tests.pieces.randomise import randomised

D_MODEL, HEADS, N = 12, 3, 5
D_HEAD = D_MODEL // HEADS


@pytest.fixture
def weights():
    return randomised(bloque.multi_head_parameters(D_MODEL, HEADS))


@pytest.fixture
def x(rng):
    return rng.standard_normal((2, N, D_MODEL))


def test_each_row_keeps_its_token():
    heads = bloque.split_heads(np.arange(24).reshape(1, 4, 6), 3)
    np.testing.assert_array_equal(heads[0, 0], [[0, 1], [6, 7], [12, 13], [18, 19]])
    assert np.arange(24).reshape(3, 4, 2)[0].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]  # the frequent mistake


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 6), st.sampled_from([(), (2,), (2, 0), (3, 2)]))
def test_merging_undoes_splitting(heads, d_head, n, leading):
    x = np.random.default_rng(0).standard_normal((*leading, n, heads * d_head))
    split = bloque.split_heads(x, heads)
    assert split.shape == (*leading, heads, n, d_head)
    np.testing.assert_array_equal(bloque.merge_heads(split), x)


def one_head(x, w, i):
    columns = slice(i * D_HEAD, (i + 1) * D_HEAD)
    return bloque.attention(*(x @ W[:, columns] + b[columns] for W, b in ((w.W_Q, w.b_Q), (w.W_K, w.b_K), (w.W_V, w.b_V))))


def test_the_fused_product_is_the_loop_over_heads(x, weights):
    output, maps = bloque.multi_head_attention(x, weights, HEADS)
    heads = [one_head(x, weights, i) for i in range(HEADS)]
    concatenated = np.concatenate([head for head, _ in heads], axis=-1)
    np.testing.assert_allclose(output, concatenated @ weights.W_O + weights.b_O, atol=1e-12)
    np.testing.assert_allclose(maps, np.stack([m for _, m in heads], axis=1), atol=1e-12)
    summed = sum(head @ weights.W_O[i * D_HEAD : (i + 1) * D_HEAD] for i, (head, _) in enumerate(heads))
    np.testing.assert_allclose(output, summed + weights.b_O, atol=1e-12)


def test_every_head_sees_every_column(x, weights):
    moved = x.copy()
    moved[..., -1] += 1
    _, before = bloque.multi_head_attention(x, weights, HEADS)
    _, after = bloque.multi_head_attention(moved, weights, HEADS)
    assert np.abs(after - before).max(axis=(0, 2, 3)).min() > 1e-3


def test_heads_are_independent(x, weights):
    w_q = weights.W_Q.copy()
    w_q[:, D_HEAD : 2 * D_HEAD] += 1
    _, before = bloque.multi_head_attention(x, weights, HEADS)
    _, after = bloque.multi_head_attention(x, weights._replace(W_Q=w_q), HEADS)
    np.testing.assert_array_equal(after[:, [0, 2]], before[:, [0, 2]])
    assert np.abs(after[:, 1] - before[:, 1]).max() > 1e-3


def test_without_the_output_matrix_nothing_comes_out(x, weights):
    output, _ = bloque.multi_head_attention(x, weights._replace(W_O=np.zeros((D_MODEL, D_MODEL)), b_O=None), HEADS)
    np.testing.assert_array_equal(output, np.zeros((2, N, D_MODEL)))


def test_the_order_of_tokens_goes_through(x, weights):
    order = np.array([2, 0, 4, 1, 3])
    np.testing.assert_allclose(
        bloque.multi_head_attention(x[:, order], weights, HEADS)[0],
        bloque.multi_head_attention(x, weights, HEADS)[0][:, order],
        atol=1e-12,
    )


def test_the_scale_is_that_of_one_head(x, weights):
    by_default = bloque.multi_head_attention(x, weights, HEADS)
    given_scale = bloque.multi_head_attention(x, weights, HEADS, scale=1 / np.sqrt(D_HEAD))
    np.testing.assert_array_equal(by_default[1], given_scale[1])


def test_cross_attention(x, weights, rng):
    context = rng.standard_normal((2, 7, D_MODEL))
    output, maps = bloque.multi_head_attention(x, weights, HEADS, context=context)
    assert output.shape == (2, N, D_MODEL)
    assert maps.shape == (2, HEADS, N, 7)
    same, _ = bloque.multi_head_attention(x, weights, HEADS, context=x)
    np.testing.assert_array_equal(same, bloque.multi_head_attention(x, weights, HEADS)[0])


def test_one_mask_a_sentence(x, weights):
    lengths = np.array([5, 2])
    mask = np.arange(N) < lengths[:, None]  # (2, n_k)
    output, maps = bloque.multi_head_attention(x, weights, HEADS, mask=mask[:, None, None])
    np.testing.assert_array_equal(maps[1, ..., 2:], 0)
    short, _ = bloque.multi_head_attention(x[1, :2], weights, HEADS)
    np.testing.assert_allclose(output[1, :2], short, atol=1e-12)


@pytest.mark.parametrize("code", ["es", "en"])
def test_heads_that_do_not_divide_are_refused_with_both_numbers_and_those_that_do(code):
    bloque.language(code)
    with pytest.raises(ValueError, match=r"1600\b.*\b48\b.*40, 50") as raised:
        bloque.split_heads(np.zeros((3, 1600)), 48)
    assert "cabezas" in str(raised.value) if code == "es" else "heads" in str(raised.value)
    small = bloque.multi_head_parameters(6, 2)
    for attempt in (
        lambda: bloque.multi_head_attention(np.zeros((4, 6)), small, 5),
        lambda: bloque.multi_head_parameters(6, 5),
        lambda: bloque.block_parameters(6, 5, 8),
        lambda: bloque.encoder_block(np.zeros((4, 6)), bloque.block_parameters(6, 2, 8), 5),
        lambda: bloque.count_parameters(6, 5, 8),
        lambda: bloque.count_operations(4, 6, 5, 8),
    ):
        with pytest.raises(ValueError, match=r"1, 2, 3, 6"):
            attempt()


@pytest.mark.parametrize("heads", [0, -2, 2.0, "2"])
def test_heads_are_a_whole_number(heads):
    with pytest.raises(ValueError, match="heads"):
        bloque.split_heads(np.zeros((3, 6)), heads)


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_the_number_of_weights_does_not_depend_on_the_heads(heads):
    parameters = bloque.multi_head_parameters(512, heads, bias=False)
    assert sum(W.size for W in parameters if W is not None) == 1_048_576
