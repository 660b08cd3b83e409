"""A small language model made of the pieces, its loss, and the exact gradient of the loss.

Embedding, sinusoidal positions, causal blocks, a linear output. The three repairs of the course
can be taken away one at a time: the division by √d_k, the residual sums, and the place of the norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import bloque
from bloque import errors
from bloque.block import BlockParameters, norm_parameters
from bloque.gradients import BlockKept
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
class ModelKept:
    """What `model_backward` needs of the forward pass."""

    tokens: np.ndarray
    parameters: ModelParameters
    blocks: list[BlockKept]
    stream: np.ndarray  # after the last block, (batch, n, d_model)
    read: np.ndarray  # after the final norm

    @property
    def maps(self) -> list[np.ndarray]:
        """The attention weights of each block, (batch, heads, n, n)."""
        return [block.attention.weights for block in self.blocks]


def model_parameters(settings: ModelSettings, seed: int = 0) -> ModelParameters:
    """Random parameters: matrices with variance 1/d_in, embeddings with variance 1, norms γ 1 and β 0.

    Raises ValueError when seed is not a whole number of at least 0, or as `block_parameters` does.
    """
    rng = np.random.default_rng(errors.whole("seed", seed, 0))
    s, dtype = settings, errors.floating_type("dtype", settings.dtype)
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
    blocks = []
    for block in parameters.blocks:
        x, kept = bloque.encoder_block_forward(
            x, block, settings.heads, norm=settings.norm, mask=mask, scale=scale, residual=settings.residual
        )
        blocks.append(kept)
    read = bloque.layer_norm(x, *parameters.final_norm)
    return read @ parameters.output, ModelKept(tokens, parameters, blocks, x, read)


def model_backward(by_logits: np.ndarray, kept: ModelKept, settings: ModelSettings) -> tuple[ModelParameters, list[float]]:
    """The gradient by every parameter, and the size of the gradient that arrives at each block.

    by_logits: (batch, n, vocabulary). Returns the gradients in the parameters' own container, and
    for each block the norm of the gradient by its input, first block first.
    """
    parameters = kept.parameters
    rows = by_logits.reshape(-1, settings.vocabulary)  # (batch·n, vocabulary)
    by_output = kept.read.reshape(len(rows), -1).T @ rows  # (d_model, vocabulary)
    gradient, by_final_norm = bloque.layer_norm_backward(by_logits @ parameters.output.T, kept.stream, parameters.final_norm.gamma)
    by_blocks, arriving = [], []
    for block in reversed(kept.blocks):
        gradient, by_block = bloque.encoder_block_backward(gradient, block)
        by_blocks.append(by_block)
        arriving.append(float(np.linalg.norm(gradient)))
    by_embedding = np.zeros_like(parameters.embedding)
    np.add.at(by_embedding, kept.tokens, gradient)  # a token that stands in several places collects them all
    return ModelParameters(by_embedding, by_blocks[::-1], by_final_norm, by_output), arriving[::-1]


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
    return model_forward(tokens, parameters, settings)[1].maps
