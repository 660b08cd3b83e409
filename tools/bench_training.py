"""How long a training step takes beside PyTorch's, and how much memory it needs: one run, in turns.

    python tools/bench_training.py

Same sizes, same threads: our step (forward, loss, exact backward, Adam) against the same model in
PyTorch, eager, on the CPU. Needs torch. Goal: within 3 times.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import torch
from bench_block import in_turns

from bloque import positional_encoding
from bloque.training import ModelSettings, Training

SIZES = {"lesson": ModelSettings(), "wide": ModelSettings(d_model=256, heads=4, d_ff=1024, layers=4)}


def torch_step(settings: ModelSettings, ours: Training):
    """The same model and step in PyTorch."""
    layer = torch.nn.TransformerEncoderLayer(settings.d_model, settings.heads, settings.d_ff, dropout=0, batch_first=True, norm_first=True)
    stack = torch.nn.TransformerEncoder(layer, settings.layers, torch.nn.LayerNorm(settings.d_model), enable_nested_tensor=False)
    embedding = torch.nn.Embedding(settings.vocabulary, settings.d_model)
    output = torch.nn.Linear(settings.d_model, settings.vocabulary, bias=False)
    parameters = [*stack.parameters(), *embedding.parameters(), *output.parameters()]
    adam = torch.optim.Adam(parameters, lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    positions = torch.from_numpy(positional_encoding(settings.n, settings.d_model).astype(np.float32))
    mask = torch.nn.Transformer.generate_square_subsequent_mask(settings.n)

    def step() -> None:
        batch = ours.new_batch()
        asked = torch.from_numpy(batch.asked.copy())
        logits = output(stack(embedding(torch.from_numpy(batch.tokens)) + positions, mask=mask, is_causal=True))
        loss = torch.nn.functional.cross_entropy(logits[asked], torch.from_numpy(batch.targets)[asked])
        adam.zero_grad()
        loss.backward()
        adam.step()

    return step


def main() -> None:
    """Time both in turns for every size, and print times, ratio and memory."""
    for name, settings in SIZES.items():
        training = Training(settings)
        ours, theirs = in_turns(training.step, torch_step(settings, Training(settings, seed=1)), rounds=25)
        tracemalloc.start()
        training.step()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{name}: {training.flat.size} parameters, batch {training.batch} of {settings.n} tokens, {torch.get_num_threads()} threads")
        print(f"  bloque {ours * 1e3:.1f} ms, torch {theirs * 1e3:.1f} ms, ratio {ours / theirs:.2f} (goal 3)")
        print(f"  memory: {peak / 1e6:.1f} MB at the peak of a step, of which parameters and Adam {3 * training.flat.nbytes / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
