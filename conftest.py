"""How pytest compares the notebooks, and which tests it leaves out.

On Linux with the versions of constraints.txt every output of a notebook is compared letter by letter.
Elsewhere another BLAS or another release may change the last digits, so there the words are compared
letter by letter and the numbers to three significant digits. Nothing else is forgiven anywhere.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import metadata
from pathlib import Path

import nbval.plugin
import pytest

from tests.notebooks.numerals import BEHIND_OUTPUTS, Loosely, differences

ROOT = Path(__file__).parent

# The course's matrices are small: a second thread only waits for the first, at full speed. Said before
# NumPy is there, and to the kernels of the notebooks and of JupyterLab too, which inherit it.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def reasons_here() -> list[str]:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    return differences(constraints, {name: metadata.version(name) for name in BEHIND_OUTPUTS}, sys.platform)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--weekly", action="store_true", help="also what a run once a week is enough for: see the marker of that name")


def pytest_configure(config: pytest.Config) -> None:
    if reasons_here():
        exact = nbval.plugin.IPyNbCell.sanitize

        def sanitize(self: nbval.plugin.IPyNbCell, text: object) -> object:
            cleaned = exact(self, text)
            return Loosely(cleaned) if isinstance(cleaned, str) else cleaned

        nbval.plugin.IPyNbCell.sanitize = sanitize


def pytest_report_header(config: pytest.Config) -> list[str]:
    reasons = reasons_here()
    compared = f"numbers to 3 significant digits ({'; '.join(reasons)})" if reasons else "letter by letter"
    torch = "installed" if has_torch() else "not installed, its tests are left out (make oracle)"
    return [f"notebooks: outputs compared {compared}", f"torch: {torch}"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The site is a stage of its own (make test-site): its tests need it built, and run when they are asked for by name."""
    site = ROOT / "tests" / "site"
    named = any(Path(argument.partition("::")[0]).resolve().is_relative_to(site) for argument in config.invocation_params.args)
    return True if collection_path == site and not named else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    without = {"torch": not has_torch(), "weekly": not config.getoption("--weekly")}
    left_out = [item for item in items if any(leave and item.get_closest_marker(name) for name, leave in without.items())]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None
