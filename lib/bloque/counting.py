"""How many parameters a Transformer has and how many multiplications it makes, part by part."""

from __future__ import annotations

from typing import NamedTuple

from bloque import errors


class ParameterCount(NamedTuple):
    """Parameters by part; `total` adds them up."""

    embeddings: int  # token table
    positions: int  # learned position table
    types: int  # segment table
    attention: int  # W_Q, W_K, W_V, W_O and their biases, all layers
    feed_forward: int  # W1, b1, W2, b2, all layers
    norms: int  # every γ and β
    pooler: int  # BERT's layer on the first token
    output: int  # the matrix to the vocabulary, 0 when it is the token table

    @property
    def total(self) -> int:
        """All the parameters."""
        return sum(self)


class OperationCount(NamedTuple):
    """Multiplications (each with its addition) by part; `total` adds them up."""

    projections: int  # Q, K, V and W_O: 4 n d_model²
    scores: int  # Q Kᵀ: n² d_model
    weighted_sum: int  # weights times V: n² d_model
    feed_forward: int  # 2 n d_model d_ff

    @property
    def total(self) -> int:
        """All the multiplications."""
        return sum(self)


def count_parameters(
    d_model: int,
    heads: int,
    d_ff: int,
    layers: int = 1,
    *,
    decoder_layers: int = 0,
    attention_bias: bool = False,
    feed_forward_bias: bool = True,
    norms: bool = True,
    vocabulary: int = 0,
    positions: int = 0,
    types: int = 0,
    embedding_norm: bool = False,
    final_norm: bool = False,
    pooler: bool = False,
    output: bool = False,
    tied_output: bool = True,
) -> ParameterCount:
    """The parameters of a stack of blocks, and of what stands round it in a real checkpoint.

    layers, decoder_layers: encoder blocks (attention, network, two norms; GPT's blocks are these
        too) and decoder blocks (a second attention and a third norm).
    vocabulary, positions, types: rows of the three embedding tables; 0 means no such table.
    embedding_norm, final_norm: a norm on the embeddings (BERT), after the last block (GPT-2).
    pooler: a (d_model, d_model) layer with its bias on the first token (BERT).
    output, tied_output: scores over the vocabulary; tied, they use the token table and add nothing.
    None of it depends on the length of the sentence, nor on heads, which must only divide d_model.
    Raises ValueError when a size is not a whole number or heads does not divide d_model.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    sizes = {"d_ff": d_ff, "layers": layers, "decoder_layers": decoder_layers}
    for name, size in (sizes | {"vocabulary": vocabulary, "positions": positions, "types": types}).items():
        errors.whole(name, size, 0)
    attentions = layers + 2 * decoder_layers
    networks = layers + decoder_layers
    norm_count = (2 * layers + 3 * decoder_layers) * norms + embedding_norm + final_norm
    return ParameterCount(
        embeddings=vocabulary * d_model,
        positions=positions * d_model,
        types=types * d_model,
        attention=attentions * 4 * (d_model * d_model + d_model * attention_bias),
        feed_forward=networks * (2 * d_model * d_ff + (d_ff + d_model) * feed_forward_bias),
        norms=norm_count * 2 * d_model,
        pooler=pooler * (d_model * d_model + d_model),
        output=vocabulary * d_model * (output and not tied_output),
    )


def count_operations(n: int, d_model: int, heads: int, d_ff: int, layers: int = 1) -> OperationCount:
    """The multiplications of a forward pass over n tokens: 4 n d² + 2 n² d + 2 n d d_ff a layer.

    The heads share out the columns, so their number does not change the count.
    Raises ValueError when a size is not a whole number or heads does not divide d_model.
    """
    errors.divisible(errors.whole("d_model", d_model, 1), heads)
    for name, size in {"n": n, "d_ff": d_ff, "layers": layers}.items():
        errors.whole(name, size, 0)
    return OperationCount(
        projections=layers * 4 * n * d_model * d_model,
        scores=layers * n * n * d_model,
        weighted_sum=layers * n * n * d_model,
        feed_forward=layers * 2 * n * d_model * d_ff,
    )
