"""Whatever a candidate does, the check answers: it raises, runs for ever, prints, writes, returns odd things."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import bloque
from bloque.checks import check, hint, runner
from bloque.checks import diagnosis as diagnosing
from bloque.checks.result import Result
from bloque.checks.runner import Deadline, TookTooLong, run
from bloque.texts import languages, text


@pytest.fixture(autouse=True)
def _english():
    before = bloque.language()
    bloque.language("en")
    yield
    bloque.language(before)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(diagnosing, "SECONDS", 0.2)


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def for_ever(scores):
    while True:
        pass


def for_ever_swallowing(scores):
    while True:
        try:
            scores = scores + 1
        except BaseException:  # what a deadline has to survive
            scores = scores - 1


def for_ever_below(scores):
    def helper(n):
        while n:
            n += 1

    return helper(1)


def for_ever_yielding(scores):
    while True:
        yield 1.0


def for_ever_printing(scores):
    while True:
        print("still here")


@pytest.mark.parametrize(
    "candidate", [for_ever, for_ever_swallowing, for_ever_below, for_ever_yielding, for_ever_printing], ids=lambda f: f.__name__
)
def test_endless_loops_are_stopped(candidate, short):
    start = time.monotonic()
    result = check("softmax", candidate)
    assert time.monotonic() - start < 3
    if candidate is not for_ever_yielding:  # that one is cut off after enough items, or by the deadline
        assert result.mistake == "endless"
    assert not result.passed


def test_endless_loops_are_stopped_in_a_thread(short):
    found = []
    thread = threading.Thread(target=lambda: found.append(check("softmax", for_ever_swallowing)))
    thread.start()
    thread.join(10)
    assert found
    assert found[0].mistake == "endless"


def test_the_trace_of_others_is_put_back():
    def other(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(other)
    try:
        check("softmax", softmax)
        during = sys.gettrace()
    finally:
        sys.settrace(before)
    assert during is other


def test_a_deadline_that_is_over_raises_at_the_next_line():
    deadline = Deadline(-1)

    def lines():
        return 1

    with pytest.raises(TookTooLong), deadline.watching():
        lines()


def test_the_work_of_other_threads_does_not_shorten_a_deadline(monkeypatch):
    monkeypatch.setattr(runner, "PATIENCE", 1000)
    before = time.process_time()

    def busy():  # a training, say, or frames drawn ahead
        while time.process_time() < before + 0.5:
            np.linalg.norm(np.ones(1000))

    other = threading.Thread(target=busy)
    with Deadline(0.2).watching():
        other.start()
        while other.is_alive():
            other.join(0.1)


def test_an_exception_is_shown_as_the_authors_own():
    def candidate(scores):
        half = len(scores) // 2
        return scores[half + 100]

    result = check("softmax", candidate)
    assert result.mistake == "raises"
    assert "IndexError" in result.message
    assert "`return scores[half + 100]`" in result.message
    assert __file__ not in result.message
    assert "runner" not in result.message


def test_an_exception_inside_numpy_points_to_the_authors_line():
    def candidate(scores):
        return np.linalg.inv(scores)

    result = check("softmax", candidate)
    assert "`return np.linalg.inv(scores)`" in result.message


@pytest.mark.parametrize("stop", [SystemExit, RecursionError, MemoryError, GeneratorExit])
def test_exits_are_answers_too(stop):
    def candidate(scores):
        raise stop("stop")

    assert check("softmax", candidate).mistake == "raises"


def test_the_reader_may_interrupt():
    def candidate(scores):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("softmax", candidate)


def test_addresses_do_not_reach_the_message():
    def candidate(scores):
        raise ValueError(f"{object()}")

    assert "0x…" in check("softmax", candidate).message


def test_printing_is_kept_out_and_mentioned(capsys):
    def candidate(scores):
        print("hello" * 1000)
        return softmax(scores)

    result = check("softmax", candidate)
    assert result.passed
    assert "prints" in result.message
    assert capsys.readouterr().out == ""


def test_printing_instead_of_returning():
    def candidate(scores):
        print(softmax(scores))

    assert check("softmax", candidate).mistake == "prints"


def test_writing_to_the_input_is_named():
    def candidate(scores):
        scores -= scores.max(-1, keepdims=True)
        return softmax(scores)

    def one_argument(x, gamma, beta, eps):
        result = bloque.layer_norm(x, gamma, beta, eps)
        beta += 1
        return result

    assert check("softmax", candidate).mistake == "writes_input"
    result = check("layer_norm", one_argument)
    assert result.mistake == "writes_input"
    assert "`beta`" in result.message


def test_the_cases_stay_as_they_are():
    def vandal(scores):
        scores[...] = 7.0
        return scores

    check("softmax", vandal)
    assert check("softmax", softmax).passed


@pytest.mark.parametrize(
    ("candidate", "mistake"),
    [
        (lambda z: softmax(z)[None], "extra_axis"),
        (lambda z: softmax(z).astype(str), "type"),
        (lambda z: "weights", "type"),
        (lambda z: {"weights": softmax(z)}, "type"),
        (lambda z: softmax(z)[..., :-1], "shape"),
        (lambda z: softmax(z) * 3, "factor"),
        (lambda z: -softmax(z), "sign"),
        (lambda z: (softmax(z), z), "count"),
        (lambda z: softmax(z) * np.nan, "not_finite"),
        (lambda z: np.array([softmax(z), None], dtype=object), "type"),
    ],
)
def test_odd_results_are_named_in_general(candidate, mistake):
    assert check("softmax", candidate).mistake == mistake


@pytest.mark.parametrize(
    ("id", "candidate", "mistake"),
    [
        ("attention", lambda q, k, v: bloque.attention(q, k, v)[::-1], "swapped"),
        ("attention", lambda q, k, v: bloque.attention(q, k, v)[0], "count"),
        ("positional_encoding", lambda n, d: bloque.positional_encoding(n, d)[None], "extra_axis"),
        ("feed_forward", lambda *a: bloque.feed_forward(*a).T, "transposed"),
    ],
)
def test_more_odd_results(id, candidate, mistake):
    assert check(id, candidate).mistake == mistake


def test_what_is_not_known_says_what_differs_first():
    def rows(x, gamma, beta, eps):
        out = bloque.layer_norm(x, gamma, beta, eps)
        out[-1] = out[-1] ** 3
        return out

    result = check("layer_norm", rows)
    assert result.mistake is None
    assert "`rows(np.array([[1., 0., 2.]]), np.array([1., 1., 1.]), np.array([0., 0., 0.]), 1e-05)`" in result.message


def test_a_function_without_a_name_is_shown_its_arguments():
    assert check("softmax", lambda z: z * 0).message.endswith("`np.array([0., 1.])`.")


@pytest.mark.parametrize("code", languages())
def test_large_inputs_and_functions_are_told_in_words(code):
    bloque.language(code)
    shown = {"es": "con x de forma (3, 8), W_Q (8, 8), W_K (8, 8), W_V (8, 8), W_O (8, 8) y heads = 2."}
    shown["en"] = "with x of shape (3, 8), W_Q (8, 8), W_K (8, 8), W_V (8, 8), W_O (8, 8) and heads = 2."
    assert check("multi_head_attention", lambda *args: 0).message.endswith(shown[code])
    assert "attention" not in check("post_norm_block", lambda x, attention, *rest: 0 * x).message


def power_of_floats(scores):
    return np.exp(1.0) ^ scores


def power_of_numbers(scores):
    return 2.0 ^ 3


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize(
    ("candidate", "kind"),
    [
        (lambda z: z + np.zeros(7), "places"),
        (lambda z: z @ np.zeros((7, 2)), "inner"),
        (lambda z: np.dot(z, np.zeros((7, 2))), "inner"),
        (power_of_floats, "power"),
        (power_of_numbers, "power"),
    ],
)
def test_errors_of_numpy_are_told_in_the_readers_language_first(candidate, kind, code):
    bloque.language(code)
    result = check("softmax", candidate)
    assert result.mistake == "raises"
    assert result.message.startswith(f"{text(f'checks.numpy.{kind}')} ")
    assert "Error`" in result.message


def test_other_errors_are_shown_alone():
    assert check("softmax", lambda z: z.nothing).message.startswith("Your function stopped")


def test_zeros_claim_no_cause():
    result = check("softmax", lambda z: z * 0)
    assert result.mistake == "zeros"
    assert "array was made" not in result.message


def deviation(scores, n, factor=1.0):
    return factor * scores.std(), factor * scores.std() / np.sqrt(2 * n)


@pytest.mark.parametrize(
    ("candidate", "mistake"),
    [
        (lambda q, k: deviation(q @ k.T, len(q)), "all_pairs"),
        (lambda q, k: deviation(q @ k.T, len(q) ** 2), "all_pairs"),
        (lambda q, k: deviation(q * k, len(q)), "not_summed"),
        (lambda q, k: deviation((q * k).sum(), len(q)), "summed_up"),
        (lambda q, k: deviation((q * k).sum(), len((q * k).sum())), "summed_up"),
        (lambda q, k: deviation((q * k).sum(-1), len(q), 3), "factor"),
        (lambda q, k: deviation((q * k).sum(-1), len(q), len(q)), None),  # another factor in every case
    ],
)
def test_two_results_in_proportion_are_no_factor_by_themselves(candidate, mistake):
    assert check("score_deviation", candidate).mistake == mistake


def normalised(x, variance, gamma, beta, eps):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + eps) + beta


@pytest.mark.parametrize(
    ("candidate", "mistake"),
    [
        (
            lambda x, g, b, e: normalised(x, np.square(x - x.mean(-1, keepdims=True)).sum(-1, keepdims=True) / len(x), g, b, e),
            "rows_counted",
        ),
        (lambda x, g, b, e: normalised(x, x.var(-1, keepdims=True, ddof=1), g, b, e), "ddof"),
        (lambda x, g, b, e: g * (x - x.mean(-1, keepdims=True) / np.sqrt(x.var(-1, keepdims=True) + e)) + b, "parentheses"),
        (lambda x, g, b, e: g * x - x.mean(-1, keepdims=True) / np.sqrt(x.var(-1, keepdims=True) + e) + b, "parentheses"),
    ],
)
def test_ways_to_normalise_wrongly(candidate, mistake):
    assert check("layer_norm", candidate).mistake == mistake


def test_no_message_holds_the_solution():
    """A message shows inputs and words: none of the numbers that are asked for."""
    from bloque.checks import exercise

    for id in ("softmax", "layer_norm", "positional_encoding"):
        ex = exercise(id)
        expected = [np.round(v, 3) for c in ex.cases for v in np.ravel(run(ex.solution, c.args).value) if v != np.round(v, 1)]
        for mistake in ex.mistakes:
            message = check(id, ex.variants(mistake)[0]).message
            assert not [v for v in expected if f"{v:.3f}" in message]


def test_a_result_shows_itself():
    result = check("softmax", softmax)
    shown = result._repr_mimebundle_()
    assert shown["text/plain"] == str(result)
    assert 'role="status"' in shown["text/html"]
    wrong = Result(False, "axis", "look at `a < b`", "softmax")
    assert "<code>a &lt; b</code>" in wrong._repr_mimebundle_()["text/html"]
    assert not wrong
    assert str(check("softmax", for_nothing)) == str(check("softmax", for_nothing))


def for_nothing(scores):
    return scores


def test_hints_come_in_three_steps():
    assert [repr(hint("softmax", step))[:11] for step in (0, 1, 2, 3, 9)] == [
        "Hint 1 of 3", "Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 3 of 3"
    ]  # fmt: skip
