"""What the rules say of some notebooks, while one writes them: python -m tests.notebooks [NUMBER or FILE …]"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.notebooks.course import Course
from tests.notebooks.rules import RULES


def main(arguments: list[str]) -> int:
    course = Course()
    found_numbers = [re.match(r"\d{1,2}", Path(argument).stem) for argument in arguments]
    numbers = {int(found[0]) for found in found_numbers if found}
    if not all(found_numbers) or not numbers <= set(course.numbers()):
        known = ", ".join(map(str, course.numbers()))
        print(f"no such lesson among {' '.join(arguments)}: give its number, or its file; there are {known}", file=sys.stderr)
        return 2
    if numbers:
        course.__dict__["notebooks"] = [notebook for notebook in course.notebooks if notebook.number in numbers]
        course.__dict__["scripts"] = [script for script in course.scripts if int(script.stem[:2]) in numbers]
    found = 0
    for rule in RULES:
        problems = rule(course)
        if problems:
            print(f"{rule.__name__.replace('_', ' ')}:")
            print("".join(f"  {problem}\n" for problem in problems), end="")
        found += len(problems)
    print(f"{found} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
