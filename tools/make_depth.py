"""Make data/depth_gradients.json: the gradients that lesson 5 draws against depth, for several seeds.

    python tools/make_depth.py

Exact gradients of untrained stacks with the course's own pieces; the settings stand in the file.
Three significant digits are kept, more than a picture can show.
"""

from __future__ import annotations

import json
from pathlib import Path

from bloque.lessons import full_block as lesson

TARGET = Path(__file__).resolve().parent.parent / "data" / "depth_gradients.json"


def main() -> None:
    gradients: dict[str, dict[str, list[list[float]]]] = {}
    for norm in ("post", "pre"):
        runs = [lesson.gradients_by_block(norm, lesson.DEPTHS, seed) for seed in lesson.SEEDS]
        gradients[norm] = {str(depth): [[float(f"{g:.3g}") for g in run[depth]] for run in runs] for depth in lesson.DEPTHS}
    settings = {"d_model": lesson.D_MODEL, "heads": lesson.HEADS, "d_ff": lesson.D_FF, "tokens": lesson.TOKENS, "seeds": list(lesson.SEEDS)}
    content = {"made by": "tools/make_depth.py", "licence": "CC BY 4.0", "settings": settings, "gradients": gradients}
    TARGET.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
