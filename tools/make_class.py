"""Notebooks without solutions and a page for the teacher: the same as ``python -m bloque class``.

python tools/make_class.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from bloque.__main__ import main

if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    sys.exit(main(["class", *(sys.argv[1:] or [str(root / "build" / "class")]), "--from", str(root / "notebooks")]))
