"""The questions: read from one file a lesson, in every language at once, and judged."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from bloque.quiz.reading import Unreadable, as_thousands, read_number
from bloque.texts import language, languages, text

KINDS = ("one", "several", "number", "truth", "order")
Answer = Any  # the id of an option, a list of ids, or what was typed


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth; ``right`` is None when it was not an answer yet."""

    right: bool | None
    reasons: tuple[str, ...]  # Markdown


@dataclass(frozen=True)
class Question:
    """One question in every language; its texts are read in the language in force."""

    lesson: str
    id: str
    kind: str  # one of KINDS
    right: tuple[str, ...]  # option ids; of "order", the right order; of "number", empty
    texts: Mapping[str, Mapping[str, Any]]
    answer: float | None = None
    margin: float = 0.0
    proof: str | None = None

    @property
    def ask(self) -> str:
        """What is asked, in Markdown."""
        return self.texts[language()]["ask"]

    @property
    def why(self) -> Mapping[str, str]:
        """The reason behind each option, or behind "right" and "wrong", in Markdown."""
        return self.texts[language()]["why"]

    @property
    def options(self) -> dict[str, str]:
        """Option ids and their texts, shuffled, in the same way in every language and every run."""
        if self.kind == "number":
            return {}
        if self.kind == "truth":
            return {"true": text("quiz.true"), "false": text("quiz.false")}
        options = self.texts[language()]["options"]
        return {id: options[id] for id in self._shuffled(sorted(options))}

    def _shuffled(self, ids: Sequence[str]) -> list[str]:
        shuffled = list(ids)
        rng = random.Random(f"{self.lesson}/{self.id}")
        rng.shuffle(shuffled)
        while self.kind == "order" and tuple(shuffled) == self.right:  # else nothing would be left to do
            rng.shuffle(shuffled)
        return shuffled

    def judge(self, answer: Answer) -> Verdict:
        """Right or wrong, and why, option by option."""
        if answer in (None, "", []):
            return Verdict(None, (text("quiz.choose"),))
        return {"number": self._judge_number, "order": self._judge_order}.get(self.kind, self._judge_options)(answer)

    def _judge_options(self, answer: Answer) -> Verdict:
        chosen = [answer] if isinstance(answer, str) else list(answer)
        right = set(chosen) == set(self.right)
        reasons = [self.why[option] for option in self.options if option in chosen]
        if not right and set(chosen) < set(self.right):
            reasons.append(text("quiz.missing"))
        return Verdict(right, tuple(reasons))

    def _judge_order(self, answer: Answer) -> Verdict:
        if None in answer or len(set(answer)) < len(self.right):
            return Verdict(None, (text("quiz.places"),))
        right = tuple(answer) == self.right
        if "right" in self.why:
            return Verdict(right, (self.why["right" if right else "wrong"],))
        if right:
            return Verdict(True, tuple(self.why[option] for option in self.right))
        first = next(given for given, due in zip(answer, self.right, strict=True) if given != due)
        return Verdict(False, (text("quiz.first_misplaced", option=self.options[first]), self.why[first]))

    def _judge_number(self, answer: Answer) -> Verdict:
        assert self.answer is not None
        try:
            given = read_number(str(answer))
        except Unreadable as reason:
            return Verdict(None, (str(reason),))
        if self._near(given):
            return Verdict(True, (self.why["right"],))
        thousands = as_thousands(str(answer))
        if thousands is not None and self._near(thousands):
            return Verdict(None, (text("quiz.number.thousands", written=str(answer).strip()),))
        return Verdict(False, (self.why["wrong"],))

    def _near(self, given: float) -> bool:
        assert self.answer is not None
        return abs(given - self.answer) <= self.margin + 1e-9 * abs(self.answer)


def lessons() -> list[str]:
    """The lessons that have questions."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def load(lesson: str) -> list[Question]:
    """The questions of a lesson. Raises ValueError when it has none or one of them is malformed."""
    if lesson not in lessons():
        raise ValueError(text("quiz.unknown", lesson=repr(lesson), lessons=", ".join(lessons())))
    found = tomllib.loads((_folder() / f"{lesson}.toml").read_text(encoding="utf-8"))["question"]
    later = dict(_later_languages(lesson))  # a language that came later has files of its own: questions/<code>/<lesson>.toml
    for question in found:
        question.update({code: table[question["id"]] for code, table in later.items() if question["id"] in table})
    wrong = problems(found)
    if wrong:
        raise ValueError(f"{lesson}.toml: " + "; ".join(wrong))
    return [
        Question(
            lesson=lesson,
            id=question["id"],
            kind=question["kind"],
            right=tuple(question.get("right", ())),
            texts={code: question[code] for code in languages()},
            answer=question.get("answer"),
            margin=question.get("margin", 0.0),
            proof=question.get("proof"),
        )
        for question in found
    ]


def _later_languages(lesson: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for folder in _folder().iterdir():
        if folder.is_dir() and (folder / f"{lesson}.toml").is_file():
            yield folder.name, tomllib.loads((folder / f"{lesson}.toml").read_text(encoding="utf-8"))


def _folder() -> Any:
    return resources.files(__package__) / "questions"


def problems(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with the questions of a file, in words for their author."""
    wrong = [f"{question.get('id', '?')}: {problem}" for question in found for problem in _problems(question)]
    ids = [question.get("id") for question in found]
    return wrong + [f"{id}: two questions have this id" for id in sorted({str(i) for i in ids if ids.count(i) > 1})]


def _problems(question: Mapping[str, Any]) -> list[str]:
    kind = question.get("kind")
    if kind not in KINDS:
        return [f"kind must be one of {', '.join(KINDS)}, not {kind!r}"]
    wrong = []
    due = {"id", "kind", *languages(), *(("answer", "margin", "proof") if kind == "number" else ("right",))}
    if unknown := set(question) - due:
        wrong.append(f"unknown entries: {', '.join(sorted(unknown))}")
    if missing := due - set(question):
        return [*wrong, f"missing entries: {', '.join(sorted(missing))}"]
    right = question.get("right", [])
    sets = {code: set(question[code].get("options", {})) for code in languages()}
    if len({frozenset(options) for options in sets.values()}) > 1:
        wrong.append("the languages have different options")
    options = {"true", "false"} if kind == "truth" else next(iter(sets.values()))
    if kind == "truth" and any(sets.values()):
        wrong.append("a true-or-false question needs no options")
    if kind in ("one", "several", "order") and len(options) < 3:
        wrong.append("at least three options are needed")
    if kind in ("one", "truth") and len(right) != 1:
        wrong.append("exactly one option must be right")
    if kind == "several" and not 0 < len(right) < len(options):
        wrong.append("some options must be right and some wrong")
    if kind == "order" and set(right) != options:
        wrong.append("right must list every option once")
    if len(set(right)) < len(right) or not set(right) <= options:
        wrong.append(f"right names options that do not exist or names one twice: {right}")
    for code in languages():
        texts = question[code]
        if unknown := set(texts) - {"ask", "options", "why"}:
            wrong.append(f"{code}: unknown entries: {', '.join(sorted(unknown))}")
        why = set(texts.get("why", {}))
        fit = [{"right", "wrong"}] if kind == "number" else [set(options), {"right", "wrong"}] if kind == "order" else [set(options)]
        if why not in fit:
            wrong.append(f"{code}: why must have exactly {', '.join(sorted(fit[0]))}, not {', '.join(sorted(why))}")
        if not texts.get("ask") or not all({**texts.get("options", {}), **texts.get("why", {})}.values()):
            wrong.append(f"{code}: an empty text")
    return wrong
