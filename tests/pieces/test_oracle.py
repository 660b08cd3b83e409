"""The pieces against operators written by others: those of the ONNX standard, in its reference evaluator."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import bloque
from tests.pieces.randomise import randomised


def onnx_operator(name, inputs, outputs=1, **attributes):
    """Run one ONNX operator, opset 23, on arrays (None leaves an optional input out)."""
    names = ["" if array is None else f"in{i}" for i, array in enumerate(inputs)]
    results = [f"out{i}" for i in range(outputs)]
    node = helper.make_node(name, names, results, **attributes)
    types = {np.dtype(np.float64): TensorProto.DOUBLE, np.dtype(np.float32): TensorProto.FLOAT, np.dtype(bool): TensorProto.BOOL}
    given = {n: a for n, a in zip(names, inputs, strict=True) if a is not None}
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info(n, types[a.dtype], a.shape) for n, a in given.items()],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in results],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    return ReferenceEvaluator(model).run(None, given)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax(rng, axis):
    z = rng.standard_normal((3, 4, 5)) * 3
    np.testing.assert_allclose(bloque.softmax(z, axis=axis), onnx_operator("Softmax", [z], axis=axis)[0], atol=1e-14)


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
@pytest.mark.parametrize("mask", ["none", "boolean", "floating"])
def test_attention(rng, scale, mask):
    q, k, v = (rng.standard_normal((2, 3, *shape)).astype(np.float32) for shape in ((4, 6), (5, 6), (5, 7)))
    open_to = rng.random((4, 5)) < 0.6
    open_to[:, 0] = True
    masks = {"none": None, "boolean": open_to, "floating": rng.standard_normal((4, 5)).astype(np.float32)}
    attributes = {} if scale is None else {"scale": scale}
    theirs = onnx_operator("Attention", [q, k, v, masks[mask]], **attributes)[0]
    ours, _ = bloque.attention(q, k, v, mask=masks[mask], scale=scale)
    np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_causal_attention(rng):
    q, k, v = (rng.standard_normal((2, 3, 5, 4)).astype(np.float32) for _ in range(3))
    theirs = onnx_operator("Attention", [q, k, v], is_causal=1)[0]
    np.testing.assert_allclose(bloque.attention(q, k, v, mask=bloque.causal_mask(5))[0], theirs, atol=2e-6)


def test_multi_head_attention(rng):
    """Attention of opset 23 splits three-dimensional inputs into heads by itself."""
    heads, d_model = 3, 12
    w = randomised(bloque.multi_head_parameters(d_model, heads, dtype=np.float32))
    x = rng.standard_normal((2, 5, d_model)).astype(np.float32)
    q, k, v = (x @ W + b for W, b in ((w.W_Q, w.b_Q), (w.W_K, w.b_K), (w.W_V, w.b_V)))
    theirs = onnx_operator("Attention", [q, k, v], q_num_heads=heads, kv_num_heads=heads)[0] @ w.W_O + w.b_O
    np.testing.assert_allclose(bloque.multi_head_attention(x, w, heads)[0], theirs, atol=5e-6)


@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_layer_norm(rng, eps):
    x, gamma, beta = rng.standard_normal((2, 3, 7)), rng.standard_normal(7), rng.standard_normal(7)
    theirs = onnx_operator("LayerNormalization", [x, gamma, beta], axis=-1, epsilon=eps)[0]
    np.testing.assert_allclose(bloque.layer_norm(x, gamma, beta, eps), theirs, rtol=1e-5, atol=1e-6)


def test_gelu(rng):
    h = rng.standard_normal((3, 50)) * 3
    np.testing.assert_allclose(bloque.gelu(h), onnx_operator("Gelu", [h], approximate="none")[0], atol=1e-6)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["Relu", "Gelu"])
def test_the_whole_block(rng, norm, activation):
    heads, d_model = 3, 12
    p = randomised(bloque.block_parameters(d_model, heads, 20, attention_bias=True))
    x = rng.standard_normal((2, 5, d_model))

    def normed(y, parameters):
        return onnx_operator("LayerNormalization", [y, *parameters], axis=-1, epsilon=1e-5)[0]

    def attend(y):
        w = p.attention
        q, k, v = (y @ W + b for W, b in ((w.W_Q, w.b_Q), (w.W_K, w.b_K), (w.W_V, w.b_V)))
        return onnx_operator("Attention", [q, k, v], q_num_heads=heads, kv_num_heads=heads)[0] @ w.W_O + w.b_O

    def think(y):
        w = p.feed_forward
        return onnx_operator(activation, [y @ w.W1 + w.b1])[0] @ w.W2 + w.b2

    if norm == "post":
        middle = normed(x + attend(x), p.attention_norm)
        theirs = normed(middle + think(middle), p.feed_forward_norm)
    else:
        middle = x + attend(normed(x, p.attention_norm))
        theirs = middle + think(normed(middle, p.feed_forward_norm))
    ours = bloque.encoder_block(x, p, heads, norm=norm, activation=activation.lower())
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
