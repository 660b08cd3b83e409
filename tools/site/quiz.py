"""A quiz on a reading page: a form that quiz.js makes answer, and folded answers without JavaScript."""

from __future__ import annotations

import html
import json
import re

from bloque.quiz import Quiz
from bloque.quiz.questions import Question
from bloque.texts import text
from tools.site.markdown import Prose

WORDS = ("right", "wrong", "choose", "missing", "places", "unreadable", "score")


def quiz_html(quiz: Quiz, prose: Prose) -> str:
    """The whole quiz as one form; the reasons stand in templates, so that their formulas are set too."""
    fields = "".join(_field(question, place, prose) for place, question in enumerate(quiz.questions, 1))
    data = {
        "questions": [{"id": q.id, "kind": q.kind, "right": list(q.right), "answer": q.answer, "margin": q.margin} for q in quiz.questions],
        "words": {word: text(f"site.quiz.{word}") for word in WORDS},
    }
    told = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<form class="quiz" data-lesson="{quiz.lesson}">{fields}<p class="score needs-js" aria-live="polite"></p>'
        f'<script type="application/json" class="answers">{told}</script></form>'
    )


def _field(question: Question, place: int, prose: Prose) -> str:
    name = f"{question.lesson}-{question.id}"
    reasons = "".join(
        f'<template data-why="{html.escape(option)}">{_inline(prose, why)}</template>' for option, why in question.why.items()
    )
    return (
        f'<fieldset data-id="{question.id}"><legend>{place}. {_inline(prose, question.ask)}</legend>{_controls(question, name, prose)}'
        f'<button type="button" class="action needs-js">{text("site.quiz.check")}</button>'
        f'<div class="reply" aria-live="polite"></div>{_folded(question, prose)}{reasons}</fieldset>'
    )


def _controls(question: Question, name: str, prose: Prose) -> str:
    if question.kind == "number":
        label = text("site.quiz.number")
        return f'<label>{label} <input type="text" inputmode="decimal" name="{name}" autocomplete="off"></label>'
    if question.kind == "order":
        places = "".join(f"<option>{i}</option>" for i in range(1, len(question.options) + 1))
        return "".join(
            f'<label><select data-option="{option}" aria-label="{_place(told)}">{places}</select>'
            f"<span>{_inline(prose, told)}</span></label>"
            for option, told in question.options.items()
        )
    kind = "checkbox" if question.kind == "several" else "radio"
    return "".join(
        f'<label><input type="{kind}" name="{name}" value="{option}"{_spoken(told)}><span>{_inline(prose, told)}</span></label>'
        for option, told in question.options.items()
    )


def _spoken(told: str) -> str:
    """A name for an option that is a formula alone, which not every reader of screens can say."""
    return f' aria-label="{html.escape(_plain(told))}"' if re.fullmatch(r"\$[^$]+\$", told.strip()) else ""


def _place(told: str) -> str:
    return html.escape(text("site.quiz.place", option=_plain(told)))


def _folded(question: Question, prose: Prose) -> str:
    """The answer and every reason, for whoever reads without JavaScript."""
    right = [str(question.answer)] if question.kind == "number" else [_inline(prose, question.options[o]) for o in question.right]
    reasons = "".join(f"<li>{_inline(prose, why)}</li>" for why in question.why.values())
    return f'<details class="answer"><summary>{text("site.quiz.answer")}</summary><p>{" · ".join(right)}</p><ul>{reasons}</ul></details>'


def _inline(prose: Prose, source: str) -> str:
    """Markdown of one paragraph without the paragraph round it."""
    return prose.render(source).strip().removeprefix("<p>").removesuffix("</p>")


def _plain(source: str) -> str:
    """What a line of Markdown says, formulas without their backslashes and braces."""
    words = re.sub(r"\\(?:text|mathrm|operatorname|frac|tfrac|mathsf)|[`*$\\{}]", " ", source)
    return re.sub(r"\s+", " ", words).strip()
