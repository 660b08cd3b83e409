"""The questions of every lesson, and how they are read, judged, shown and counted."""

from __future__ import annotations

import copy
import html.parser
import json
import re
import shutil
import subprocess
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import bloque
from bloque import quiz as quizzes
from bloque.quiz import Quiz, lessons, quiz, score, shown_answer
from bloque.quiz.marks import UnknownMark, as_html, as_plain
from bloque.quiz.questions import KINDS, Question, load, problems
from bloque.quiz.reading import Unreadable, read_number
from bloque.quiz.shown import kind_note
from bloque.texts import THIN_SPACE, entry, languages, text
from tools.site.markdown import Prose
from tools.site.quiz import quiz_html

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = [question for lesson in lessons() for question in load(lesson)]
IDS = [f"{question.lesson}/{question.id}" for question in QUESTIONS]


@pytest.fixture(autouse=True)
def _fresh(monkeypatch):
    before = bloque.language()
    bloque.language("en")
    monkeypatch.setattr(quizzes, "_given", {})
    monkeypatch.setattr(quizzes, "_scores", {})
    yield
    bloque.language(before)


# ── the questions themselves ─────────────────────────────────────────────────


@pytest.mark.parametrize("lesson", lessons())
def test_every_lesson_asks_enough(lesson):
    assert len(load(lesson)) >= (1 if lesson == "lesson0" else 6)


def test_all_kinds_are_used():
    assert {question.kind for question in QUESTIONS} == set(KINDS)


def test_the_right_one_is_not_always_first():
    places = Counter(list(q.options).index(q.right[0]) for q in QUESTIONS if q.kind == "one")
    assert max(places.values()) <= 0.6 * places.total()
    assert not any(tuple(q.options) == q.right for q in QUESTIONS if q.kind == "order")


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.kind == "number"], ids=lambda q: f"{q.lesson}/{q.id}")
def test_numbers_are_computed(question):
    computed = float(eval(question.proof, {"np": np, "bloque": bloque}))
    assert abs(computed - question.answer) <= max(question.margin, 1e-9 * abs(question.answer))
    assert question.judge(repr(question.answer)).right
    assert question.judge(repr(question.answer + 2 * question.margin + abs(question.answer) / 50 + 1e-9)).right is False


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_every_text_can_be_shown(question, code):
    bloque.language(code)
    for source in (question.ask, *question.options.values(), *question.why.values()):
        for shown in (as_html(source), as_plain(source)):
            assert "$" not in shown
            assert "\\" not in shown
        check_html(as_html(source))


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_the_right_answer_is_right_and_the_others_are_explained(question):
    if question.kind == "number":
        return
    good = list(question.right) if question.kind in ("several", "order") else question.right[0]
    assert question.judge(good).right
    if question.kind in ("one", "truth"):
        for option in set(question.options) - set(question.right):
            verdict = question.judge(option)
            assert verdict.right is False
            assert verdict.reasons == (question.why[option],)
    if question.kind == "several":  # all or nothing
        assert question.judge(good[:-1] or [next(o for o in question.options if o not in good)]).right is False
        assert question.judge(list(question.options)).right is False
    if question.kind == "order":
        assert question.judge(good[::-1]).right is False
        assert question.judge([good[0]] * len(good)).right is None


def test_the_schema_finds_each_kind_of_fault():
    found = tomllib.loads((resources.files("bloque.quiz") / "questions" / "lesson1.toml").read_text(encoding="utf-8"))["question"]
    assert problems(found) == []
    one = next(q for q in found if q["kind"] == "one")
    number = next(q for q in found if q["kind"] == "number")
    faults = [
        (one, lambda q: q.pop("es")),
        (one, lambda q: q.update(kind="guess")),
        (one, lambda q: q.update(right=["z"])),
        (one, lambda q: q.update(right=list(q["en"]["options"]))),
        (one, lambda q: q["en"]["why"].pop(q["right"][0])),
        (one, lambda q: q["en"]["options"].pop(q["right"][0])),
        (one, lambda q: q["es"].update(ask="")),
        (one, lambda q: q["es"].update(hint="?")),
        (one, lambda q: q.update(answer=3)),
        (number, lambda q: q.pop("proof")),
        (number, lambda q: q["en"]["why"].pop("wrong")),
    ]
    for question, spoil in faults:
        spoiled = copy.deepcopy(question)
        spoil(spoiled)
        assert problems([spoiled]), spoil
    assert any("two questions" in problem for problem in problems([one, one]))


