"""Every backward pass against finite differences of its own forward, along random directions.

For a loss L = ⟨R, f(x)⟩ with a random R, the derivative along a random direction v must be ⟨∂L, v⟩.
All inputs and parameters move at once, in float64, and one by one.
"""

import numpy as np
import pytest

import bloque
from tests.pieces.randomise import randomised

D_MODEL, HEADS, D_FF, N, BATCH = 12, 3, 20, 5, 2


def leaves(tree):
    """The arrays of nested containers, in order; None has none."""
    if tree is None:
        return []
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]


def rebuilt(tree, arrays):
    """The same containers with other arrays, taken one by one."""
    if tree is None:
        return None
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(rebuilt(part, arrays) for part in tree))
    if isinstance(tree, tuple | list):
        return type(tree)(rebuilt(part, arrays) for part in tree)
    return next(arrays)


def assert_is_the_gradient(forward, inputs, gradients, direction_of_loss):
    """⟨gradients, v⟩ equals the central difference of the loss along v, to 1e−6 relative."""
    points, slopes = leaves(inputs), leaves(gradients)
    assert [p.shape for p in points] == [s.shape for s in slopes]
    rng, step = np.random.default_rng(99), 1e-6

    def loss(directions, size):
        moved = iter([point + size * direction for point, direction in zip(points, directions, strict=True)])
        return float((forward(*rebuilt(inputs, moved)) * direction_of_loss).sum())

    everything = [[rng.standard_normal(p.shape) for p in points] for _ in range(3)]
    alone = [[rng.standard_normal(p.shape) * (i == j) for j, p in enumerate(points)] for i in range(len(points))]
    for directions in everything + alone:
        measured = (loss(directions, step) - loss(directions, -step)) / (2 * step)
        exact = sum(float((s * v).sum()) for s, v in zip(slopes, directions, strict=True))
        # what a gradient of this size could have given: b_K moves no weight, and its slope is 0
        scale = max(abs(exact), 1e-2 * sum(np.linalg.norm(v) for v in directions))
        assert abs(measured - exact) <= 1e-6 * scale, (measured, exact)


def draw(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


@pytest.mark.parametrize("axis", [-1, 0])
def test_softmax(axis):
    z, r = draw(3, 4), draw(3, 4, seed=1)
    backward = bloque.softmax_backward(r, bloque.softmax(z, axis=axis), axis=axis)
    assert_is_the_gradient(lambda z: bloque.softmax(z, axis=axis), (z,), (backward,), r)


def test_softmax_is_the_jacobian_s_product():
    weights, r = bloque.softmax(draw(3, 4)), draw(3, 4, seed=1)
    by_jacobian = np.einsum("rij,rj->ri", bloque.softmax_jacobian(weights), r)
    np.testing.assert_allclose(bloque.softmax_backward(r, weights), by_jacobian, atol=1e-15)


MASKS = {
    "none": None,
    "boolean": np.random.default_rng(3).random((3, 7)) < 0.6,
    "floating": np.random.default_rng(4).standard_normal((3, 7)),
    "one row closed": np.array([[True], [False], [True]]),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", [None, 1, 0.3])
def test_attention(mask, scale):
    inputs = draw(2, 3, 4), draw(2, 7, 4), draw(2, 7, 6)
    r = draw(2, 3, 6, seed=1)

    def forward(q, k, v):
        return bloque.attention(q, k, v, mask=MASKS[mask], scale=scale)[0]

    _, weights = bloque.attention(*inputs, mask=MASKS[mask], scale=scale)
    assert_is_the_gradient(forward, inputs, bloque.attention_backward(r, *inputs, weights, scale=scale), r)


def test_attention_broadcast_inputs_collect_every_use():
    for inputs in ((draw(2, 3, 5, 4), draw(7, 4), draw(1, 7, 6)), (draw(5, 4), draw(3, 7, 4), draw(2, 1, 7, 6))):
        output, weights = bloque.attention(*inputs)
        r = draw(*output.shape, seed=1)
        assert output.shape == (2, 3, 5, 6)
        assert_is_the_gradient(lambda *a: bloque.attention(*a)[0], inputs, bloque.attention_backward(r, *inputs, weights), r)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", [None, bloque.causal_mask(N)])
@pytest.mark.parametrize("leading", [(), (BATCH,), (BATCH, 3)])
def test_multi_head_attention(bias, mask, leading):
    parameters = randomised(bloque.multi_head_parameters(D_MODEL, HEADS, bias=bias))
    x, r = draw(*leading, N, D_MODEL), draw(*leading, N, D_MODEL, seed=1)

    def forward(x, p):
        return bloque.multi_head_attention(x, p, HEADS, mask=mask)[0]

    output, kept = bloque.multi_head_attention_forward(x, parameters, HEADS, mask=mask)
    np.testing.assert_array_equal(output, forward(x, parameters))
    by_x, by_context, by_parameters = bloque.multi_head_attention_backward(r, kept)
    assert by_context is None
    assert_is_the_gradient(forward, (x, parameters), (by_x, by_parameters), r)


def test_cross_attention_with_its_own_scale():
    parameters = randomised(bloque.multi_head_parameters(D_MODEL, HEADS))
    x, context, r = draw(BATCH, N, D_MODEL), draw(BATCH, 7, D_MODEL), draw(BATCH, N, D_MODEL, seed=1)

    def forward(x, context, p):
        return bloque.multi_head_attention(x, p, HEADS, context=context, scale=0.7)[0]

    _, kept = bloque.multi_head_attention_forward(x, parameters, HEADS, context=context, scale=0.7)
    assert_is_the_gradient(forward, (x, context, parameters), bloque.multi_head_attention_backward(r, kept), r)


@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("shape", [(6,), (4, 6), (2, 3, 6)])
def test_layer_norm(eps, shape):
    x, r, norm = draw(*shape), draw(*shape, seed=1), bloque.NormParameters(draw(6, seed=2), draw(6, seed=3))
    by_x, by_norm = bloque.layer_norm_backward(r, x, norm.gamma, eps)
    assert_is_the_gradient(lambda x, p: bloque.layer_norm(x, *p, eps), (x, norm), (by_x, by_norm), r)
    alone, _ = bloque.layer_norm_backward(r, x, eps=eps)
    assert_is_the_gradient(lambda x: bloque.layer_norm(x, eps=eps), (x,), (alone,), r)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("leading", [(), (N,), (BATCH, N)])
def test_feed_forward(activation, bias, leading):
    parameters = randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF).feed_forward)
    if not bias:
        parameters = parameters._replace(b1=None, b2=None)
    x, r = draw(*leading, D_MODEL), draw(*leading, D_MODEL, seed=1)

    def forward(x, p):
        return bloque.feed_forward(x, *p, activation)

    output, kept = bloque.feed_forward_forward(x, parameters, activation)
    np.testing.assert_array_equal(output, forward(x, parameters))
    assert_is_the_gradient(forward, (x, parameters), bloque.feed_forward_backward(r, kept), r)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", [None, bloque.causal_mask(N)])
