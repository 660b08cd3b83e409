"""Every known mistake is rejected and named as itself; no right answer is refused; every text is there."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import bloque
from bloque.checks import check, exercise, exercises, hint
from bloque.checks.catalogue import CATALOGUE
from bloque.checks.diagnosis import GENERAL
from bloque.checks.runner import run
from bloque.checks.values import difference
from bloque.texts import entry, languages, text
from tests.checks.confusion import of_fresh_answers, of_the_catalogue
from tests.checks.fresh_answers import RIGHT as FRESH_RIGHT
from tests.checks.right_answers import RIGHT

EXPECTED = {
    *("softmax", "softmax_jacobian", "temperature", "scores", "attention", "split_heads", "merge_heads", "multi_head_attention"),
    *("layer_norm", "residual_gradient", "post_norm_block", "pre_norm_block", "feed_forward", "causal_mask", "masked_attention"),
    *("positional_encoding", "count_parameters"),
}


def test_the_course_has_its_exercises():
    assert set(exercises()) >= EXPECTED
    assert len(exercises()) >= 18
    assert {exercise(id).lesson for id in exercises()} >= {1, 2, 3, 4, 5}
    assert all(exercise(id).difficulty in (1, 2, 3) and exercise(id).minutes > 0 for id in exercises())
    assert exercises(3) == [id for id in exercises() if exercise(id).lesson == 3]


def test_confusion_of_the_known_mistakes():
    confusion = of_the_catalogue()
    print(confusion)
    assert confusion.passed == []
    assert confusion.named >= 0.95 * confusion.total
    assert [id for id in exercises() if len(exercise(id).mistakes) < 5] == []  # an exercise knows at least five mistakes


def test_confusion_of_answers_written_from_the_texts_alone():
    confusion = of_fresh_answers()
    print(confusion)
    assert confusion.total >= 40
    assert confusion.passed == []
    assert confusion.named >= 0.8 * confusion.total


@pytest.mark.parametrize("id", exercises())
def test_right_answers_of_every_style_pass(id):
    assert len(RIGHT.get(id, ())) >= 4, f"{id}: four right answers in tests/checks/right_answers.py"
    for candidate in (CATALOGUE[id].solution, CATALOGUE[id].family, *RIGHT[id]):
        result = check(id, candidate)
        assert result.passed, (candidate, result.message)
        assert result.mistake is None
        assert result.message not in ("", "None")


def test_fresh_right_answers_pass():
    assert len(FRESH_RIGHT) >= 20
    refused = [(id, candidate.__name__, check(id, candidate).message) for id, candidate in FRESH_RIGHT if not check(id, candidate)]
    assert refused == []


@pytest.mark.parametrize("id", exercises())
def test_two_mistakes_at_once_are_rejected(id):
    """Whatever two known mistakes are made together, unless together they cancel out and nothing is wrong."""
    ex = exercise(id)
    usual = [(mistake, ways[0]) for mistake, ways in ex.mistakes.items() if not callable(ways[0])]
    pairs = [
        (first, one, second, other)
        for (first, one), (second, other) in itertools.combinations(usual, 2)
        if all(one[turn] == other[turn] for turn in set(one) & set(other))
    ]
    tried = 0
    for first, one, second, other in pairs[:: max(1, len(pairs) // 4)]:  # a few, from all over the list
        both = ex.variant({**one, **other})
        if all(difference(run(both, c.args).value, run(ex.solution, c.args).value, ex.tolerance) is None for c in ex.cases):
            continue
        result = check(id, both)
        assert not result.passed, (first, second)
        assert result.message
        tried += 1
    assert tried or not pairs


@pytest.mark.parametrize("id", exercises())
@pytest.mark.parametrize("factor", [1.01, 0.99, 1 + 1e-9])
def test_tolerance(id, factor):
    def scaled(*args):
        value = exercise(id).solution(*args)
        return tuple(part * factor for part in value) if isinstance(value, tuple) else value * factor

    if id == "causal_mask":
        return  # has no numbers to scale
    if factor == 1 + 1e-9 and id == "count_parameters":
        return  # counts are exact
    assert check(id, scaled).passed == (factor == 1 + 1e-9)


@pytest.mark.parametrize("id", exercises())
def test_stubs_and_zeros_get_a_friendly_hint(id):
    n = len(exercise(id).arguments)

    def zeros(*args):
        value = exercise(id).solution(*args)
        return tuple(np.zeros_like(part) for part in value) if isinstance(value, tuple) else np.zeros_like(value)

    namespace: dict = {}
    exec(f"def dots({', '.join('abcdefgh'[:n])}):\n    return ...\ndef nothing({', '.join('abcdefgh'[:n])}):\n    pass", namespace)
    for candidate, mistakes in (
        (None, {"stub"}),
        (..., {"stub"}),
        (namespace["dots"], {"stub"}),
        (namespace["nothing"], {"stub", "nothing"}),
        (zeros, {"zeros", "everything", "summed_up", "integers", "type"}),
        (3.0, {"not_a_function"}),
        (lambda: 0, {"arguments"}),
    ):
        result = check(id, candidate)
        assert not result.passed
        assert result.mistake in mistakes, (candidate, result)


@pytest.mark.parametrize("code", languages())
def test_texts_and_mistakes_are_the_same_in_every_language(code):
    before = bloque.language()
    bloque.language(code)
    try:
        assert set(entry("checks.exercise")) == set(exercises())
        assert set(entry("checks.general")) - {"raises_line"} == set(GENERAL)
        for id in exercises():
            assert set(entry(f"checks.exercise.{id}.mistakes")) == set(exercise(id).mistakes), id
            assert exercise(id).title
            assert f"`{exercise(id).signature}`" in exercise(id).task
            assert len(exercise(id).hints) == 3, f"{id} needs three hints in {code}"
            assert text("checks.hint", step=2, steps=3) in repr(hint(id, 2))
    finally:
        bloque.language(before)


@pytest.mark.parametrize("code", languages())
def test_messages_are_short_and_show_the_smallest_input(code):
    before = bloque.language()
    bloque.language(code)
    try:
        for id in exercises():
            for mistake in list(exercise(id).mistakes)[languages().index(code) :: 2 * len(languages())]:
                message = check(id, exercise(id).variants(mistake)[0]).message
                shown = ("np.array(" in message, text("checks.array", name="", shape="") in message, re.search(r"`[\d., e-]+`", message))
                assert any(shown), (id, mistake, message)
                sentences = [s for s in message.replace("…", "").split(". ") if s]
                assert 2 <= len(sentences) <= 5, (id, mistake, message)
    finally:
        bloque.language(before)


@pytest.mark.parametrize("id", exercises())
def test_the_input_of_a_message_can_be_pasted_and_shows_the_mistake(id):
    """It calls the learner's own function; too large an input, or one with a function in it, is told in words."""
    for mistake, ways in exercise(id).mistakes.items():
        wrong = exercise(id).variant(ways[0])

        def mine(*args, wrong=wrong):
            return wrong(*args)

        message = check(id, mine).message
        pasted = re.search(r"`(mine\(.*?\))`", message)
        if pasted is None:
            assert f"{exercise(id).arguments[0]} {text('checks.array', name='', shape='(').strip()}" in message, (mistake, message)
            assert f"{id}(" not in message
            continue
        calls = {
            name: eval(pasted[1], {"np": np, "mine": lambda *args, of=of: run(of, args)})
            for name, of in (("is", wrong), ("be", exercise(id).solution))
        }
        found, right = calls["is"], calls["be"]
        assert found.failure or difference(found.value, right.value, exercise(id).tolerance) is not None, (mistake, message)


def test_an_unknown_exercise_is_named_with_its_neighbours():
    with pytest.raises(ValueError, match="softmax"):
        check("sofmax", lambda z: z)
