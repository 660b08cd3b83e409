"""Look at a lesson as a reader sees it: open it in JupyterLab, run all cells, take screenshots.

    python tools/look.py notebooks/en/01_softmax_saturation.ipynb OUT_DIR [--width 800] [--theme dark]

Writes OUT_DIR/page_00.png, page_01.png … from the first cell to the last, and prints what went
wrong in a cell or in the browser's console.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # started as a script, only tools/ is on the path
    sys.path.insert(0, str(ROOT))

from tools.lab import browser, lab, open_notebook, place_of, run_all

HARMLESS = ("favicon", "Failed to load resource", "source map", "Deprecat", "preloaded")


def look(notebook: Path, out: Path, width: int, height: int, theme: str, ratio: float, cells: str) -> int:
    """Screenshots of the whole notebook; how many things went wrong."""
    out.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with lab([notebook.resolve()], theme) as running, browser(width, height, ratio) as page:
        page.on("pageerror", lambda error: wrong.append(f"page: {error}"))
        page.on("console", lambda m: m.type == "error" and not any(h in m.text for h in HARMLESS) and wrong.append(f"console: {m.text}"))
        open_notebook(page, running, place_of(notebook.resolve()).as_posix())
        if cells == "run":
            run_all(page, 300)
        page.wait_for_timeout(1500)
        for output in page.locator('.jp-Notebook [data-mime-type="application/vnd.jupyter.stderr"]').all():
            wrong.append(f"cell: {output.inner_text()[:2000]}")
        scroller = page.locator(".jp-WindowedPanel-outer").first
        scroller.evaluate("e => e.scrollTo(0, 0)")
        step = scroller.evaluate("e => e.clientHeight") - 40
        total = scroller.evaluate("e => e.scrollHeight")
        top, number = 0, 0
        while top < total:
            scroller.evaluate("(e, top) => e.scrollTo(0, top)", top)
            page.wait_for_timeout(250)
            page.screenshot(path=out / f"page_{number:02d}.png")
            top, number = top + step, number + 1
    print(f"{number} screenshots in {out}")
    for line in wrong:
        print(line)
    return len(wrong)


def main() -> int:
    """Read the command line, look, and fail if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notebook", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=1000)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--ratio", type=float, default=1, help="device pixel ratio")
    parser.add_argument("--as-stored", dest="cells", action="store_const", const="stored", default="run", help="do not run the cells")
    given = parser.parse_args()
    return 1 if look(given.notebook, given.out, given.width, given.height, given.theme, given.ratio, given.cells) else 0


if __name__ == "__main__":
    sys.exit(main())
