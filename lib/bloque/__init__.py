"""«bloque»: the Transformer, block by block. The pieces, in NumPy, as readable as their formulas."""

from bloque.texts import language, number

__version__ = "1.0.0"

__all__ = ["language", "number"]
