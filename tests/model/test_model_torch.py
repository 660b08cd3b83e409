"""The real model beside PyTorch's own layers, with the same weights, live."""

import numpy as np
import pytest


@pytest.mark.torch
def test_every_layer_and_head_equal_those_of_torch(model):
    import torch

    sentence = "Los abuelos charlan en un banco del parque."
    trace = model.trace(sentence)
    x = torch.from_numpy(trace.states[0]).double()[None]
    for number, parameters in enumerate(model.blocks):
        layer = _layer(torch, model, parameters)
        with torch.no_grad():
            attended = layer.self_attn(x, x, x, need_weights=True, average_attn_weights=False)[1][0]
            x = layer(x)
        np.testing.assert_allclose(trace.maps[number], attended.numpy(), rtol=0, atol=1e-5, err_msg=f"layer {number + 1}")
        np.testing.assert_allclose(trace.states[number + 1], x[0].numpy(), rtol=0, atol=1e-5, err_msg=f"layer {number + 1}")


def _layer(torch, model, parameters):
    layer = torch.nn.TransformerEncoderLayer(
        model.d_model,
        model.heads,
        model.d_ff,
        dropout=0.0,
        activation="gelu",
        layer_norm_eps=model.eps,
        batch_first=True,
        norm_first=False,
    )
    attention, first, network, second = parameters
    state = {
        "self_attn.in_proj_weight": np.concatenate([attention.W_Q.T, attention.W_K.T, attention.W_V.T]),
        "self_attn.in_proj_bias": np.concatenate([attention.b_Q, attention.b_K, attention.b_V]),
        "self_attn.out_proj.weight": attention.W_O.T,
        "self_attn.out_proj.bias": attention.b_O,
        "linear1.weight": network.W1.T,
        "linear1.bias": network.b1,
        "linear2.weight": network.W2.T,
        "linear2.bias": network.b2,
        "norm1.weight": first.gamma,
        "norm1.bias": first.beta,
        "norm2.weight": second.gamma,
        "norm2.bias": second.beta,
    }
    layer.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in state.items()})
    return layer.double().eval()
