"""The sinusoidal positional encoding."""

from __future__ import annotations

import numpy as np

from bloque import errors


def positional_encoding(n: int, d_model: int) -> np.ndarray:
    """One row a position, to be added once to the embeddings, before the first block.

        PE(t, 2i) = sin(t / 10000^(2i/d_model)),   PE(t, 2i+1) = cos(t / 10000^(2i/d_model))
                                                     Vaswani et al. (2017), section 3.5

    Sines and cosines alternate. An odd d_model ends in a sine without its cosine.
    Returns (n, d_model), float64.
    Raises ValueError when n or d_model is not a whole number (n ≥ 0, d_model ≥ 1).
    """
    n, d_model = errors.whole("n", n, 0), errors.whole("d_model", d_model, 1)
    positions = np.arange(n)[:, None]  # (n, 1)
    angles = positions / 10000 ** (np.arange(0, d_model, 2) / d_model)  # (n, ⌈d_model/2⌉)
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding
