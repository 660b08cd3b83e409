"""A real encoder made of the course's own pieces: embeddings, then block after block."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from bloque import (
    BlockParameters,
    FeedForwardParameters,
    MultiHeadParameters,
    NormParameters,
    encoder,
    encoder_block_forward,
    feed_forward,
    layer_norm,
    multi_head_attention,
)
from bloque.files import data_file
from bloque.model import weights
from bloque.model.pieces import Vocabulary
from bloque.texts import text

FILES = {"whole": "e5_small.bin", "layer 1": "e5_layer1.bin"}
REMOVABLE = ("division", "residual", "norm")

Block = Callable[..., Any]


class Trace(NamedTuple):
    """Everything a sentence leaves on its way up."""

    pieces: list[str]
    states: np.ndarray  # (layers + 1, n, d_model): what entered the first block, and what each gave
    maps: np.ndarray  # (layers, heads, n, n): row = query, column = key


class Embedding(NamedTuple):
    """The table of pieces and the table of positions, added and normalised before the first block."""

    words: np.ndarray  # (vocabulary, d_model)
    positions: np.ndarray  # (longest, d_model)
    segment: np.ndarray  # (d_model,), BERT's mark of a first sentence
    norm: NormParameters


@functools.cache
def load(part: str = "whole") -> Model:
    """The real model: multilingual-e5-small, 12 layers of 12 heads, d_model 384, read from data/ once.

    part: "whole", or "layer 1" for a small file with nothing but the first layer's maps.
    Raises FileNotFoundError when the file is not there, ValueError when part is another word or the
    file is damaged.
    """
    if part not in FILES:
        raise ValueError(text("model.part", part=repr(part), parts=", ".join(map(repr, FILES))))
    return Model(weights.read(data_file(FILES[part])))


class Model:
    """A post-norm encoder with GELU, as BERT is, whose every layer is the course's `encoder_block`."""

    def __init__(self, stored: weights.Stored) -> None:
        shape, arrays = stored.description["shape"], stored.arrays
        self.layers: int = shape["layers"]
        self.heads: int = shape["heads"]
        self.d_model: int = shape["d_model"]
        self.d_ff: int = shape["d_ff"]
        self.eps: float = stored.description["eps"]
        self.vocabulary = Vocabulary(stored.pieces, arrays["piece_scores"], stored.description["unknown_score"])
        self.embedding = Embedding(
            arrays["embedding.words"],
            arrays["embedding.positions"],
            arrays["embedding.segment"],
            NormParameters(arrays["embedding.norm.gamma"], arrays["embedding.norm.beta"]),
        )
        self.is_whole: bool = stored.description["part"] == "whole"
        if self.is_whole:
            self.blocks = [_block(arrays, layer) for layer in range(1, self.layers + 1)]
            self.first_attention = self.blocks[0].attention
        else:  # queries and keys make the weights; with nothing known of the values, they are left as they are
            self.blocks = []
            W_Q, b_Q, W_K, b_K = (arrays[f"layer1.attention.{field}"] for field in ("W_Q", "b_Q", "W_K", "b_K"))
            same = np.eye(self.d_model, dtype=np.float32)
            self.first_attention = MultiHeadParameters(W_Q.T, W_K.T, same, same, b_Q, b_K)

    @property
    def longest(self) -> int:
        """The most pieces a sentence may have, its two marks included."""
        return len(self.embedding.positions)

    def pieces(self, sentence: str) -> list[str]:
        """The pieces of a sentence, between <s> and </s>; "▁" marks the start of a word.

        Raises ValueError when the sentence is empty, has more pieces than `longest`, or is not text.
        """
        if not isinstance(sentence, str):
            raise ValueError(text("model.not_text", type=type(sentence).__name__))
        pieces = self.vocabulary.cut(sentence)
        if len(pieces) == 2:
            raise ValueError(text("model.empty"))
        if len(pieces) > self.longest:
            raise ValueError(text("model.too_long", pieces=len(pieces), longest=self.longest))
        return pieces

    def unknown_words(self, sentence: str) -> list[str]:
        """The words that hold a letter the cut vocabulary has no piece for."""
        return self.vocabulary.unknown_words(sentence)

    def embed(self, sentence: str) -> np.ndarray:
        """What enters the first block: LayerNorm(piece + position + segment), (n, d_model).

        Raises ValueError as `pieces` does.
        """
        table, positions, segment, norm = self.embedding
        numbers = [self.vocabulary.number[piece] for piece in self.pieces(sentence)]
        return layer_norm(table[numbers] + positions[: len(numbers)] + segment, *norm, self.eps)

    def encode(self, sentence: str, *, block: Block | None = None, without: str | Collection[str] = ()) -> np.ndarray:
        """What leaves the last block, one row a piece: (n, d_model).

        block:   a function of your own to run every layer with, called as `encoder_block` is:
                 block(x, parameters, heads, norm="post", activation="gelu", eps=…); a keyword it
                 does not take is left out.
        without: what to take out of every layer: "division" (by √d_k), "residual", "norm".
        Raises ValueError as `pieces` does; when the model is nothing but its first layer; when
        `without` names something else, or takes residual or norm out of a block of your own; and when
        that block gives anything but finite rows of the shape of x.
        """
        self._needs_whole()
        x = self.embed(sentence)
        if block is None and not _removed(without):
            return encoder(x, self.blocks, self.heads, norm="post", activation="gelu", eps=self.eps)
        for number, (parameters, run) in enumerate(self._steps(block, without), start=1):
            x = _same_kind(run(x, parameters)[0], x, number)
        return x

    def trace(self, sentence: str, *, without: str | Collection[str] = ()) -> Trace:
        """The rows after every block and every head's weights.

        without: as in `encode`. Raises ValueError as `encode` does.
        """
        self._needs_whole()
        states, maps = [self.embed(sentence)], []
        for parameters, run in self._steps(None, without):
            x, attended = run(states[-1], parameters)
            states.append(x)
            maps.append(attended)
        return Trace(self.pieces(sentence), np.stack(states), np.stack(maps))

    def attention_maps(self, sentence: str, *, without: str | Collection[str] = ()) -> np.ndarray:
        """Every head's weights, (layers, heads, n, n): row = the piece that asks, column = the piece asked.

        without: as in `encode`. A model that is nothing but its first layer gives that layer's maps,
        and only "division" changes them.
        Raises ValueError as `pieces` does, or when `without` names something else.
        """
        if self.is_whole:
            return self.trace(sentence, without=without).maps
        first = _undivided(self.first_attention, self.heads) if "division" in _removed(without) else self.first_attention
        return multi_head_attention(self.embed(sentence), first, self.heads)[1][None]

    def sentence_vector(self, sentence: str, *, block: Block | None = None, without: str | Collection[str] = ()) -> np.ndarray:
        """One vector of length 1 for a whole sentence: the mean of its rows, (d_model,).

        The dot product of two of them is the cosine between the sentences.
        Arguments and errors are those of `encode`.
        """
        mean = self.encode(sentence, block=block, without=without).mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _needs_whole(self) -> None:
        if not self.is_whole:
            raise ValueError(text("model.only_layer_one"))

    def _steps(self, block: Block | None, without: str | Collection[str]) -> list[tuple[BlockParameters, Block]]:
        """Each layer's parameters, and the function (x, parameters) -> (x, weights) that runs it."""
        removed = _removed(without)
        blocks = self.blocks
        if "division" in removed:
            blocks = [b._replace(attention=_undivided(b.attention, self.heads)) for b in blocks]
        if block is not None:
            if removed - {"division"}:
                raise ValueError(text("model.block_and_without"))
            run = _as_step(block, self.heads, self.eps)
        elif removed - {"division"}:
            run = functools.partial(
                bare_block, heads=self.heads, residual="residual" not in removed, norm="norm" not in removed, eps=self.eps
            )
        else:
            run = self._own_block
        return [(parameters, run) for parameters in blocks]

    def _own_block(self, x: np.ndarray, parameters: BlockParameters) -> tuple[np.ndarray, np.ndarray]:
        output, kept = encoder_block_forward(x, parameters, self.heads, norm="post", activation="gelu", eps=self.eps)
        return output, kept.attention.weights


