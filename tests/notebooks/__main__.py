"""What the rules say of some notebooks, while one writes them: python -m tests.notebooks [NUMBER or FILE …]"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.notebooks.course import Course
from tests.notebooks.rules import RULES


def main(arguments: list[str]) -> int:
    numbers = {int(re.sub(r"^\D*", "", Path(argument).stem)[:2]) for argument in arguments}
    course = Course()
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
