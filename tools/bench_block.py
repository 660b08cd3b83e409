"""How fast the pieces are beside PyTorch, and how light the import is: ratios of one run.

    python tools/bench_block.py

The two sides take turns, so that a busy moment hits both, and the median of each is compared.
Needs torch. Goals: the block within 1.5 times PyTorch's own, the import under 1.3 times NumPy's.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

BATCH, N, D_MODEL, HEADS, D_FF = 8, 128, 512, 8, 2048


def in_turns(one: Callable[[], object], other: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of each of two functions called in turns, after a first call of each that is not counted."""
    one(), other()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for function, taken in zip((one, other), times, strict=True):
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def block() -> None:
    import numpy as np
    import torch

    import bloque

    x = np.random.default_rng(0).standard_normal((BATCH, N, D_MODEL)).astype(np.float32)
    parameters = bloque.block_parameters(D_MODEL, HEADS, D_FF, attention_bias=True, dtype=np.float32)
    layer = torch.nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, batch_first=True).eval()
    x_torch = torch.from_numpy(x)
    with torch.no_grad():
        ours, theirs = in_turns(lambda: bloque.encoder_block(x, parameters, HEADS), lambda: layer(x_torch), rounds=30)
    print(f"encoder block, float32, batch {BATCH}, n {N}, d_model {D_MODEL}, {HEADS} heads, d_ff {D_FF}:")
    print(f"  bloque {ours * 1e3:.1f} ms, torch {theirs * 1e3:.1f} ms, ratio {ours / theirs:.2f} (goal 1.5)")


def imports() -> None:
    def run(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    ours, theirs = in_turns(run("import bloque"), run("import numpy"), rounds=15)
    print("import, interpreter's own start included:")
    print(f"  bloque {ours * 1e3:.0f} ms, numpy {theirs * 1e3:.0f} ms, ratio {ours / theirs:.2f} (goal 1.3)")


if __name__ == "__main__":
    block()
    imports()