def bare_block(
    x: np.ndarray, parameters: BlockParameters, heads: int, *, residual: bool, norm: bool, eps: float
) -> tuple[np.ndarray, np.ndarray]:
    """A post-norm block that may lack its residuals or its norms: for showing what they were for.

    Returns the rows, (n, d_model), and the weights, (heads, n, n). With both it is `encoder_block`.
    """
    found, attended = multi_head_attention(x, parameters.attention, heads)
    x = x + found if residual else found
    x = layer_norm(x, *parameters.attention_norm, eps) if norm else x
    thought = feed_forward(x, *parameters.feed_forward, activation="gelu")
    x = x + thought if residual else thought
    x = layer_norm(x, *parameters.feed_forward_norm, eps) if norm else x
    return x, attended


def _block(arrays: dict[str, np.ndarray], layer: int) -> BlockParameters:
    """One layer's parameters; matrices are stored (out, in), and the course multiplies x @ W: (in, out)."""

    def fill(container: Any, part: str) -> Any:
        found = (arrays[f"layer{layer}.{part}.{field}"] for field in container._fields)
        return container(*(array.T if array.ndim == 2 else array for array in found))

    return BlockParameters(
        fill(MultiHeadParameters, "attention"),
        fill(NormParameters, "attention_norm"),
        fill(FeedForwardParameters, "feed_forward"),
        fill(NormParameters, "feed_forward_norm"),
    )


def _undivided(parameters: MultiHeadParameters, heads: int) -> MultiHeadParameters:
    """Queries √d_k times as long: the division then leaves the raw products."""
    root = np.float32(math.sqrt(parameters.W_Q.shape[1] // heads))
    bias = parameters.b_Q
    return parameters._replace(W_Q=parameters.W_Q * root, b_Q=None if bias is None else bias * root)


def _as_step(block: Block, heads: int, eps: float) -> Block:
    """A learner's block as a step, with the keywords that it takes."""
    keywords: dict[str, Any] = {"norm": "post", "activation": "gelu", "eps": eps}
    taken = inspect.signature(block).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken):
        names = {parameter.name for parameter in taken}
        keywords = {name: value for name, value in keywords.items() if name in names}
    return lambda x, parameters: (block(x, parameters, heads, **keywords), None)


def _same_kind(output: Any, x: np.ndarray, layer: int) -> np.ndarray:
    """What a learner's block gave, when the next layer can be fed with it."""
    kind = type(output).__name__
    try:
        output = None if output is None else np.asarray(output, x.dtype)
    except (TypeError, ValueError):
        output = None
    if output is None:
        raise ValueError(text("model.block_type", layer=layer, type=kind))
    if output.shape != x.shape:
        raise ValueError(text("model.block_shape", layer=layer, shape=output.shape, expected=x.shape))
    if not np.isfinite(output).all():
        raise ValueError(text("model.block_not_finite", layer=layer))
    return output


def _removed(without: str | Collection[str]) -> set[str]:
    removed = {without} if isinstance(without, str) else set(without)
    if unknown := removed - set(REMOVABLE):
        raise ValueError(text("model.without", given=", ".join(sorted(map(repr, unknown))), parts=", ".join(map(repr, REMOVABLE))))
    return removed
