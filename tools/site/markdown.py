"""Markdown cells to HTML: the same prose, formulas set by KaTeX at build time, links to pages."""

from __future__ import annotations

import html
import json
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

PLACEHOLDER = "\x02{}\x03"


def code_html(source: str, language: str = "python") -> str:
    """Source code with its syntax marked by classes."""
    try:
        lexer = get_lexer_by_name(language)
    except ValueError:
        lexer = get_lexer_by_name("text")
    return highlight(source, lexer, HtmlFormatter(cssclass="code", wrapcode=True))


def heading_id(title: str) -> str:
    """The anchor JupyterLab gives a heading: its words joined by hyphens, accents and case kept."""
    return re.sub(r"\s+", "-", re.sub(r"[`*_$\\{}]", "", title).strip())


class Prose:
    """Renders Markdown, putting every formula aside until they are all set in one go."""

    def __init__(self, relink: Callable[[str], str] = lambda address: address) -> None:
        self.formulas: list[dict[str, str | bool]] = []
        self.relink = relink
        self.headings: list[tuple[int, str, str]] = []
        self.parser = MarkdownIt("commonmark", {"html": True, "highlight": self._highlight}).enable("table")
        self.parser.use(dollarmath_plugin, allow_space=False, double_inline=True, renderer=self._formula)

    def _formula(self, tex: str, options: dict[str, bool]) -> str:
        self.formulas.append({"tex": tex, "display": options.get("display_mode", False)})
        return PLACEHOLDER.format(len(self.formulas) - 1)

    @staticmethod
    def _highlight(source: str, language: str, attributes: str) -> str:
        return code_html(source, language or "text")

    def render(self, source: str) -> str:
        """HTML of one cell, formulas still as placeholders (see ``finish``)."""
        tokens = self.parser.parse(source)
        for position, token in enumerate(tokens):
            if token.type == "heading_open":
                title = tokens[position + 1].content
                anchor = heading_id(title)
                token.attrSet("id", anchor)
                self.headings.append((int(token.tag[1]), title, anchor))
            self._relink(token)
        return self.parser.renderer.render(tokens, self.parser.options, {})

    def _relink(self, token: Token) -> None:
        for child in token.children or []:
            if child.type == "link_open":
                child.attrSet("href", self.relink(str(child.attrGet("href"))))
        if token.type in ("html_block", "html_inline"):
            token.content = re.sub(r'href="([^"]+)"', lambda m: f'href="{html.escape(self.relink(m[1]))}"', token.content)

    def finish(self, page: str, katex: Path, script: Path) -> str:
        """Put the formulas, all set in one call of KaTeX, in their places."""
        if not self.formulas:
            return page
        answer = subprocess.run(
            ["node", str(script), str(katex)], input=json.dumps(self.formulas), capture_output=True, text=True, encoding="utf-8"
        )
        if answer.returncode:
            raise SystemExit(f"KaTeX refused a formula:\n{answer.stderr[-2000:]}")
        rendered: Sequence[str] = json.loads(answer.stdout)
        return re.sub("\x02(\\d+)\x03", lambda m: rendered[int(m[1])], page)
