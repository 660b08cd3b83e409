"""Every rule that the notebooks keep. A rule takes a course folder and returns what is wrong, each with its place."""

from __future__ import annotations

from collections.abc import Callable

from tests.notebooks import exercises, language, links, lints, pairs, parity, results
from tests.notebooks.course import Course

Rule = Callable[[Course], list[str]]

RULES: list[Rule] = [*pairs.RULES, *parity.RULES, *results.RULES, *links.RULES, *lints.RULES, *exercises.RULES, *language.RULES]
