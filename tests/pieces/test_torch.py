"""The block, its gradients and a fully masked row against PyTorch."""

import numpy as np
import pytest

import bloque
from tests.pieces.randomise import randomised

pytestmark = pytest.mark.torch

HEADS, D_MODEL, D_FF, N = 3, 12, 20, 5


@pytest.fixture(scope="module")
def torch():
    import torch

    return torch


def as_torch_layer(torch, parameters, norm, activation):
    """PyTorch's own encoder layer holding our parameters; it multiplies by Wᵀ, so ours are transposed."""
    layer = torch.nn.TransformerEncoderLayer(
        D_MODEL, HEADS, D_FF, dropout=0, activation=activation, batch_first=True, norm_first=norm == "pre", dtype=torch.float64
    )
    a, n1, f, n2 = parameters
    theirs = {
        "self_attn.in_proj_weight": np.concatenate([a.W_Q.T, a.W_K.T, a.W_V.T]),
        "self_attn.in_proj_bias": np.concatenate([a.b_Q, a.b_K, a.b_V]),
        "self_attn.out_proj.weight": a.W_O.T,
        "self_attn.out_proj.bias": a.b_O,
        "linear1.weight": f.W1.T,
        "linear1.bias": f.b1,
        "linear2.weight": f.W2.T,
        "linear2.bias": f.b2,
        "norm1.weight": n1.gamma,
        "norm1.bias": n1.beta,
        "norm2.weight": n2.gamma,
        "norm2.bias": n2.beta,
    }
    layer.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in theirs.items()})
    return layer


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_block_and_every_gradient(torch, rng, norm, activation, causal):
    parameters = randomised(bloque.block_parameters(D_MODEL, HEADS, D_FF, attention_bias=True))
    layer = as_torch_layer(torch, parameters, norm, activation)
    x, r = rng.standard_normal((2, 2, N, D_MODEL))
    mask = bloque.causal_mask(N) if causal else None
    x_torch = torch.from_numpy(x).requires_grad_()
    theirs = layer(x_torch, src_mask=None if mask is None else torch.from_numpy(~mask))
    theirs.backward(torch.from_numpy(r))
    ours, kept = bloque.encoder_block_forward(x, parameters, HEADS, norm=norm, activation=activation, mask=mask)
    by_x, by = bloque.encoder_block_backward(r, kept)
    np.testing.assert_allclose(ours, theirs.detach().numpy(), atol=1e-12)
    np.testing.assert_allclose(by_x, x_torch.grad.numpy(), atol=1e-11)
    a = by.attention
    pairs = [
        (np.concatenate([a.W_Q.T, a.W_K.T, a.W_V.T]), layer.self_attn.in_proj_weight),
        (np.concatenate([a.b_Q, a.b_K, a.b_V]), layer.self_attn.in_proj_bias),
        (a.W_O.T, layer.self_attn.out_proj.weight),
        (a.b_O, layer.self_attn.out_proj.bias),
        (by.feed_forward.W1.T, layer.linear1.weight),
        (by.feed_forward.b1, layer.linear1.bias),
        (by.feed_forward.W2.T, layer.linear2.weight),
        (by.feed_forward.b2, layer.linear2.bias),
        (by.attention_norm.gamma, layer.norm1.weight),
        (by.attention_norm.beta, layer.norm1.bias),
        (by.feed_forward_norm.gamma, layer.norm2.weight),
        (by.feed_forward_norm.beta, layer.norm2.bias),
    ]
    for ours_by, theirs_by in pairs:
        np.testing.assert_allclose(ours_by, theirs_by.grad.numpy(), atol=1e-10)


def test_a_row_that_may_attend_to_nothing(torch, rng):
    q, k, v = (rng.standard_normal((3, 4)) for _ in range(3))
    mask = np.array([[True, True, False], [False, False, False], [False, True, True]])
    theirs = torch.nn.functional.scaled_dot_product_attention(*(torch.from_numpy(a) for a in (q, k, v)), attn_mask=torch.from_numpy(mask))
    np.testing.assert_allclose(bloque.attention(q, k, v, mask=mask)[0], theirs.numpy(), atol=1e-12)


def test_the_parameters_that_pytorch_counts(torch):
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048)
    assert bloque.count_parameters(512, 8, 2048, attention_bias=True).total == sum(p.numel() for p in layer.parameters())
