"""The confusion matrix of the checks: what mistake was made, and what the check took it for.

python -m tests.checks.confusion        prints it whole
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from bloque.checks import check
from bloque.checks.catalogue import CATALOGUE

PASSED, UNNAMED = "(passed)", "(unnamed)"


@dataclass
class Confusion:
    """How often each mistake of each exercise got each diagnosis."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, exercise: str, mistake: str, candidate: Callable) -> None:
        result = check(exercise, candidate)
        self.counts[exercise, mistake, PASSED if result.passed else result.mistake or UNNAMED] += 1

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def passed(self) -> list[tuple[str, str]]:
        return [(exercise, made) for exercise, made, found in self.counts if found == PASSED]

    @property
    def named(self) -> int:
        return sum(n for (_, made, found), n in self.counts.items() if found in made.split("|"))

    def __str__(self) -> str:
        lines = [f"{'exercise':<22}{'mistake':<22}diagnosis"]
        for (exercise, made, found), n in self.counts.items():
            lines.append(f"{exercise:<22}{made:<22}{found} × {n}{'' if found in made.split('|') else '   <--'}")
        lines.append(f"{self.total} wrong answers, {self.total - len(self.passed)} rejected, {self.named} named right")
        return "\n".join(lines)


def of_the_catalogue(exercises: Iterable[str] = CATALOGUE) -> Confusion:
    """Every way to make every known mistake."""
    confusion = Confusion()
    for id in exercises:
        for mistake in CATALOGUE[id].mistakes:
            for candidate in CATALOGUE[id].variants(mistake):
                confusion.add(id, mistake, candidate)
    return confusion


def of_fresh_answers() -> Confusion:
    """Wrong answers written from the exercise texts alone."""
    from tests.checks.fresh_answers import WRONG

    confusion = Confusion()
    for exercise, mistake, candidate in WRONG:
        confusion.add(exercise, mistake, candidate)
    return confusion


if __name__ == "__main__":
    print(of_the_catalogue())
    print()
    print(of_fresh_answers())
