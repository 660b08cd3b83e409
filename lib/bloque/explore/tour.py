"""Which positions are drawn ahead, tried when the explorer is built, and shown in the stored picture."""

from __future__ import annotations

from collections.abc import Sequence

from .grid import GridControl

Position = tuple[int, ...]
LONGEST_TOUR = 300


def default_tour(grid: Sequence[GridControl]) -> list[Position]:
    """Every control's whole range, one control at a time, nearest to the defaults first."""
    home = tuple(c.default for c in grid)
    found = {home: 0}
    for place, control in enumerate(grid):
        for index in range(control.count):
            position = (*home[:place], index, *home[place + 1 :])
            found.setdefault(position, abs(index - home[place]))
    return sorted(found, key=lambda p: found[p])[:LONGEST_TOUR]


def telling_positions(grid: Sequence[GridControl]) -> list[Position]:
    """Both ends and every option of each control, the others at their defaults; all ends together; last, home."""
    home = tuple(c.default for c in grid)
    found = [tuple(c.telling()[0] for c in grid), tuple(c.telling()[-1] for c in grid)]
    for place, control in enumerate(grid):
        found += [(*home[:place], index, *home[place + 1 :]) for index in control.telling()]
    return [*(p for p in dict.fromkeys(found) if p != home), home]


def default_strip(grid: Sequence[GridControl], length: int = 4) -> list[Position]:
    """Even steps along the first slider; without one, the options of the first control."""
    if not grid:
        return []
    place = next((i for i, c in enumerate(grid) if c.kind == "slider"), 0)
    home = tuple(c.default for c in grid)
    count = grid[place].count
    length = min(length, count)
    indices = dict.fromkeys(round(i * (count - 1) / max(length - 1, 1)) for i in range(length))
    return [(*home[:place], i, *home[place + 1 :]) for i in indices]
