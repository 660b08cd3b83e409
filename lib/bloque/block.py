"""The encoder block: attention and the network by position, each with its residual and its norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bloque import errors
from bloque.activations import ACTIVATIONS
from bloque.heads import (
    MultiHeadKept,
    MultiHeadParameters,
    multi_head_attention_forward,
    project,
    random_multi_head,
)
from bloque.norm import NormParameters, layer_norm


class FeedForwardParameters(NamedTuple):
    """The two matrices of the network by position, (d_model, d_ff) and (d_ff, d_model), and their biases."""

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


class FeedForwardKept(NamedTuple):
    """What `feed_forward_backward` needs of the forward pass."""

    x: np.ndarray  # (..., n, d_model)
    parameters: FeedForwardParameters
    activation: str
    hidden: np.ndarray  # (..., n, d_ff), before the activation
    active: np.ndarray  # (..., n, d_ff), after it


class BlockKept(NamedTuple):
    """What `encoder_block_backward` needs of the forward pass."""

    norm: str
    eps: float
    parameters: BlockParameters
    attention: MultiHeadKept
    attention_normed: np.ndarray  # what entered the first norm, (..., n, d_model)
    feed_forward: FeedForwardKept
    feed_forward_normed: np.ndarray  # what entered the second norm, (..., n, d_model)


def feed_forward(
    x: Any, W1: Any, b1: Any, W2: Any, b2: Any, activation: str = "relu"
) -> np.ndarray:
    """The same small network for every position; no position sees another.

        FFN(x) = f(x W1 + b1) W2 + b2,   f(h) = max(0, h) or GELU(h) = h·Φ(h)
                                                     Vaswani et al. (2017), equation 2

    x: (..., n, d_model) or (d_model,);  W1: (d_model, d_ff);  b1: (d_ff,);  W2: (d_ff, d_model);
    b2: (d_model,). A bias may be None.
    activation: "relu" or "gelu" (the exact one).
    Returns an array of the shape of x.
    Raises ValueError where shapes do not fit, or where a result overflows.
    """
    output, _, dtype = _feed_forward(x, FeedForwardParameters(W1, b1, W2, b2), activation)
    return errors.as_type(output, dtype, "feed_forward")


def feed_forward_forward(
    x: Any, parameters: FeedForwardParameters, activation: str = "relu"
) -> tuple[np.ndarray, FeedForwardKept]:
    """The output of `feed_forward`, and what its backward pass needs."""
    output, kept, dtype = _feed_forward(x, parameters, activation)
    return errors.as_type(output, dtype, "feed_forward"), kept


@errors.checks_overflow
def _feed_forward(
    x: Any, parameters: FeedForwardParameters, activation: str
) -> tuple[np.ndarray, FeedForwardKept, np.dtype]:
    x, parameters, dtype = errors.floats(x=x, parameters=parameters)
    W1, b1, W2, b2 = parameters
    errors.choice("activation", activation, tuple(ACTIVATIONS))
    errors.shapes(
        "feed_forward",
        x=(x, "... d_model"),
        W1=(W1, "d_model d_ff"),
        b1=(b1, "d_ff"),
        W2=(W2, "d_ff d_model"),
        b2=(b2, "d_model"),
    )
    hidden = errors.finite(project(x, W1, b1), "x W1 + b1")  # (..., n, d_ff)
    active = ACTIVATIONS[activation](hidden)  # (..., n, d_ff)
    output = project(active, W2, b2)  # (..., n, d_model)
    return output, FeedForwardKept(x, parameters, activation, hidden, active), dtype


def encoder_block(
    x: Any,
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
    Returns an array of the shape of x.
    Raises ValueError where shapes do not fit, heads does not divide d_model, or a result overflows.
    """
    output, _, dtype = _block(x, parameters, heads, norm, mask, activation, eps)
    return errors.as_type(output, dtype, "encoder_block")


def encoder_block_forward(
    x: Any,
    parameters: BlockParameters,
    heads: int,
    *,
    norm: str = "post",
    mask: Any = None,
    activation: str = "relu",
    eps: float = 1e-5,
) -> tuple[np.ndarray, BlockKept]:
    """The output of `encoder_block`, and what its backward pass needs; the attention's weights
    are in ``kept.attention.weights``."""
    output, kept, dtype = _block(x, parameters, heads, norm, mask, activation, eps)
    return errors.as_type(output, dtype, "encoder_block"), kept


@errors.checks_overflow
def _block(
    x: Any, parameters: BlockParameters, heads: int, norm: str, mask: Any, activation: str, eps: float
) -> tuple[np.ndarray, BlockKept, np.dtype]:
    x, parameters, dtype = errors.floats(x=x, parameters=parameters)
    errors.choice("norm", norm, ("post", "pre"))
    first, second = parameters.attention_norm, parameters.feed_forward_norm
    if norm == "post":
        found, attention_kept = multi_head_attention_forward(x, parameters.attention, heads, mask=mask)
        to_first = x + found  # (..., n, d_model), like every x below
        middle = layer_norm(to_first, *first, eps)
        thought, network_kept = feed_forward_forward(middle, parameters.feed_forward, activation)
        to_second = middle + thought
        output = layer_norm(to_second, *second, eps)
    else:
        to_first = x
        found, attention_kept = multi_head_attention_forward(
            layer_norm(x, *first, eps), parameters.attention, heads, mask=mask
        )
        to_second = x + found
        thought, network_kept = feed_forward_forward(
            layer_norm(to_second, *second, eps), parameters.feed_forward, activation
        )
        output = to_second + thought
    return output, BlockKept(norm, eps, parameters, attention_kept, to_first, network_kept, to_second), dtype


def encoder(
    x: Any,
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

    Raises ValueError when heads does not divide d_model.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    errors.whole("d_ff", d_ff, 1)
    rng = np.random.default_rng(seed)
    attention = random_multi_head(rng, d_model, attention_bias, dtype)
    network = FeedForwardParameters(
        W1=(rng.standard_normal((d_model, d_ff)) / np.sqrt(d_model)).astype(dtype),
        b1=np.zeros(d_ff, dtype),
        W2=(rng.standard_normal((d_ff, d_model)) / np.sqrt(d_ff)).astype(dtype),
        b2=np.zeros(d_model, dtype),
    )
    return BlockParameters(attention, norm_parameters(d_model, dtype), network, norm_parameters(d_model, dtype))


def norm_parameters(d_model: int, dtype: Any = np.float64) -> NormParameters:
    """γ 1 and β 0: a norm before it has learned anything."""
    return NormParameters(np.ones(d_model, dtype), np.zeros(d_model, dtype))
