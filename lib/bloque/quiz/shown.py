"""What is written beside a question wherever it is shown: live, stored in a notebook, or on a page of the site."""

from __future__ import annotations

from decimal import Decimal

from bloque.quiz.questions import Question
from bloque.texts import number, text


def shown_answer(question: Question) -> str:
    """The answer to a question that asks for a number, as the course writes it."""
    assert question.answer is not None
    return _in_full(question.answer)


def kind_note(question: Question) -> str:
    """What the kind of question asks of the reader, where it does not go without saying."""
    if question.kind == "several":
        return text("quiz.note.several")
    if question.kind == "order":
        return text("quiz.note.order")
    if question.kind == "number" and question.margin:
        return text("quiz.note.margin", margin=_in_full(question.margin))
    return text("quiz.note.exact") if question.kind == "number" else ""


def note_html(note: str) -> str:
    """A note behind what is asked; nothing where there is none."""
    return f" <em>{note}</em>" if note else ""


def _in_full(value: float) -> str:
    """All the digits of a number and no more, without an exponent: 0.00005 reads better here than 5e−5."""
    decimals = -int(Decimal(repr(value)).normalize().as_tuple().exponent)
    return number(value, max(decimals, 0))
