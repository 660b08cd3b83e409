"""«bloque»: the Transformer, block by block. The pieces, in NumPy, as readable as their formulas."""

from bloque.activations import gelu, relu
from bloque.attention import attention, causal_mask
from bloque.block import (
    BlockParameters,
    FeedForwardParameters,
    block_parameters,
    encoder,
    encoder_block,
    feed_forward,
)
from bloque.counting import OperationCount, ParameterCount, count_operations, count_parameters
from bloque.gradients import (
    attention_backward,
    encoder_backward,
    encoder_block_backward,
    encoder_block_forward,
    feed_forward_backward,
    feed_forward_forward,
    layer_norm_backward,
    multi_head_attention_backward,
    multi_head_attention_forward,
    softmax_backward,
)
from bloque.heads import (
    MultiHeadParameters,
    merge_heads,
    multi_head_attention,
    multi_head_parameters,
    split_heads,
)
from bloque.norm import NormParameters, layer_norm
from bloque.positions import positional_encoding
from bloque.softmax import softmax, softmax_jacobian
from bloque.texts import language, number

__version__ = "1.0.0"

__all__ = [
    "BlockParameters",
    "FeedForwardParameters",
    "MultiHeadParameters",
    "NormParameters",
    "OperationCount",
    "ParameterCount",
    "attention",
    "attention_backward",
    "block_parameters",
    "causal_mask",
    "count_operations",
    "count_parameters",
    "encoder",
    "encoder_backward",
    "encoder_block",
    "encoder_block_backward",
    "encoder_block_forward",
    "feed_forward",
    "feed_forward_backward",
    "feed_forward_forward",
    "gelu",
    "language",
    "layer_norm",
    "layer_norm_backward",
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_backward",
    "multi_head_attention_forward",
    "multi_head_parameters",
    "number",
    "positional_encoding",
    "relu",
    "softmax",
    "softmax_backward",
    "softmax_jacobian",
    "split_heads",
]
