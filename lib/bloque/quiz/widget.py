"""The quiz as ipywidgets: real radio buttons, boxes, menus and buttons, so the keyboard works everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from bloque.quiz.marks import as_html, as_plain
from bloque.quiz.questions import Question, Verdict
from bloque.quiz.shown import kind_note, note_html
from bloque.texts import text
from bloque.verdict import BAD, GOOD, OPEN

# Long options wrap instead of being cut off; while the live quiz stands, the stored one beside it is hidden.
STYLE = """<style>
.bloque-quiz .widget-radio-box { height: auto; width: 100%; }
.bloque-quiz .widget-radio-box label, .bloque-quiz .widget-checkbox label {
  white-space: normal; height: auto; width: auto; max-width: 72ch; line-height: 1.4; margin: 3px 0; overflow: visible; }
.bloque-quiz .widget-radio-box label { display: flex; align-items: center; }
.bloque-quiz .widget-radio-box input { order: -1; }
.bloque-quiz .widget-radio-box input, .bloque-quiz .widget-checkbox input { flex: none; }
.bloque-quiz .widget-radio, .bloque-quiz .widget-checkbox { width: 100%; height: auto; }
.bloque-quiz .widget-html-content { white-space: normal; line-height: 1.5; max-width: 75ch; }
.bloque-quiz :focus-visible { outline: 3px solid #0072B2 !important; outline-offset: 2px; } /* ipywidgets takes it from menus */
:is(.jp-mod-theme-dark, [data-jp-theme-light="false"]) .bloque-quiz :focus-visible { outline-color: #7CC4F5 !important; }
.jp-OutputArea:has(.bloque-quiz) .bloque-quiz-stored { display: none; }
</style>"""


class QuestionView:
    """One question on the page: what is asked, the controls, a button, and what comes of it."""

    def __init__(self, question: Question, number: int, given: Any, answered: Callable[[Question, Any], Verdict]) -> None:
        self.question, self.answered = question, answered
        heading = ipywidgets.HTML(f"<strong>{number}.</strong> {as_html(question.ask)}{note_html(kind_note(question))}")
        self.controls = self._controls()
        self.button = ipywidgets.Button(
            description=text("quiz.check"),
            tooltip=text("quiz.check_number", number=number),
            layout={"width": "auto", "align_self": "flex-start"},
        )
        self.button.on_click(lambda _: self.check())
        self.reply = ipywidgets.HTML()
        self.box = ipywidgets.VBox([heading, *self.controls, self.button, self.reply], layout={"margin": "0 0 14px 0"})
        if given is not None:
            self._put(given)
            self.tell(question.judge(given))
        if question.kind == "number":  # Enter, or leaving the field, is an answer too
            self.controls[0].observe(lambda _: self.check(), names="value")

    def _controls(self) -> list[Any]:
        question = self.question
        labels = {id: as_plain(option) for id, option in question.options.items()}
        wide = {"width": "100%", "max_width": "600px"}
        if question.kind == "number":
            return [
                ipywidgets.Text(
                    description=text("quiz.answer"),
                    continuous_update=False,
                    placeholder=text("quiz.number.placeholder"),
                    layout={"width": "280px"},
                )
            ]
        if question.kind == "several":
            return [ipywidgets.Checkbox(description=label, indent=False, layout={"width": "100%"}) for label in labels.values()]
        if question.kind == "order":
            entries = [(text("quiz.pick"), ""), *((label, id) for id, label in labels.items())]
            return [
                ipywidgets.Dropdown(options=entries, description=text("quiz.place", place=place + 1), layout=wide)
                for place in range(len(labels))
            ]
        return [ipywidgets.RadioButtons(options=[(label, id) for id, label in labels.items()], value=None, layout={"width": "100%"})]

    def value(self) -> Any:
        """The answer as it stands in the controls."""
        values = [control.value for control in self.controls]
        if self.question.kind == "several":
            return [id for id, ticked in zip(self.question.options, values, strict=True) if ticked]
        if self.question.kind == "order":
            return [value or None for value in values] if any(values) else []
        return values[0]

    def _put(self, given: Any) -> None:
        if self.question.kind == "several":
            for id, control in zip(self.question.options, self.controls, strict=True):
                control.value = id in given
        elif self.question.kind == "order":
            for id, control in zip(given, self.controls, strict=True):
                control.value = id
        else:
            self.controls[0].value = given

    def check(self) -> None:
        """Have the answer judged as it stands, and show what comes of it."""
        self.tell(self.answered(self.question, self.value()))

    def tell(self, verdict: Verdict) -> None:
        """Show a verdict below the question."""
        self.reply.value = verdict_html(verdict)


def verdict_html(verdict: Verdict) -> str:
    """A verdict and its reasons; the sign and the words say what the colour says."""
    colour = {True: GOOD, False: BAD, None: OPEN}[verdict.right]
    mark = {True: "✓ " + text("quiz.right"), False: "✗ " + text("quiz.wrong"), None: ""}[verdict.right]
    heading = f"<strong>{mark}</strong> " if mark else ""
    return (
        f'<div role="status" style="border-left:4px solid {colour};padding:.1em .8em;margin:.3em 0">'
        f"{heading}{' '.join(as_html(reason) for reason in verdict.reasons)}</div>"
    )
