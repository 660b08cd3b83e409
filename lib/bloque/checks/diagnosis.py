"""From what a wrong answer does to what its author should look at."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bloque.checks import values
from bloque.checks.exercise import Case, Exercise, Function
from bloque.checks.result import Result
from bloque.checks.runner import SECONDS, Deadline, Outcome, run
from bloque.texts import text

GENERAL = (
    "not_a_function",
    "stub",
    "arguments",
    "endless",
    "raises",
    "nothing",
    "prints",
    "writes_input",
    "zeros",
    "count",
    "swapped",
    "type",
    "integers",
    "extra_axis",
    "transposed",
    "shape",
    "not_finite",
    "sign",
    "factor",
)  # what can go wrong in any exercise; each has its text under checks.general

NUMPY_SAYS = {
    "places": r"broadcast",
    "inner": r"mismatch in its core dimension|not aligned",
    "power": r"'bitwise_xor' not supported|operand type\(s\) for \^",
}  # errors that come in English, by their words; each has its text under checks.numpy


def diagnose(exercise: Exercise, candidate: Any) -> Result:
    """Run the candidate on the cases of its exercise and say what came of it."""
    if not callable(candidate):
        if candidate is None or candidate is Ellipsis:
            return _wrong(exercise, "stub", _general("stub"))
        return _wrong(exercise, "not_a_function", _general("not_a_function", signature=exercise.signature))
    if not _takes(candidate, len(exercise.arguments)):
        given = len(exercise.arguments)
        return _wrong(exercise, "arguments", _general("arguments", signature=exercise.signature, n=given))
    return _Diagnosis(exercise, candidate).result()


@dataclass
class _Tried:
    """A case, what the candidate did with it, and how that differs from what is right."""

    case: Case
    outcome: Outcome
    expected: Any
    difference: values.Difference | None


class _Diagnosis:
    def __init__(self, exercise: Exercise, candidate: Function) -> None:
        self.exercise, self.candidate = exercise, candidate
        self.tried = self._try_out()
        self.wrong = [t for t in self.tried if t.difference is not None]

    def _try_out(self) -> list[_Tried]:
        """Every case up to the end of the first kind where something is wrong."""
        deadline = Deadline(SECONDS)
        right = (self.exercise.solution, *self.exercise.accepts)
        possible = list(range(len(right)))  # which right answer it may be following
        tried: list[_Tried] = []
        for _kind, cases in itertools.groupby(self.exercise.cases, key=lambda case: case.kind):
            for case in cases:
                outcome = run(self.candidate, case.args, deadline)
                expected = [run(right[i], case.args).value for i in possible]
                differences = [self._difference(outcome, e) for e in expected]
                agreeing = [i for i, d in zip(possible, differences, strict=True) if d is None]
                possible = agreeing or possible
                tried.append(_Tried(case, outcome, expected[0], None if agreeing else differences[0]))
                if outcome.endless:
                    return tried
            if any(t.difference is not None for t in tried):
                break
        return tried

    def _difference(self, outcome: Outcome, expected: Any) -> values.Difference | None:
        if outcome.endless or outcome.failure is not None:
            return values.Difference("failure")
        return values.difference(outcome.value, expected, self.exercise.tolerance)

    def result(self) -> Result:
        """What is first to be said: that it is right, or the likeliest reason why it is not."""
        if not self.wrong:
            wrote = next((t for t in self.tried if t.outcome.wrote), None)
            if wrote is None:
                return Result(True, None, self._praise(), self.exercise.id)
            return self._writes(wrote)
        for step in (self._unfinished, self._known, self._two_at_once, self._nearly, self._usual_suspects):
            found = step()
            if found is not None:
                return found
        return self._what_differs()

    def _praise(self) -> str:
        printed = any(t.outcome.printed for t in self.tried)
        right = text("checks.right", cases=len(self.tried))
        return f"{right} {text('checks.printed')}" if printed else right

    # ── before looking at numbers ─────────────────────────────────────────────────────────────────

    def _unfinished(self) -> Result | None:
        first = self.wrong[0]
        outcome = first.outcome
        if outcome.endless:
            return self._say("endless", first, seconds=int(SECONDS))
        if outcome.failure is not None:
            if outcome.failure.kind == "NotImplementedError" or "ellipsis" in outcome.failure.message.lower():
                return self._say("stub")
            if _blanks(self.candidate):  # whatever stopped it, the blanks come first
                return self._say("stub")
            return None
        if values.holds_ellipsis(outcome.value):
            return self._say("stub")
        if outcome.value is None:
            if outcome.printed:
                return self._say("prints", first)
            return self._say("stub" if _blanks(self.candidate) or _empty(self.candidate) else "nothing", first)
        if all(values.all_zero(t.outcome.value) and not values.all_zero(t.expected) for t in self.wrong):
            known = self._known()
            return known if known is not None else self._say("stub" if _blanks(self.candidate) else "zeros", first)
        return None

    # ── the known mistakes ────────────────────────────────────────────────────────────────────────

    def _known(self) -> Result | None:
        """The known mistake that does the same in every case tried."""
        for mistake in self.exercise.mistakes:
            for variant in self.exercise.variants(mistake):
                if all(self._alike(t, run(variant, t.case.args)) for t in self.tried):
                    return self._named(mistake)
        return None

    def _two_at_once(self) -> Result | None:
        """Two known mistakes together: the first is named, the other mentioned."""
        turns = [(m, v) for m, found in self.exercise.mistakes.items() for v in found if not callable(v)]
        for (first, one), (second, other) in itertools.combinations(turns, 2):
            if first == second or any(one[turn] != other[turn] for turn in set(one) & set(other)):
                continue
            both = self.exercise.variant({**one, **other})
            if all(self._alike(t, run(both, t.case.args)) for t in self.tried):
                message = f"{self._explained(first)} {self._where(self.wrong[0])} {text('checks.second')}"
                return _wrong(self.exercise, first, message)
        return None

    def _nearly(self) -> Result | None:
        """The known mistake that gives the same wrong numbers in at least half of the failing cases."""
        best, most = None, 0
        for mistake in self.exercise.mistakes:
            for variant in self.exercise.variants(mistake):
                alike = [t for t in self.wrong if t.outcome.failure is None and self._alike(t, run(variant, t.case.args))]
                if len(alike) > most and 2 * len(alike) >= len(self.wrong):
                    best, most = mistake, len(alike)
        return self._named(best) if best else None

    def _alike(self, tried: _Tried, other: Outcome) -> bool:
        mine, theirs = tried.outcome.failure, other.failure
        if mine is not None or theirs is not None:
            # the same words of NumPy's, whatever the sizes in them
            return mine is not None and theirs is not None and (mine.kind, mine.message[:30]) == (theirs.kind, theirs.message[:30])
        return values.difference(tried.outcome.value, other.value, self.exercise.tolerance, nan_is_nan=True) is None

    def _named(self, mistake: str) -> Result:
        return _wrong(self.exercise, mistake, f"{self._explained(mistake)} {self._where(self.wrong[0])}")

    def _explained(self, mistake: str) -> str:
        return self.exercise.explanation(mistake)

    # ── what can happen in any exercise ───────────────────────────────────────────────────────────

    def _usual_suspects(self) -> Result | None:
        first = self.wrong[0]
        failure = first.outcome.failure
        if failure is not None:
            line = text("checks.general.raises_line", line=failure.line, source=failure.source) if failure.line else ""
            result = self._say("raises", first, error=failure.kind, said=failure.message.rstrip("."), line=line)
            return replace(result, message=f"{_in_words(failure.message)}{result.message}")
        finished = [t for t in self.wrong if t.outcome.failure is None]
        tests: Sequence[tuple[str, Callable[[Any, Any, float], bool]]] = (
            ("count", values.wrong_count),
            ("swapped", values.swapped),
            ("type", values.not_numbers),
            ("integers", values.cut_to_integers),
            ("extra_axis", values.extra_axis),
            ("transposed", values.transposed),
        )
        for name, holds in tests:
            if all(holds(t.outcome.value, t.expected, self.exercise.tolerance) for t in finished):
                return self._say(name, first, **self._details(name, first))
        if first.difference is not None and first.difference.kind == "shape":
            return self._say("shape", first, yours=first.difference.yours, right=first.difference.right)
        if first.difference is not None and first.difference.kind == "nan":
            return self._say("not_finite", first)
        if first.outcome.wrote:
            return self._writes(first)
        if all(values.factor(t.outcome.value, t.expected, self.exercise.tolerance) == -1 for t in finished):
            return self._say("sign", first)
        return self._say("factor", first) if self._one_factor() else None

    def _one_factor(self) -> bool:
        """Whether the right numbers are multiplied by a factor that is the same in every case."""
        first = None
        for t in self.tried:
            if t.outcome.failure is not None or (t.difference is None and values.all_zero(t.expected)):
                continue
            factor = values.factor(t.outcome.value, t.expected, self.exercise.tolerance)
            first = factor if first is None else first
            if factor is None or first is None or abs(factor - first) > 1e-3 * abs(first):
                return False
        return first is not None

    def _details(self, name: str, tried: _Tried) -> dict[str, Any]:
        if name == "count":
            yours = len(tried.outcome.value) if isinstance(tried.outcome.value, tuple | list) else 1
            right = len(tried.expected) if isinstance(tried.expected, tuple) else 1
            return {"yours": yours, "right": right}
        if name == "type":
            return {"yours": values.type_name(tried.outcome.value)}
        if name == "extra_axis":
            return {"yours": values.shapes(tried.outcome.value), "right": values.shapes(tried.expected)}
        return {}

    def _writes(self, tried: _Tried) -> Result:
        names = ", ".join(f"`{self.exercise.arguments[i]}`" for i in tried.outcome.wrote)
        return self._say("writes_input", tried, names=names)

    def _what_differs(self) -> Result:
        first = self.wrong[0]
        assert first.difference is not None
        message = f"{first.difference.sentence()} {self._where(first)} {text('checks.look_again')}"
        return _wrong(self.exercise, None, message)

    def _say(self, general: str, tried: _Tried | None = None, **fields: Any) -> Result:
        message = _general(general, **fields)
        if tried is not None:
            message = f"{message} {self._where(tried)}"
        return _wrong(self.exercise, general, message)

    def _where(self, tried: _Tried) -> str:
        """The smallest input where it shows."""
        name = str(getattr(self.candidate, "__name__", ""))
        shown = values.written(self.exercise, name if name.isidentifier() else None, tried.case.args)
        return text("checks.where", input=shown)


def _general(name: str, **fields: Any) -> str:
    return text(f"checks.general.{name}", **fields)


def _in_words(said: str) -> str:
    """What an error of NumPy's means, in the reader's language and with a space behind; nothing for others."""
    return next((f"{text(f'checks.numpy.{kind}')} " for kind, words in NUMPY_SAYS.items() if re.search(words, said)), "")


def _wrong(exercise: Exercise, mistake: str | None, message: str) -> Result:
    return Result(False, mistake, message, exercise.id)


def _takes(candidate: Function, n: int) -> bool:
    """Whether it can be called with n arguments."""
    try:
        inspect.signature(candidate).bind(*range(n))
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature
        return True
    return True


def _tree(candidate: Function) -> ast.AST | None:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(candidate)))
    except (OSError, TypeError, SyntaxError):
        return None


def _blanks(candidate: Function) -> bool:
    """Whether `...` still stands where code should, which is not the `...` of an index."""
    tree = _tree(candidate)
    if tree is None:
        return False
    indices = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)}
    return any(isinstance(node, ast.Constant) and node.value is Ellipsis and id(node) not in indices for node in ast.walk(tree))


def _empty(candidate: Function) -> bool:
    """Whether the body is nothing but `pass` and a docstring."""
    tree = _tree(candidate)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] if tree else []
    return bool(functions) and all(
        isinstance(line, ast.Pass) or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)) for line in functions[0].body
    )