def test_each_file_of_questions_is_read_once(monkeypatch):
    read = []
    monkeypatch.setattr("bloque.quiz.questions._later_languages", lambda lesson: read.append(lesson) or iter(()))
    assert len(load("lesson1")) > 1
    assert read == ["lesson1"]


def test_the_order_of_options_is_the_same_in_every_language_and_run():
    for question in QUESTIONS:
        orders = set()
        for code in languages():
            bloque.language(code)
            orders.add(tuple(question.options))
        assert len(orders) == 1


# ── reading numbers ──────────────────────────────────────────────────────────


ACCEPTED = {
    "0,5": 0.5,
    "0.5": 0.5,
    " 0,5 ": 0.5,
    ".5": 0.5,
    "5.": 5,
    "+5": 5,
    "-2": -2,
    "−2,25": -2.25,
    "–2": -2,
    "1 048 576": 1048576,
    "1\u202f048\u202f576": 1048576,
    "1\u00a0048\u2009576": 1048576,
    "1'000": 1000,
    "1’000": 1000,
    "4096": 4096,
    "1e-3": 1e-3,
    "1.7e−5": 1.7e-5,
    "−1.7e–5": -1.7e-5,
    "2,5E3": 2500,
    "3·10^-4": 3e-4,
    "3·10^(−4)": 3e-4,
    "2x10^3": 2000,
    "2 × 10^3": 2000,
    "2*10^+3": 2000,
    "3·10-4": 3e-4,
    "2.0001": 2.0001,
    "1e-999": 0,
}  # fmt: skip
REFUSED = {
    "   ": "empty",
    "1.234,5": "two_marks",
    "1,234.5": "two_marks",
    "1.048.576": "two_marks",
    "0..5": "two_marks",
    "abc": "unreadable",
    "1/4": "unreadable",
    "50 %": "unreadable",
    "nan": "unreadable",
    "inf": "unreadable",
    "Infinity": "unreadable",
    "0x10": "unreadable",
    "1_000": "unreadable",
    "1e999": "unreadable",
    "--2": "unreadable",
    "1\t000": "unreadable",
    "2x100": "unreadable",  # two hundred, and not 2·10⁰
    "2x103": "unreadable",
    "10^3": "unreadable",
    "٣": "unreadable",
    "e5": "unreadable",
    ".": "unreadable",
    "<b>5</b>": "unreadable",
}  # fmt: skip


@pytest.mark.parametrize(("written", "number"), ACCEPTED.items())
def test_numbers_are_read_as_people_write_them(written, number):
    assert read_number(written) == pytest.approx(number, rel=1e-12, abs=0)


@pytest.mark.parametrize(("written", "fault"), REFUSED.items())
def test_what_could_be_two_numbers_or_none_is_explained(written, fault):
    with pytest.raises(Unreadable) as reason:
        read_number(written)
    assert str(reason.value) == text(f"quiz.number.{fault}", written=written.strip())


def asking_for(answer, margin=0):
    """A question for a number, and nothing more."""
    texts = {code: {"ask": "?", "why": {"right": "yes", "wrong": "no"}} for code in languages()}
    return Question("lesson1", "n", "number", (), texts, answer=answer, margin=margin)


JUDGED = [  # answer, margin, what is written, right, and what is said where it is neither
    (10000, 0, "10000", True, None),
    (10000, 0, "10 000", True, None),
    (10000, 0, "10.000", None, "thousands"),
    (10000, 0, "10,000", None, "thousands"),
    (10000, 0, "10.001", False, None),
    (10000, 0, "1e4", True, None),
    (-10000, 0, "-10.000", False, None),
    (500, 0, "0.500", False, None),
    (12.345, 0, "12,345", True, None),
    (12345, 1, "12.346", None, "thousands"),
    (0.0099, 0.00005, "0,00994", True, None),
    (0.0099, 0.00005, "0,00996", False, None),
    (0.0099, 0.00005, "9.9·10^-3", True, None),
]


