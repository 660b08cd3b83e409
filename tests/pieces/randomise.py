"""Parameters away from where they start."""

import numpy as np


def randomised(parameters, seed=1, scale=0.3):
    """Every parameter moved at random, so that no bias is 0 and no γ is 1."""
    draws = np.random.default_rng(seed)

    def move(part):
        if part is None:
            return None
        if isinstance(part, tuple):
            return type(part)(*map(move, part))
        return part + scale * draws.standard_normal(part.shape).astype(part.dtype)

    return move(parameters)
