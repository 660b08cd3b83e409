"""The network by position, the two blocks and the stack."""

import numpy as np
import pytest

import bloque
from tests.pieces.randomise import randomised

D_MODEL, HEADS, D_FF, N = 12, 3, 20, 5


@pytest.fixture
def parameters():
    return randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF, attention_bias=True))


@pytest.fixture
def x(rng):
    return rng.standard_normal((2, N, D_MODEL))


def silent(parameters):
    """The same block with sublayers that add nothing."""
    attention, attention_norm, network, network_norm = parameters
    return bloque.BlockParameters(
        attention._replace(W_O=np.zeros_like(attention.W_O), b_O=None),
        attention_norm,
        network._replace(W2=np.zeros_like(network.W2), b2=None),
        network_norm,
    )


def test_feed_forward_is_the_formula(x, parameters):
    W1, b1, W2, b2 = parameters.feed_forward
    expected = np.maximum(x @ W1 + b1, 0) @ W2 + b2
    np.testing.assert_allclose(bloque.feed_forward(x, W1, b1, W2, b2), expected, atol=1e-12)
    no_bias = np.maximum(x @ W1, 0) @ W2
    np.testing.assert_allclose(bloque.feed_forward(x, W1, None, W2, None), no_bias, atol=1e-12)


def test_feed_forward_treats_each_position_by_itself(x, parameters):
    whole = bloque.feed_forward(x, *parameters.feed_forward, "gelu")
    np.testing.assert_allclose(bloque.feed_forward(x[1, 3], *parameters.feed_forward, "gelu"), whole[1, 3], atol=1e-12)


def test_post_and_pre_are_their_formulas(x, parameters):
    attention, attention_norm, network, network_norm = parameters

    def attend(y):
        return bloque.multi_head_attention(y, attention, HEADS)[0]

    def think(y):
        return bloque.feed_forward(y, *network)

    def norm(y, p):
        return bloque.layer_norm(y, p.gamma, p.beta)

    middle = norm(x + attend(x), attention_norm)
    post = norm(middle + think(middle), network_norm)
    np.testing.assert_allclose(bloque.encoder_block(x, parameters, HEADS), post, atol=1e-12)
    middle = x + attend(norm(x, attention_norm))
    pre = middle + think(norm(middle, network_norm))
    np.testing.assert_allclose(bloque.encoder_block(x, parameters, HEADS, norm="pre"), pre, atol=1e-12)


def test_silent_sublayers_show_where_the_norm_stands(x, parameters):
    quiet = silent(parameters)
    np.testing.assert_array_equal(bloque.encoder_block(x, quiet, HEADS, norm="pre"), x)
    fresh = silent(bloque.block_parameters(D_MODEL, HEADS, D_FF))
    post = bloque.encoder_block(x, fresh, HEADS, norm="post")
    np.testing.assert_allclose(post.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(post.var(axis=-1), 1, atol=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_order_of_tokens_goes_through(x, parameters, norm, activation):
    order = np.array([4, 1, 3, 0, 2])

    def block(y):
        return bloque.encoder_block(y, parameters, HEADS, norm=norm, activation=activation)

    np.testing.assert_allclose(block(x[:, order]), block(x)[:, order], atol=1e-12)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_under_a_causal_mask_the_past_does_not_see_the_future(x, parameters, norm):
    moved = x.copy()
    moved[:, 3:] += 5
    mask = bloque.causal_mask(N)
    before = bloque.encoder_block(x, parameters, HEADS, norm=norm, mask=mask)
    after = bloque.encoder_block(moved, parameters, HEADS, norm=norm, mask=mask)
    np.testing.assert_allclose(after[:, :3], before[:, :3], atol=1e-13)
    assert np.abs(after[:, 3:] - before[:, 3:]).max() > 0.1


def test_eps_reaches_the_norms(x, parameters):
    blocks = [bloque.encoder_block(x, parameters, HEADS, eps=eps) for eps in (1e-12, 1.0)]
    assert np.abs(blocks[0] - blocks[1]).max() > 1e-2


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_forward_that_keeps_gives_the_same_bits(x, parameters, norm, activation):
    options = {"norm": norm, "activation": activation, "mask": bloque.causal_mask(N), "eps": 1e-3}
    output, kept = bloque.encoder_block_forward(x, parameters, HEADS, **options)
    np.testing.assert_array_equal(output, bloque.encoder_block(x, parameters, HEADS, **options))
    entered = x if norm == "post" else bloque.layer_norm(x, *parameters.attention_norm, 1e-3)
    _, weights = bloque.multi_head_attention(entered, parameters.attention, HEADS, mask=options["mask"])
    np.testing.assert_array_equal(kept.attention.weights, weights)


def test_a_stack_is_its_blocks_one_after_another(x):
    blocks = [randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF, seed=seed), seed) for seed in range(3)]
    final = bloque.NormParameters(np.full(D_MODEL, 2.0), np.full(D_MODEL, 0.5))
    expected = x
    for block in blocks:
        expected = bloque.encoder_block(expected, block, HEADS, norm="pre", activation="gelu", mask=bloque.causal_mask(N))
    stack = bloque.encoder(x, blocks, HEADS, norm="pre", activation="gelu", mask=bloque.causal_mask(N))
    np.testing.assert_array_equal(stack, expected)
    closed = bloque.encoder(x, blocks, HEADS, norm="pre", activation="gelu", mask=bloque.causal_mask(N), final_norm=final)
    np.testing.assert_allclose(closed, bloque.layer_norm(expected, *final), atol=1e-12)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_lengths_nought_and_one_and_an_empty_batch(parameters, norm):
    for shape in [(0, D_MODEL), (1, D_MODEL), (0, N, D_MODEL), (2, 0, D_MODEL), (2, 1, D_MODEL)]:
        assert bloque.encoder_block(np.zeros(shape), parameters, HEADS, norm=norm).shape == shape


def test_parameters_start_as_promised():
    parameters = bloque.block_parameters(128, 4, 256)
    assert parameters.attention.b_Q is None
    assert bloque.block_parameters(128, 4, 256, attention_bias=True).attention.b_Q.shape == (128,)
    assert parameters.attention.W_Q.var() == pytest.approx(1 / 128, rel=0.05)
    assert parameters.feed_forward.W2.var() == pytest.approx(1 / 256, rel=0.05)
    np.testing.assert_array_equal(parameters.attention_norm.gamma, 1)
    again, other = bloque.block_parameters(128, 4, 256, seed=0), bloque.block_parameters(128, 4, 256, seed=1)
    np.testing.assert_array_equal(again.feed_forward.W1, parameters.feed_forward.W1)
    assert (other.feed_forward.W1 != parameters.feed_forward.W1).all()
    assert bloque.block_parameters(8, 2, 16, dtype=np.float32).feed_forward.W1.dtype == np.float32


def test_words_that_are_no_option_are_refused(x, parameters):
    with pytest.raises(ValueError, match=r"'middle'.*'post', 'pre'"):
        bloque.encoder_block(x, parameters, HEADS, norm="middle")
    with pytest.raises(ValueError, match=r"'tanh'.*'relu', 'gelu'"):
        bloque.feed_forward(x, *parameters.feed_forward, "tanh")
