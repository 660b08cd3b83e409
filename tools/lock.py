"""Write constraints.txt anew: the newest versions that the ranges allow, as one fresh environment gets them.

make lock            then make notebooks and make test, and read what changed
"""

from __future__ import annotations

import platform
import re
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Tools of the environment itself, and PyTorch with what only it brings: it has a build for each machine.
NOT_LOCKED = re.compile(r"^(pip|setuptools|wheel|torch|triton|nvidia-|cuda-)", re.IGNORECASE)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = next(p for p in (Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe")) if p.exists())
        pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "-r", "requirements-test.txt"], cwd=ROOT, check=True)
        frozen = subprocess.run([*pip, "freeze", "--exclude-editable"], check=True, capture_output=True, encoding="utf-8").stdout
    lines = [line for line in frozen.splitlines() if "==" in line and not NOT_LOCKED.match(line)]
    version = ".".join(platform.python_version_tuple()[:2])
    head = f"# The exact versions that the tests passed with (Python {version}, {platform.system()}). Made by: make lock"
    (ROOT / "constraints.txt").write_text(
        "\n".join([head, *sorted(lines, key=lambda line: line.partition("==")[0].lower())]) + "\n", encoding="utf-8"
    )
    print(f"constraints.txt: {len(lines)} packages")


if __name__ == "__main__":
    main()
