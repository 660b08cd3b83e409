"""The encoder block: attention and the position-wise network, each with its residual and its norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bloque import errors
from bloque.activations import ACTIVATIONS
from bloque.heads import MultiHeadParameters, multi_head_attention, project, random_multi_head
from bloque.norm import NormParameters, layer_norm


class FeedForwardParameters(NamedTuple):
    """The two matrices of the position-wise network, (d_model, d_ff) and (d_ff, d_model), and their biases."""

    W1: np.ndarray
    b1: np.ndarray | None
    W2: np.ndarray
    b2: np.ndarray | None


class BlockParameters(NamedTuple):
    """Everything an encoder block learns."""

    attention: MultiHeadParameters
    attention_norm: NormParameters
    feed_forward: FeedForwardParameters
    feed_forward_norm: NormParameters


@errors.floating("x", "W1", "b1", "W2", "b2")
def feed_forward(
    x: np.ndarray,
    W1: np.ndarray,
    b1: np.ndarray | None,
    W2: np.ndarray,
    b2: np.ndarray | None,
    activation: str = "relu",
) -> np.ndarray:
    """The same small network for every position; no position sees another.

        FFN(x) = f(x W1 + b1) W2 + b2,   f(h) = max(0, h) or GELU(h) = h·Φ(h)
                                                     Vaswani et al. (2017), equation 2

    x: (..., d_model);  W1: (d_model, d_ff);  b1: (d_ff,);  W2: (d_ff, d_model);  b2: (d_model,).
    A bias may be None. activation: "relu" or "gelu" (the exact one).
    Returns an array of the shape of x.
    Raises ValueError where shapes do not fit, or where a result overflows.
    """
    check_feed_forward(x, FeedForwardParameters(W1, b1, W2, b2), activation)
    hidden = errors.finite(project(x, W1, b1), "hidden")  # (..., d_ff)
    active = ACTIVATIONS[activation](hidden)  # (..., d_ff)
    return project(active, W2, b2)  # (..., d_model)


def check_feed_forward(x: np.ndarray, parameters: FeedForwardParameters, activation: str) -> None:
    """The shapes of the position-wise network, and an activation that exists."""
    errors.choice("activation", activation, tuple(ACTIVATIONS))
    errors.shapes(
        "feed_forward",
        x=(x, "... d_model"),
        W1=(parameters.W1, "d_model d_ff"),
        b1=(parameters.b1, "d_ff"),
        W2=(parameters.W2, "d_ff d_model"),
        b2=(parameters.b2, "d_model"),
    )


@errors.floating("x", "parameters")
def encoder_block(
    x: np.ndarray,
    parameters: BlockParameters,
    heads: int,
    *,
    norm: str = "post",
    mask: Any = None,
    activation: str = "relu",
    eps: float = 1e-5,
) -> np.ndarray:
    """One block of the encoder.

        post (the paper):     x ← LayerNorm(x + MultiHead(x)),  x ← LayerNorm(x + FFN(x))
        pre (today's code):   x ← x + MultiHead(LayerNorm(x)),  x ← x + FFN(LayerNorm(x))
                                                     Vaswani et al. (2017), section 3.1

    x:          (..., n, d_model).
    parameters: `BlockParameters`, for instance from `block_parameters`.
    mask:       as in `multi_head_attention`.
    eps:        as in `layer_norm`.
    Returns an array of the shape of x.
    Raises ValueError where shapes do not fit, heads does not divide d_model, norm or activation is
    another word, eps is not a number of at least 0, or a result overflows.
    """
    errors.choice("norm", norm, ("post", "pre"))
    attention, attention_norm, network, network_norm = parameters
    if norm == "post":
        x = layer_norm(x + multi_head_attention(x, attention, heads, mask=mask)[0], *attention_norm, eps)
        return layer_norm(x + feed_forward(x, *network, activation), *network_norm, eps)
    x = x + multi_head_attention(layer_norm(x, *attention_norm, eps), attention, heads, mask=mask)[0]
    return x + feed_forward(layer_norm(x, *network_norm, eps), *network, activation)


@errors.floating("x", "parameters", "final_norm")
def encoder(
    x: np.ndarray,
    parameters: Sequence[BlockParameters],
    heads: int,
    *,
    norm: str = "post",
    mask: Any = None,
    activation: str = "relu",
    eps: float = 1e-5,
    final_norm: NormParameters | None = None,
) -> np.ndarray:
    """A stack of encoder blocks, each fed with what the one before gave.

    x: (..., n, d_model);  parameters: a list of `BlockParameters`, one a block.
    final_norm: a last layer norm, which a pre-norm stack needs since nothing else normalises its sum.
    Returns an array of the shape of x. Raises as `encoder_block` does.
    """
    for block in parameters:
        x = encoder_block(x, block, heads, norm=norm, mask=mask, activation=activation, eps=eps)
    return x if final_norm is None else layer_norm(x, *final_norm, eps)


def block_parameters(
    d_model: int, heads: int, d_ff: int, *, attention_bias: bool = False, seed: int = 0, dtype: Any = np.float64
) -> BlockParameters:
    """Random matrices with variance 1/d_in, biases 0, γ 1, β 0.

    attention_bias: whether the attention has biases, (d_model,) each; the network always has its own.
    seed:           a whole number of at least 0; the same seed gives the same matrices.
    dtype:          a floating-point type.
    Returns `BlockParameters`: W_Q, W_K, W_V, W_O (d_model, d_model), W1 (d_model, d_ff), b1 (d_ff,),
    W2 (d_ff, d_model), b2 (d_model,), and twice γ and β, (d_model,) each.
    Raises ValueError when d_model or d_ff is not a whole number of at least 1, when heads does not
    divide d_model, or when seed or dtype is something else than said here.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    errors.whole("d_ff", d_ff, 1)
    rng, dtype = np.random.default_rng(errors.whole("seed", seed, 0)), errors.floating_type("dtype", dtype)
    attention = random_multi_head(rng, d_model, attention_bias, dtype)
    network = FeedForwardParameters(
        W1=(rng.standard_normal((d_model, d_ff)) / np.sqrt(d_model)).astype(dtype),
        b1=np.zeros(d_ff, dtype),
        W2=(rng.standard_normal((d_ff, d_model)) / np.sqrt(d_ff)).astype(dtype),
        b2=np.zeros(d_model, dtype),
    )
    return BlockParameters(attention, norm_parameters(d_model, dtype), network, norm_parameters(d_model, dtype))


def norm_parameters(d_model: int, dtype: Any = np.float64) -> NormParameters:
    """γ 1 and β 0, (d_model,) each: a norm before it has learned anything."""
    return NormParameters(np.ones(d_model, dtype), np.zeros(d_model, dtype))
