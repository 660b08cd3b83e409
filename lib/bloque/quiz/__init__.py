"""Quizzes worth answering: every option has its reason, and an answer may be tried again.

from bloque.quiz import quiz, score

quiz("lesson1")      # as the last line of a cell: the questions of lesson 1
score("lesson1")     # how it went
"""

from __future__ import annotations

import html
from typing import Any

from bloque.quiz.marks import as_html, as_plain
from bloque.quiz.questions import Question, Verdict, lessons, load
from bloque.quiz.shown import kind_note, note_html, shown_answer
from bloque.texts import text

__all__ = ["Question", "Quiz", "Score", "Verdict", "lessons", "quiz", "score", "shown_answer"]

_given: dict[tuple[str, str], Any] = {}  # answers live as long as the kernel does, whatever is shown again
_scores: dict[str, list[Any]] = {}  # the live score lines of a lesson


def quiz(lesson: str) -> Quiz:
    """The questions of a lesson, to be answered on the page. Raises ValueError when it has none."""
    return Quiz(lesson, load(lesson))


def score(lesson: str) -> Score:
    """How many questions of a lesson have been answered right so far."""
    return Score(lesson, load(lesson))


class Quiz:
    """Shows itself: live where widgets run, and as a page with folded answers where they do not."""

    def __init__(self, lesson: str, questions: list[Question]) -> None:
        self.lesson, self.questions = lesson, questions

    def answer(self, question: Question, given: Any) -> Verdict:
        """Judge an answer and remember it."""
        verdict = question.judge(given)
        if verdict.right is not None:
            _given[self.lesson, question.id] = given
        for line in _scores.get(self.lesson, ()):
            line.value = Score(self.lesson, self.questions).html()
        return verdict

    def widget(self) -> Any:
        """The live quiz."""
        import ipywidgets

        from bloque.explore.keys import Keys
        from bloque.quiz.widget import STYLE, QuestionView

        self.views = [
            QuestionView(question, i, _given.get((self.lesson, question.id)), self.answer) for i, question in enumerate(self.questions, 1)
        ]
        look = ipywidgets.HTML(STYLE, layout={"height": "0", "margin": "0"})
        box = ipywidgets.VBox([look, *(view.box for view in self.views), Keys()])
        box.add_class("bloque-quiz")
        return box

    def html(self) -> str:
        """The questions with their answers folded: for GitHub, for paper, for a kernel that is gone."""
        return f'<div class="bloque-quiz-stored">{"".join(self._question_html(i, q) for i, q in enumerate(self.questions, 1))}</div>'

    def _question_html(self, i: int, question: Question) -> str:
        asked = f"<p><strong>{i}.</strong> {as_html(question.ask)}{note_html(kind_note(question))}</p>"
        letters = {id: chr(ord("A") + place) for place, id in enumerate(question.options)}
        options = "".join(f"<li>{letters[id]}. {as_html(option)}</li>" for id, option in question.options.items())
        if options:
            asked += f'<ul style="list-style:none">{options}</ul>'
        return f"{asked}<details><summary>{text('quiz.answer_folded')}</summary>{_solution(question, letters)}</details>"

    def __repr__(self) -> str:
        lines = [text("quiz.plain", n=len(self.questions))]
        for i, question in enumerate(self.questions, 1):
            lines.append(f"{i}. {as_plain(question.ask)}")
            lines += [f"   {chr(ord('A') + place)}. {as_plain(option)}" for place, option in enumerate(question.options.values())]
        return "\n".join(lines)

    def _ipython_display_(self) -> None:
        _publish(self.widget, self.html(), repr(self))


class Score:
    """How it went, in words; the line moves while questions are answered."""

    def __init__(self, lesson: str, questions: list[Question]) -> None:
        self.lesson, self.questions = lesson, questions
        verdicts = [question.judge(_given.get((lesson, question.id))).right for question in questions]
        self.right = verdicts.count(True)
        self.total = len(questions)
        self.wrong = [i for i, verdict in enumerate(verdicts, 1) if verdict is False]
        self.open = [i for i, verdict in enumerate(verdicts, 1) if verdict is None]

    def __repr__(self) -> str:
        lines = [text("quiz.score", right=self.right, total=self.total)]
        if len(self.open) == self.total:
            lines.append(text("quiz.none_yet"))
        elif self.open:
            lines.append(text("quiz.still_open", numbers=", ".join(map(str, self.open))))
        if self.wrong:
            lines.append(text("quiz.try_again", numbers=", ".join(map(str, self.wrong))))
        if self.right == self.total:
            lines.append(text("quiz.all_right"))
        return " ".join(lines)

    def html(self) -> str:
        """The line as HTML, told to screen readers when it changes."""
        return f'<p role="status">{html.escape(repr(self), quote=False)}</p>'

    def _widget(self) -> Any:
        import ipywidgets

        line = ipywidgets.HTML(self.html())
        line.add_class("bloque-quiz")
        _scores.setdefault(self.lesson, []).append(line)
        del _scores[self.lesson][:-8]  # a cell run again and again leaves its old lines behind
        return line

    def _ipython_display_(self) -> None:
        _publish(self._widget, f'<div class="bloque-quiz-stored">{self.html()}</div>', repr(self))


def _solution(question: Question, letters: dict[str, str]) -> str:
    """What is right and why, and for each option that is wrong, why not."""
    if question.kind == "number":
        return f"<p><strong>{shown_answer(question)}</strong>. {as_html(question.why['right'])}</p>"
    if question.kind == "order":
        steps = "".join(
            f"<li>{as_html(question.options[id])}{' ' + as_html(question.why[id]) if id in question.why else ''}</li>"
            for id in question.right
        )
        after = f"<p>{as_html(question.why['right'])}</p>" if "right" in question.why else ""
        return f"<ol>{steps}</ol>{after}"
    items = "".join(
        f"<li>{'✓' if id in question.right else '✗'} {letters[id]}. {as_html(question.why[id])}</li>" for id in question.options
    )
    return f'<ul style="list-style:none">{items}</ul>'


def _publish(make_widget: Any, stored: str, plain: str) -> None:
    """The live widget, and the stored page as an output of its own, which the live one hides.

    In one bundle a notebook opened without its kernel would show "model not found" and nothing else.
    """
    from IPython.display import display

    from bloque.explore.outputs import publish_view

    try:
        view = make_widget()
    except ImportError:
        view = None
    if view is not None:
        publish_view(view.model_id)
    display({"text/html": stored, "text/plain": plain}, raw=True)
