"""A small language model made of the pieces, its loss, and the exact gradient of the loss.

Embedding, sinusoidal positions, causal blocks, a linear output. The three repairs of the course
can be taken away one at a time: the division by √d_k, the residual sums, and the place of the norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import bloque
from bloque.block import BlockParameters, norm_parameters
from bloque.gradients import FeedForwardKept, MultiHeadKept
from bloque.norm import NormParameters
from bloque.training.task import Batch


@dataclass(frozen=True)
class ModelSettings:
    """The shape of the model, and which repairs it has."""

    vocabulary: int = 16
    n: int = 18
    d_model: int = 64
    heads: int = 2
    d_ff: int = 128
    layers: int = 2
    norm: str = "pre"  # "pre" or "post"
    residual: bool = True
    scaled: bool = True  # divide the scores by √d_k
    dtype: str = "float32"


class ModelParameters(NamedTuple):
    """Everything the model learns."""

    embedding: np.ndarray  # (vocabulary, d_model)
    blocks: list[BlockParameters]
    final_norm: NormParameters
    output: np.ndarray  # (d_model, vocabulary)


@dataclass(frozen=True, slots=True)
class SublayerKept:
    """What one sublayer keeps: attention or network, with its norm and its residual sum."""

    normed: np.ndarray  # what entered the norm, (batch, n, d_model)
    norm: NormParameters
    inner: MultiHeadKept | FeedForwardKept


@dataclass(frozen=True, slots=True)
class ModelKept:
    """What `model_backward` needs of the forward pass."""

    tokens: np.ndarray
    parameters: ModelParameters
    sublayers: list[SublayerKept]  # attention and network of each block, in order
    stream: np.ndarray  # after the last block, (batch, n, d_model)
    read: np.ndarray  # after the final norm


def model_parameters(settings: ModelSettings, seed: int = 0) -> ModelParameters:
    """Random parameters: matrices with variance 1/d_in, embeddings with variance 1, norms γ 1 and β 0."""
    rng = np.random.default_rng(seed)
    s, dtype = settings, np.dtype(settings.dtype)
    blocks = [bloque.block_parameters(s.d_model, s.heads, s.d_ff, seed=int(rng.integers(2**32)), dtype=dtype) for _ in range(s.layers)]
    return ModelParameters(
        embedding=rng.standard_normal((s.vocabulary, s.d_model)).astype(dtype),
        blocks=blocks,
        final_norm=norm_parameters(s.d_model, dtype),
        output=(rng.standard_normal((s.d_model, s.vocabulary)) / np.sqrt(s.d_model)).astype(dtype),
    )


def model_forward(tokens: np.ndarray, parameters: ModelParameters, settings: ModelSettings) -> tuple[np.ndarray, ModelKept]:
    """Logits of the next token at every position.

    tokens: (batch, n). Returns the logits, (batch, n, vocabulary), and what the backward pass needs.
    """
    n = tokens.shape[-1]
    positions = bloque.positional_encoding(n, settings.d_model).astype(parameters.embedding.dtype)
    x = parameters.embedding[tokens] + positions  # (batch, n, d_model)
    mask, scale = bloque.causal_mask(n), None if settings.scaled else 1.0

    def attend(y: np.ndarray, block: BlockParameters) -> tuple[np.ndarray, Any]:
        return bloque.multi_head_attention_forward(y, block.attention, settings.heads, mask=mask, scale=scale)

    def think(y: np.ndarray, block: BlockParameters) -> tuple[np.ndarray, Any]:
        return bloque.feed_forward_forward(y, block.feed_forward)

    sublayers = []
    for block in parameters.blocks:
        for inner, norm in ((attend, block.attention_norm), (think, block.feed_forward_norm)):
            if settings.norm == "pre":
                normed = x
                found, kept = inner(bloque.layer_norm(x, *norm), block)
                x = x + found if settings.residual else found
            else:
                found, kept = inner(x, block)
                normed = x + found if settings.residual else found
                x = bloque.layer_norm(normed, *norm)
            sublayers.append(SublayerKept(normed, norm, kept))
    read = bloque.layer_norm(x, *parameters.final_norm)
    return read @ parameters.output, ModelKept(tokens, parameters, sublayers, x, read)


def model_backward(by_logits: np.ndarray, kept: ModelKept, settings: ModelSettings) -> tuple[ModelParameters, list[float]]:
    """The gradient by every parameter, and the size of the gradient that arrives at each block.

    by_logits: (batch, n, vocabulary). Returns the gradients in the parameters' own container, and
    for each block the norm of the gradient by its input, first block first.
    """
    parameters, vocabulary = kept.parameters, by_logits.shape[-1]
    rows = by_logits.reshape(-1, vocabulary)  # (batch·n, vocabulary)
    by_output = kept.read.reshape(len(rows), -1).T @ rows  # (d_model, vocabulary)
    gradient, by_final_norm = bloque.layer_norm_backward(by_logits @ parameters.output.T, kept.stream, parameters.final_norm.gamma)
    by_blocks, arriving = [], []
    for i in reversed(range(len(parameters.blocks))):
        gradient, by_network, by_network_norm = _sublayer_backward(gradient, kept.sublayers[2 * i + 1], settings)
        gradient, by_attention, by_attention_norm = _sublayer_backward(gradient, kept.sublayers[2 * i], settings)
        by_blocks.append(BlockParameters(by_attention, by_attention_norm, by_network, by_network_norm))
        arriving.append(float(np.linalg.norm(gradient)))
    by_embedding = np.zeros_like(parameters.embedding)
    np.add.at(by_embedding, kept.tokens, gradient)  # a token that stands in several places collects them all
    return ModelParameters(by_embedding, by_blocks[::-1], by_final_norm, by_output), arriving[::-1]


def _sublayer_backward(gradient: np.ndarray, kept: SublayerKept, settings: ModelSettings) -> tuple[np.ndarray, Any, NormParameters]:
    """Through one sublayer: the gradient by its input, by its parameters, and by its norm's."""

    def through(gradient: np.ndarray) -> tuple[np.ndarray, Any]:
        if isinstance(kept.inner, MultiHeadKept):
            by_x, _, by_parameters = bloque.multi_head_attention_backward(gradient, kept.inner)
            return by_x, by_parameters
        return bloque.feed_forward_backward(gradient, kept.inner)

    if settings.norm == "pre":
        by_x, by_parameters = through(gradient)
        by_x, by_norm = bloque.layer_norm_backward(by_x, kept.normed, kept.norm.gamma)
        return gradient + by_x if settings.residual else by_x, by_parameters, by_norm
    gradient, by_norm = bloque.layer_norm_backward(gradient, kept.normed, kept.norm.gamma)
    by_x, by_parameters = through(gradient)
    return gradient + by_x if settings.residual else by_x, by_parameters, by_norm