@pytest.mark.parametrize(("answer", "margin", "written", "right", "fault"), JUDGED)
def test_a_mark_for_thousands_is_neither_right_nor_wrong(answer, margin, written, right, fault):
    verdict = asking_for(answer, margin).judge(written)
    assert verdict.right is right
    if fault:
        assert verdict.reasons == (text(f"quiz.number.{fault}", written=written),)


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_the_pages_of_the_site_read_and_judge_numbers_alike():
    """The same spellings through the JavaScript of a page: the same numbers, faults and verdicts."""
    source = (ROOT / "tools" / "site" / "assets" / "quiz.js").read_text(encoding="utf-8")
    program = """
        const { source, written, judged } = JSON.parse(require("fs").readFileSync(0, "utf-8"));
        import("data:text/javascript," + encodeURIComponent(source)).then(({ readNumber, judgeNumber }) => {
            const verdicts = judged.map(([answer, margin, typed]) => judgeNumber({ answer, margin }, typed));
            console.log(JSON.stringify({ read: written.map(readNumber), verdicts }));
        });
    """
    given = json.dumps({"source": source, "written": [*ACCEPTED, *REFUSED], "judged": JUDGED})
    answered = subprocess.run(["node", "-e", program], input=given, capture_output=True, encoding="utf-8", check=True)
    found = json.loads(answered.stdout)
    assert dict(zip([*ACCEPTED, *REFUSED], found["read"], strict=True)) == {
        **{written: {"number": number} for written, number in ACCEPTED.items()},
        **{written: {"fault": fault} for written, fault in REFUSED.items()},
    }
    assert [(v["right"], v.get("fault")) for v in found["verdicts"]] == [(right, fault) for *_, right, fault in JUDGED]


@pytest.mark.parametrize(("margin", "said"), [(0.00005, "0.00005"), (0.05, "0.05"), (1, "1"), (0.5, "0.5"), (20.0, "20")])
def test_a_margin_is_said_in_plain_digits(margin, said):
    assert f"±{said}." in kind_note(asking_for(3.0, margin))


# ── a notebook and a page of the site ────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "shown"),
    [(8, "8"), (65536, f"65{THIN_SPACE}536"), (1234567.25, f"1{THIN_SPACE}234{THIN_SPACE}567.25"), (-0.00004, "−0.00004"), (2.0, "2")],
)
def test_an_answer_is_shown_whole_and_alike_in_a_notebook_and_on_a_page(answer, shown):
    one = Quiz("lesson1", [asking_for(answer, margin=0.5)])
    assert shown_answer(one.questions[0]) == shown
    assert f"<strong>{shown}</strong>" in one.html()
    page = quiz_html(one, Prose())
    assert f"<p>{shown}</p>" in page
    assert text("quiz.note.margin", margin="0.5") in one.html()
    assert text("quiz.note.margin", margin="0.5") in page


@pytest.mark.parametrize("lesson", lessons())
def test_a_page_says_what_each_kind_of_question_asks_for(lesson, each_language):
    shown = quiz(lesson)
    fields = quiz_html(shown, Prose()).split("<fieldset")[1:]
    for question, field in zip(shown.questions, fields, strict=True):
        assert (text("site.quiz.order") if question.kind == "order" else kind_note(question)) in field.split("</legend>")[0]


def test_a_page_has_every_word_that_its_script_says_and_no_text_is_left_over(each_language):
    script = (ROOT / "tools" / "site" / "assets" / "quiz.js").read_text(encoding="utf-8")
    page = quiz_html(quiz("lesson1"), Prose())
    words = json.loads(page.partition('class="answers">')[2].partition("</script>")[0])["words"]
    assert set(words["number"]) == {*REFUSED.values(), "thousands"}
    for word in set(words) - {"number"}:
        assert f"words.{word}" in script
        assert words[word] == text(f"quiz.{word}")
    builder = (ROOT / "tools" / "site" / "quiz.py").read_text(encoding="utf-8")
    assert [key for key in entry("site.quiz") if f"site.quiz.{key}" not in builder] == []


