"""A quiz on a reading page: a form that quiz.js makes answer, and folded answers without JavaScript."""

from __future__ import annotations

import html
import json
import re

from bloque.quiz import Quiz, shown_answer
from bloque.quiz.marks import as_plain
from bloque.quiz.questions import Question
from bloque.quiz.shown import kind_note, note_html
from bloque.texts import text
from tools.site.markdown import Prose

WORDS = ("right", "wrong", "choose", "missing", "places", "first_misplaced", "score")
FAULTS = ("empty", "two_marks", "unreadable", "thousands")  # of a number that was typed


def quiz_html(quiz: Quiz, prose: Prose) -> str:
    """The whole quiz as one form; the reasons stand in templates, so that their formulas are set too."""
    fields = "".join(_field(question, place, prose) for place, question in enumerate(quiz.questions, 1))
    data = {
        "questions": [{"id": q.id, "kind": q.kind, "right": list(q.right), "answer": q.answer, "margin": q.margin} for q in quiz.questions],
        "words": {word: text(f"quiz.{word}") for word in WORDS} | {"number": {fault: text(f"quiz.number.{fault}") for fault in FAULTS}},
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
        f'<fieldset data-id="{question.id}"><legend>{place}. {_inline(prose, question.ask)}{note_html(_note(question))}</legend>'
        f'{_controls(question, name, prose)}<button type="button" class="action needs-js">{text("quiz.check")}</button>'
        f'<div class="reply" aria-live="polite"></div>{_folded(question, prose)}{reasons}</fieldset>'
    )


def _note(question: Question) -> str:
    """A step is given its place here; in a notebook a place is given its step."""
    return text("site.quiz.order") if question.kind == "order" else kind_note(question)


def _controls(question: Question, name: str, prose: Prose) -> str:
    if question.kind == "number":
        return f'<label>{text("quiz.answer")} <input type="text" inputmode="decimal" name="{name}" autocomplete="off"></label>'
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
    return f' aria-label="{html.escape(as_plain(told))}"' if re.fullmatch(r"\$[^$]+\$", told.strip()) else ""


def _place(told: str) -> str:
    return html.escape(text("site.quiz.place", option=as_plain(told)))


def _folded(question: Question, prose: Prose) -> str:
    """The answer and every reason, for whoever reads without JavaScript."""
    right = [shown_answer(question)] if question.kind == "number" else [_inline(prose, question.options[o]) for o in question.right]
    reasons = "".join(f"<li>{_inline(prose, why)}</li>" for why in question.why.values())
    return f'<details class="answer"><summary>{text("quiz.answer_folded")}</summary><p>{" · ".join(right)}</p><ul>{reasons}</ul></details>'


def _inline(prose: Prose, source: str) -> str:
    """Markdown of one paragraph without the paragraph round it."""
    return prose.render(source).strip().removeprefix("<p>").removesuffix("</p>")
