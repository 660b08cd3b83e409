"""Train the runs that lesson 6 draws, and write data/training_runs.npz and data/training_maps.npz.

    python tools/make_runs.py            # about 20 minutes of one core; --jobs 2 for two

Seeds and settings are in lib/bloque/training/runs.py and are written into the file.
"""

from __future__ import annotations

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # the products are small: threads would only wait for each other

import argparse
import multiprocessing
import time
from pathlib import Path

import numpy as np

from bloque.training.runs import ARMS, SEEDS, make_forming, make_run, write_runs

DATA = Path(__file__).resolve().parent.parent / "data"


def _one(task: tuple[str, int]) -> tuple[tuple[str, int], dict, float]:
    start = time.process_time()
    return task, make_run(*task), time.process_time() - start


def main() -> None:
    """Make every run and the snapshots, and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1)
    jobs = parser.parse_args().jobs
    tasks = [(name, seed) for seed in SEEDS for name in ARMS]
    made = {}
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for task, run, seconds in pool.imap_unordered(_one, tasks):
            made[task] = run
            print(f"{len(made)}/{len(tasks)} {task[0]} seed {task[1]}: accuracy {run['final']:.3f}, {seconds:.0f} s of CPU", flush=True)
    write_runs(DATA / "training_runs.npz", made)
    np.savez_compressed(DATA / "training_maps.npz", **make_forming())
    for name in ("training_runs.npz", "training_maps.npz"):
        print(f"wrote data/{name}: {(DATA / name).stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