def cross_entropy(logits: np.ndarray, batch: Batch) -> tuple[float, np.ndarray]:
    """The mean of −log p(target) over the asked positions, and its gradient by the logits, (p − y)/count.

    logits: (batch, n, vocabulary).
    """
    weights = bloque.softmax(logits)  # (batch, n, vocabulary)
    of_target = np.take_along_axis(weights, batch.targets[..., None], axis=-1)[..., 0]  # (batch, n)
    count = int(batch.asked.sum())
    tiny = np.finfo(logits.dtype).tiny  # a weight that underflowed has a large loss, not an infinite one
    loss = -float(np.log(np.maximum(of_target[batch.asked], tiny)).sum()) / count
    by_logits = weights
    np.put_along_axis(by_logits, batch.targets[..., None], (of_target - 1)[..., None], axis=-1)
    by_logits *= batch.asked[..., None] / logits.dtype.type(count)
    return loss, by_logits


def attention_maps(tokens: np.ndarray, parameters: ModelParameters, settings: ModelSettings) -> list[np.ndarray]:
    """The attention weights of each block, (batch, heads, n, n)."""
    _, kept = model_forward(tokens, parameters, settings)
    return [sublayer.inner.weights for sublayer in kept.sublayers if isinstance(sublayer.inner, MultiHeadKept)]
