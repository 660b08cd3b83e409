"""What a check answers, and how it looks in a notebook."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from bloque.texts import text
from bloque.verdict import BAD, GOOD


@dataclass(frozen=True)
class Result:
    """The answer of `check`: whether it passed, which known mistake was recognised, and what to say."""

    passed: bool
    mistake: str | None
    message: str
    exercise: str = ""

    @property
    def heading(self) -> str:
        """The verdict in one line, with its mark."""
        return ("✓ " if self.passed else "✗ ") + text(
            "checks.heading.right" if self.passed else "checks.heading.wrong", exercise=self.exercise
        )

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return f"{self.heading}\n{self.message}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._html()}

    def _html(self) -> str:
        paragraphs = "".join(f'<p style="margin:.3em 0 0">{_marked(line)}</p>' for line in self.message.split("\n") if line)
        return (
            f'<div role="status" style="border-left:4px solid {GOOD if self.passed else BAD};'
            f'padding:.2em .8em;margin:.3em 0;max-width:70ch;line-height:1.5">'
            f"<strong>{_marked(self.heading)}</strong>{paragraphs}</div>"
        )


def _marked(line: str) -> str:
    """Plain text with `code` as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line, quote=False))