def test_encoder_block(norm, activation, bias, mask):
    parameters = randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF, attention_bias=bias))
    x, r = draw(BATCH, N, D_MODEL), draw(BATCH, N, D_MODEL, seed=1)
    options = {"norm": norm, "activation": activation, "mask": mask, "eps": 1e-3}

    def forward(x, p):
        return bloque.encoder_block(x, p, HEADS, **options)

    _, kept = bloque.encoder_block_forward(x, parameters, HEADS, **options)
    assert_is_the_gradient(forward, (x, parameters), bloque.encoder_block_backward(r, kept), r)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_block_under_a_mask_for_each_sentence(norm):
    """One x under several masks has several outputs: the gradients of all of them add up."""
    parameters = randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF))
    masks = np.random.default_rng(6).random((BATCH, 1, N, N)) < 0.6
    x, r = draw(N, D_MODEL), draw(BATCH, N, D_MODEL, seed=1)

    def forward(x, p):
        return bloque.encoder_block(x, p, HEADS, norm=norm, mask=masks)

    output, kept = bloque.encoder_block_forward(x, parameters, HEADS, norm=norm, mask=masks)
    assert output.shape == (BATCH, N, D_MODEL)
    assert_is_the_gradient(forward, (x, parameters), bloque.encoder_block_backward(r, kept), r)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_block_without_its_repairs(norm):
    parameters = randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF))
    x, r = draw(BATCH, N, D_MODEL), draw(BATCH, N, D_MODEL, seed=1)

    def forward(x, p):
        return bloque.encoder_block_forward(x, p, HEADS, norm=norm, scale=1, residual=False)[0]

    _, kept = bloque.encoder_block_forward(x, parameters, HEADS, norm=norm, scale=1, residual=False)
    assert_is_the_gradient(forward, (x, parameters), bloque.encoder_block_backward(r, kept), r)
    assert np.abs(forward(x, parameters) - bloque.encoder_block(x, parameters, HEADS, norm=norm)).max() > 0.1


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder(norm):
    blocks = [randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF, seed=seed), seed) for seed in range(3)]
    x, r = draw(BATCH, N, D_MODEL), draw(BATCH, N, D_MODEL, seed=1)
    kept, y = [], x
    for block in blocks:
        y, keeps = bloque.encoder_block_forward(y, block, HEADS, norm=norm)
        kept.append(keeps)
    assert_is_the_gradient(lambda x, p: bloque.encoder(x, p, HEADS, norm=norm), (x, blocks), bloque.encoder_backward(r, kept), r)


def test_the_checker_sees_a_wrong_gradient():
    z, r = draw(3, 4), draw(3, 4, seed=1)
    exact = bloque.softmax_backward(r, bloque.softmax(z))
    for wrong in (exact * (1 + 1e-5), exact + 1e-5, bloque.softmax(z) * r):
        with pytest.raises(AssertionError):
            assert_is_the_gradient(bloque.softmax, (z,), (wrong,), r)


def test_types_and_shapes():
    parameters = bloque.block_parameters(D_MODEL, HEADS, D_FF, dtype=np.float32)
    x = draw(N, D_MODEL).astype(np.float32)
    output, kept = bloque.encoder_block_forward(x, parameters, HEADS)
    by_x, by_parameters = bloque.encoder_block_backward(np.ones_like(output), kept)
    assert {leaf.dtype for leaf in leaves((by_x, by_parameters))} == {np.dtype(np.float32)}
    assert type(by_parameters) is bloque.BlockParameters
    with pytest.raises(ValueError, match=r"gradient has shape \(5, 11\)"):
        bloque.feed_forward_backward(np.ones((N, D_MODEL - 1)), kept.feed_forward)
    with pytest.raises(ValueError, match=r"gradient has shape \(6, 12\)"):
        bloque.multi_head_attention_backward(np.ones((N + 1, D_MODEL)), kept.attention)


def test_an_empty_batch_has_gradients_nought():
    parameters = bloque.block_parameters(D_MODEL, HEADS, D_FF)
    output, kept = bloque.encoder_block_forward(np.zeros((0, N, D_MODEL)), parameters, HEADS)
    by_x, by_parameters = bloque.encoder_block_backward(output, kept)
    assert by_x.shape == (0, N, D_MODEL)
    assert all((leaf == 0).all() for leaf in leaves(by_parameters))