# ── formulas ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("$p_3$ and $e^{-c}$", "p₃ and e^(−c)"),
        (r"$\sqrt{d_k}$", "√dₖ"),
        (r"$\partial p_1 / \partial z_1$", "∂p₁ / ∂z₁"),
        (r"$\frac{1}{n-1}$ of **all**", "1/(n−1) of all"),
        (r"$J = \operatorname{diag}(p) - p p^{\mathsf T}$", "J = diag(p) − p pᵀ"),
        (r"`x_1` stays", "x_1 stays"),
    ],
)
def test_formulas_in_plain_text(source, plain):
    assert as_plain(source) == plain


def test_formulas_in_html():
    assert as_html("$p_3 < 1$ *so*") == "p<sub>3</sub> &lt; 1 <em>so</em>"


def test_too_much_tex_is_refused():
    for source in (r"$\begin{matrix}$", "$a_$", "${a$"):
        with pytest.raises(UnknownMark):
            as_plain(source)


# ── on the page ──────────────────────────────────────────────────────────────


class Balanced(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_html(source):
    parser = Balanced()
    parser.feed(source)
    assert parser.open == []


@pytest.mark.parametrize("lesson", lessons())
def test_the_stored_quiz_shows_every_question_with_its_answer_folded(lesson):
    stored = quiz(lesson).html()
    check_html(stored)
    assert stored.count("<details>") == len(load(lesson))
    assert "<script" not in stored
    assert quiz(lesson).html() == stored
    outside = "".join(part.split("</details>")[-1] for part in stored.split("<details>"))
    for question in load(lesson):
        assert as_html(question.ask) in outside
        for reason in question.why.values():
            assert as_html(reason) not in outside


def view_of(shown: Quiz, kind: str):
    shown.widget()
    return next(view for view in shown.views if view.question.kind == kind)


def answer(view, given):
    view._put(given)
    view.button.click()


def test_answers_are_judged_kept_and_tried_again():
    shown = quiz("lesson1")
    view = view_of(shown, "one")
    view.button.click()
    assert "before you check" in view.reply.value
    wrong = next(option for option in view.question.options if option not in view.question.right)
    answer(view, wrong)
    assert "✗" in view.reply.value
    assert as_html(view.question.why[wrong]) in view.reply.value
    assert score("lesson1").wrong == [shown.questions.index(view.question) + 1]
    answer(view, view.question.right[0])
    assert "✓" in view.reply.value
    assert score("lesson1").right == 1

    again = view_of(quiz("lesson1"), "one")  # the cell run once more, in the other language too
    assert again.value() == view.question.right[0]
    assert "✓" in again.reply.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_answered_in_its_widgets(kind):
    lesson = next(q.lesson for q in QUESTIONS if q.kind == kind)
    view = view_of(quiz(lesson), kind)
    question = view.question
    good = {"number": lambda: str(question.answer), "several": lambda: list(question.right), "order": lambda: list(question.right)}
    answer(view, good.get(kind, lambda: question.right[0])())
    assert "✓" in view.reply.value, view.reply.value
    assert score(lesson).right == 1


def test_no_label_holds_a_formula():
    for lesson in lessons():
        shown = quiz(lesson)
        shown.widget()
        for view in shown.views:
            for control in view.controls:
                labels = [control.description, *(label for label, _ in getattr(control, "options", ()))]
                assert not [label for label in labels if re.search(r"[$\\]", label)]


def test_the_score_line_moves_with_the_answers():
    line = score("lesson1")._widget()
    assert "0 of" in line.value
    view = view_of(quiz("lesson1"), "one")
    answer(view, view.question.right[0])
    assert "1 of" in line.value


def test_all_right():
    shown = quiz("lesson1")
    for question in shown.questions:
        given = {"number": lambda q: str(q.answer), "several": lambda q: list(q.right), "order": lambda q: list(q.right)}
        assert shown.answer(question, given.get(question.kind, lambda q: q.right[0])(question)).right
    assert "All of them right" in repr(score("lesson1"))


def test_an_unknown_lesson():
    with pytest.raises(ValueError, match="lesson1"):
        quiz("lesson99")
