"""What every piece promises alike: types kept, nothing written to, extremes answered, errors that name."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import erf, ndtr

import bloque
from bloque.activations import gelu_slope
from tests.pieces.randomise import randomised

BLOCK = randomised(bloque.block_parameters(12, 3, 20, attention_bias=True))


def cast(tree, dtype):
    if tree is None:
        return None
    if isinstance(tree, tuple | list):
        parts = [cast(part, dtype) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree.astype(dtype)


def leaves(tree):
    if isinstance(tree, np.ndarray):
        return [tree]
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple | list) else []


def calls():
    """Each piece on arguments whose sizes are all different: name -> (function, array arguments)."""
    rng = np.random.default_rng(5)
    q, k, v = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 5, 6))
    x = rng.standard_normal((2, 7, 12))
    mask = rng.random((7, 7)) < 0.7
    norm = BLOCK.attention_norm
    weights = bloque.softmax(rng.standard_normal((2, 3, 5)))
    return {
        "softmax": (bloque.softmax, (v,)),
        "softmax_jacobian": (bloque.softmax_jacobian, (weights,)),
        "softmax_backward": (bloque.softmax_backward, (weights, weights)),
        "attention": (lambda *a: bloque.attention(*a, mask=mask[:3, :5]), (q, k, v)),
        "attention with bias": (lambda *a: bloque.attention(*a, mask=np.log(mask[:3, :5] + 0.5)), (q, k, v)),
        "attention_backward": (bloque.attention_backward, (rng.standard_normal((2, 3, 6)), q, k, v, weights)),
        "multi_head_attention": (lambda *a: bloque.multi_head_attention(*a, 3, mask=mask), (x, BLOCK.attention)),
        "cross attention": (lambda x, p, c: bloque.multi_head_attention(x, p, 3, context=c), (x, BLOCK.attention, x[:, :5])),
        "layer_norm": (bloque.layer_norm, (x, *norm)),
        "layer_norm_backward": (bloque.layer_norm_backward, (x, x[::-1], norm.gamma)),
        "relu": (bloque.relu, (x,)),
        "gelu": (bloque.gelu, (x,)),
        "feed_forward": (bloque.feed_forward, (x, *BLOCK.feed_forward)),
        "feed_forward gelu": (lambda *a: bloque.feed_forward(*a, "gelu"), (x, *BLOCK.feed_forward)),
        "encoder_block post": (lambda *a: bloque.encoder_block(*a, 3, mask=mask), (x, BLOCK)),
        "encoder_block pre": (lambda *a: bloque.encoder_block(*a, 3, norm="pre", activation="gelu"), (x, BLOCK)),
        "encoder": (lambda x, b, n: bloque.encoder(x, b, 3, norm="pre", final_norm=n), (x, [BLOCK, BLOCK], norm)),
    }


@pytest.mark.parametrize("name", calls())
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_types_are_kept(name, dtype):
    function, arguments = calls()[name]
    exact = leaves(function(*arguments))
    results = leaves(function(*cast(arguments, dtype)))
    tolerance = {np.float16: 0.05, np.float32: 1e-4, np.float64: 1e-12}[dtype]
    for result, wanted in zip(results, exact, strict=True):
        assert result.dtype == dtype
        np.testing.assert_allclose(result, wanted, atol=tolerance * max(1, np.abs(wanted).max()))


@pytest.mark.parametrize("name", calls())
def test_whole_numbers_become_float64(name):
    function, arguments = calls()[name]
    if name.startswith("softmax_"):
        whole = cast(tuple(np.round(a) for a in arguments), np.int64)
    else:
        whole = cast(cast(arguments, np.float64), np.int32)
    assert {result.dtype for result in leaves(function(*whole))} == {np.dtype(np.float64)}


@pytest.mark.parametrize("name", calls())
def test_nothing_is_written_to(name):
    function, arguments = calls()[name]
    before = [leaf.copy() for leaf in leaves(arguments)]
    for leaf in leaves(arguments):
        leaf.flags.writeable = False
    results = leaves(function(*arguments))
    for leaf, copy in zip(leaves(arguments), before, strict=True):
        np.testing.assert_array_equal(leaf, copy)
        assert not any(np.shares_memory(leaf, result) for result in results)


@pytest.mark.parametrize("name", calls())
def test_memory_order_does_not_matter(name):
    function, arguments = calls()[name]
    for one, other in zip(leaves(function(*arguments)), leaves(function(*map_leaves(np.asfortranarray, arguments))), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def map_leaves(apply, tree):
    if isinstance(tree, np.ndarray):
        return apply(tree)
    parts = [map_leaves(apply, part) for part in tree]
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


def test_lists_are_accepted():
    np.testing.assert_array_equal(bloque.softmax([[0, 0]]), [[0.5, 0.5]])
    output, _ = bloque.attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]], mask=[True, True])
    np.testing.assert_allclose(output, [[3.0]])


# Extremes


def outcome(function, arguments):
    """The arrays that come out, or none and the message of the ValueError."""
    try:
        return leaves(function(*arguments)), ""
    except ValueError as error:
        return [], str(error)


@pytest.mark.parametrize("name", calls())
@pytest.mark.parametrize("kind", ["all large", "both signs", "one large", "large weights"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_inputs_give_a_finite_result_or_an_error_that_names_the_overflow(name, kind, dtype):
    function, arguments = calls()[name]
    huge = {np.float32: 1e38, np.float64: 1e308}[dtype]

    def stretch(array, first):
        array = array.astype(dtype)
        if kind == "all large" and first:
            return np.full_like(array, huge)
        if kind == "both signs" and first:
            return np.where(array > 0, dtype(huge), dtype(-huge))
        if kind == "one large" and first:
            array.flat[0] = -huge
        if kind == "large weights" and not first:
            return np.sign(array) * dtype(huge)
        return array

    stretched = (stretch(arguments[0], True), *map_leaves(lambda a: stretch(a, False), arguments[1:]))
    results, message = outcome(function, stretched)
    assert "overflow" in message or all(np.isfinite(result).all() for result in results)


def test_huge_inputs_that_have_an_answer_get_it():
    np.testing.assert_array_equal(bloque.softmax([-1e308, 1e308, 0]), [0, 1, 0])
    output, _ = bloque.attention([[1.0]], [[-1e308], [1e308]], [[3.0], [4.0]])
    np.testing.assert_array_equal(output, [[4.0]])
    np.testing.assert_array_equal(bloque.gelu([-1e308, 1e308]), [0, 1e308])
    np.testing.assert_array_equal(bloque.relu([-1e308, 1e308]), [0, 1e308])


def test_an_overflow_that_would_hide_behind_a_weight_of_nought_is_named():
    q, k = np.full((1, 4), 1e154), np.array([[-1e154, -1e154, -1e154, 1e154], [0, 0, 0, 0]])
    with pytest.raises(ValueError, match="scores is not finite"):
        bloque.attention(q, k, np.eye(2))
    with pytest.raises(ValueError, match="hidden is not finite"):
        bloque.feed_forward(q[:, :1], [[-1e300]], None, [[1.0]], None)
    with pytest.raises(ValueError, match="variance is not finite"):
        bloque.layer_norm([1e200, -1e200])


def test_float16_that_does_not_fit_on_the_way_back_is_named():
    with pytest.raises(ValueError, match="float16"):
        bloque.feed_forward(np.full((1, 1), 6e4, np.float16), np.ones((1, 1), np.float16), None, np.full((1, 1), 2, np.float16), None)


def test_float16_masks_have_room():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((4, 8)).astype(np.float16) for _ in range(3))
    for mask in (bloque.causal_mask(4), np.where(bloque.causal_mask(4), 0, -1e9), np.where(bloque.causal_mask(4), 0, -1e308)):
        output, weights = bloque.attention(q, k, v, mask=mask)
        assert np.isfinite(output).all()
        np.testing.assert_array_equal(weights[0], [1, 0, 0, 0])


@pytest.mark.parametrize("name", calls())
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_no_nan_ever_comes_out(name, bad):
    function, arguments = calls()[name]
    poisoned = map_leaves(np.copy, arguments)
    leaves(poisoned)[0].flat[1] = bad
    results, message = outcome(function, poisoned)
    if message:
        assert "NaN" in message or "inf" in message
    else:
        assert name in ("softmax", "attention", "attention with bias", "relu")  # −inf as a score; max(0, −inf) = 0
        assert bad == -np.inf
        assert all(np.isfinite(result).all() for result in results)


# GELU


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 4e-7), (np.float64, 1e-14)])
def test_gelu_is_the_exact_one(dtype, tolerance):
    h = np.linspace(-12, 12, 20_001).astype(dtype)
    exact = h * 0.5 * (1 + erf(h.astype(np.float64) / np.sqrt(2)))
    assert np.abs(bloque.gelu(h) - exact).max() < tolerance * 12
    assert np.abs(bloque.gelu(h) / h.astype(np.float64).clip(-12, 12) - ndtr(h.astype(np.float64)))[h != 0].max() < tolerance
    tanh = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    assert np.abs(tanh - exact).max() > 1e-4  # the approximation many use would not pass


@given(hnp.arrays(np.float64, 4, elements=st.floats(-8, 8)))
def test_gelu_slope_is_its_derivative(h):
    step = 1e-5
    np.testing.assert_allclose(gelu_slope(h), (bloque.gelu(h + step) - bloque.gelu(h - step)) / (2 * step), atol=1e-8)


# Shapes


def attend(*arrays, **options):
    return lambda: bloque.attention(*arrays, **options)


def ones(*shape, dtype=float):
    return np.ones(shape, dtype)


def backward(gradient, weights=None):
    """attention_backward for 3 queries and 5 keys of width 4 and values of width 6."""
    weights = ones(3, 5) if weights is None else weights
    return lambda: bloque.attention_backward(gradient, ones(3, 4), ones(5, 4), ones(5, 6), weights)


_, NETWORK = bloque.feed_forward_forward(ones(4, 12), BLOCK.feed_forward)
_, HEADS = bloque.multi_head_attention_forward(ones(4, 12), BLOCK.attention, 3)
_, KEPT = bloque.encoder_block_forward(ones(4, 12), BLOCK, 3)
_, KEPT_PRE = bloque.encoder_block_forward(ones(4, 12), BLOCK, 3, norm="pre")
NO_MATRIX = BLOCK._replace(attention=BLOCK.attention._replace(W_K=None))

WRONG = {
    "d_k": (attend(ones(3, 4), ones(5, 6), ones(5, 7)), r"keys has shape \(5, 6\).*d_k = 4.*queries \(3, 4\)"),
    "n_k": (attend(ones(3, 4), ones(5, 4), ones(6, 7)), r"values has shape \(6, 7\).*n_k = 5"),
    "one axis": (attend(ones(4), ones(5, 4), ones(5, 7)), r"queries has shape \(4,\).*n_q, d_k"),
    "leading axes": (attend(ones(2, 3, 4), ones(3, 5, 4), ones(5, 7)), r"leading axes.*keys \(3, 5, 4\)"),
    "mask": (attend(*[ones(3, 3)] * 3, mask=ones(2, 3, dtype=bool)), r"mask has shape \(2, 3\).*\(3, 3\)"),
    "mask adds rows": (attend(ones(1, 3), ones(5, 3), ones(5, 3), mask=ones(4, 5, dtype=bool)), r"\(4, 5\).*\(1, 5\)"),
    "d_model": (lambda: bloque.multi_head_attention(ones(4, 8), BLOCK.attention, 3), r"W_Q has shape \(12, 12\).*d_model = 8"),
    "bias": (lambda: bloque.multi_head_attention(ones(4, 12), BLOCK.attention._replace(b_K=ones(5)), 3), r"b_K has shape \(5,\)"),
    "d_ff": (lambda: bloque.feed_forward(ones(4, 12), *BLOCK.feed_forward._replace(W2=ones(7, 12))), r"W2 has shape \(7, 12\).*d_ff = 20"),
    "ragged": (lambda: bloque.softmax([[1, 2], [3]]), "rows do not all have the same length"),
    "words": (lambda: bloque.softmax(["a"]), "must hold real numbers"),
    "complex": (lambda: bloque.softmax([1j]), "must hold real numbers"),
    "negative size": (lambda: bloque.causal_mask(-1), "n must be a whole number"),
    "softmax axis": (lambda: bloque.softmax(ones(3, 5), axis=2), r"scores has shape \(3, 5\), so it has no axis 2"),
    "axis that is no number": (lambda: bloque.softmax(ones(3, 5), axis=None), "no axis None"),
    "no columns": (lambda: bloque.layer_norm(ones(3, 0)), r"layer_norm: x has shape \(3, 0\), without columns"),
    "no columns, backward": (lambda: bloque.layer_norm_backward(ones(3, 0), ones(3, 0)), r"layer_norm_backward: x has shape \(3, 0\)"),
    "negative eps": (lambda: bloque.layer_norm(ones(3, 4), eps=-1e-5), "eps must be a number of at least 0, and it is -1e-05"),
    "eps that is no number": (lambda: bloque.layer_norm(ones(3, 4), eps="1e-5"), "eps must be a finite number, and it is '1e-5'"),
    "eps, backward": (
        lambda: bloque.layer_norm_backward(ones(3, 4), ones(3, 4), eps=-1),
        "eps must be a number of at least 0, and it is -1",
    ),
    "eps, post": (lambda: bloque.encoder_block(ones(4, 12), BLOCK, 3, eps=-1), "eps must be a number of at least 0"),
    "eps, pre": (lambda: bloque.encoder_block_forward(ones(4, 12), BLOCK, 3, norm="pre", eps=-1), "eps must be a number of at least 0"),
    # a gradient never broadcasts
    "softmax gradient": (lambda: bloque.softmax_backward(ones(7, 3, 5), ones(3, 5)), r"softmax_backward: gradient.*\(7, 3, 5\).*\(3, 5\)"),
    "softmax gradient's axis": (lambda: bloque.softmax_backward(ones(3, 5), ones(3, 5), axis=5), r"weights has shape \(3, 5\).*no axis 5"),
    "attention gradient": (backward(ones(3, 7)), r"attention_backward: gradient has shape \(3, 7\).*d_v = 6"),
    "attention gradient adds an axis": (backward(ones(2, 3, 6)), r"attention_backward: gradient has shape \(2, 3, 6\), and \(3, 6\)"),
    "attention weights": (backward(ones(3, 6), ones(3, 4)), r"attention_backward: weights has shape \(3, 4\).*n_k = 5"),
    "attention weights too few": (
        lambda: bloque.attention_backward(ones(2, 3, 6), ones(2, 3, 4), ones(5, 4), ones(5, 6), ones(3, 5)),
        r"attention_backward: weights has shape \(3, 5\), and \(2, 3, 5\)",
    ),
    "norm gradient": (
        lambda: bloque.layer_norm_backward(ones(7, 3, 4), ones(3, 4)),
        r"layer_norm_backward: gradient has shape \(7, 3, 4\), and \(3, 4\)",
    ),
    "network gradient": (
        lambda: bloque.feed_forward_backward(ones(12), NETWORK),
        r"feed_forward_backward: gradient.*\(12,\), and \(4, 12\)",
    ),
    "heads gradient": (
        lambda: bloque.multi_head_attention_backward(ones(12), HEADS),
        r"multi_head_attention_backward: gradient.*\(4, 12\)",
    ),
    "post gradient": (lambda: bloque.encoder_block_backward(ones(12), KEPT), r"encoder_block_backward: gradient.*\(12,\), and \(4, 12\)"),
    "pre gradient": (lambda: bloque.encoder_block_backward(ones(2, 4, 12), KEPT_PRE), r"encoder_block_backward: gradient.*\(4, 12\)"),
    "stack gradient": (
        lambda: bloque.encoder_backward(ones(1, 12), [KEPT, KEPT]),
        r"encoder_block_backward: gradient.*\(1, 12\), and \(4, 12\)",
    ),
    # None, and what is no container
    "no scores": (lambda: bloque.softmax(None), "scores is None, and it must be an array"),
    "no rows": (lambda: bloque.layer_norm(None), "x is None"),
    "no queries": (attend(None, ones(5, 4), ones(5, 6)), "queries is None"),
    "no gradient": (lambda: bloque.encoder_block_backward(None, KEPT), "gradient is None"),
    "no matrix": (lambda: bloque.encoder_block(ones(4, 12), NO_MATRIX, 3), r"parameters\.attention\.W_K is None"),
    "no matrix in a stack": (lambda: bloque.encoder(ones(4, 12), (BLOCK, NO_MATRIX), 3), r"parameters\[1\]\.attention\.W_K is None"),
    "array for weights": (
        lambda: bloque.multi_head_attention(ones(4, 8), ones(8, 8), 2),
        "weights must be of type MultiHeadParameters, and it is of type ndarray",
    ),
    "nothing for parameters": (lambda: bloque.encoder_block(ones(4, 12), None, 3), "parameters must be of type BlockParameters.*NoneType"),
    "another container": (lambda: bloque.encoder_block(ones(4, 12), BLOCK.attention, 3), "of type BlockParameters.*MultiHeadParameters"),
    "block for stack": (
        lambda: bloque.encoder(ones(4, 12), BLOCK, 3),
        "parameters must be a list of BlockParameters.*of type BlockParameters",
    ),
    "stack of arrays": (
        lambda: bloque.encoder(ones(4, 12), [ones(12, 12)], 3),
        r"parameters\[0\] must be of type BlockParameters.*ndarray",
    ),
    "nothing for stack": (lambda: bloque.encoder(ones(4, 12), None, 3), "parameters must be a list of BlockParameters.*NoneType"),
    # what parameters are drawn with
    "seed": (lambda: bloque.block_parameters(12, 3, 20, seed=-1), "seed must be a whole number of at least 0, and it is -1"),
    "seed of heads": (lambda: bloque.multi_head_parameters(12, 3, seed=0.5), "seed must be a whole number"),
    "dtype": (lambda: bloque.block_parameters(12, 3, 20, dtype=int), "dtype must be a floating-point type.*it is int"),
    "dtype of heads": (lambda: bloque.multi_head_parameters(12, 3, dtype="float33"), "dtype must be a floating-point type.*float33"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_named_in_both_languages(name):
    attempt, pattern = WRONG[name]
    messages = []
    for code in ("en", "es"):
        bloque.language(code)
        with pytest.raises(ValueError, match=pattern if code == "en" else None) as raised:
            attempt()
        messages.append(str(raised.value))
    english, spanish = messages
    assert english != spanish
    assert sorted(filter(str.isdigit, english)) == sorted(filter(str.isdigit, spanish))  # the same facts


def test_none_may_stand_where_it_is_offered():
    x = np.random.default_rng(0).standard_normal((4, 12))
    W1, _, W2, _ = BLOCK.feed_forward
    np.testing.assert_array_equal(bloque.layer_norm(x, None, None), bloque.layer_norm(x))
    assert bloque.feed_forward(x, W1, None, W2, None).shape == (4, 12)
    no_bias = BLOCK.attention._replace(b_Q=None, b_K=None, b_V=None, b_O=None)
    assert bloque.multi_head_attention(x, no_bias, 3, context=None)[0].shape == (4, 12)
    assert bloque.encoder(x, [BLOCK._replace(attention=no_bias)], 3, final_norm=None).shape == (4, 12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_stack_is_a_list_or_a_tuple_and_may_be_empty(dtype):
    x = np.random.default_rng(0).standard_normal((4, 12)).astype(dtype)
    blocks = [cast(BLOCK, dtype)] * 2
    np.testing.assert_array_equal(bloque.encoder(x, tuple(blocks), 3), bloque.encoder(x, blocks, 3))
    for empty in ([], ()):
        through = bloque.encoder(x, empty, 3)
        assert through.dtype == dtype
        np.testing.assert_array_equal(through, x)


def test_importing_the_pieces_needs_numpy_alone():
    heavy = "{'matplotlib', 'ipywidgets', 'anywidget', 'scipy', 'IPython'}"
    code = f"import sys, bloque; print(sorted({{name.split('.')[0] for name in sys.modules}} & {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
