"""The course keeps every rule."""

import pytest

from tests.notebooks.course import Course
from tests.notebooks.rules import RULES, Rule

COURSE = Course()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_course_keeps(rule: Rule) -> None:
    problems = rule(COURSE)
    assert not problems, f"{len(problems)} problems\n" + "\n".join(problems)
