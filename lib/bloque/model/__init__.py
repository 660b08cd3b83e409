"""A real multilingual Transformer, run by the course's own pieces.

`load()` gives the model: `.pieces(sentence)` its word pieces, `.encode(sentence)` its last rows,
`.attention_maps(sentence)` every head's weights, `.sentence_vector(sentence)` one vector for it all.
"""

from bloque.model.encoder import Model, Trace, load
from bloque.model.pieces import Word, words_of

__all__ = ["Model", "Trace", "Word", "load", "words_of"]
