"""Lesson 1: the formulas behind its pictures, against exact values and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bloque
from bloque.lessons import softmax_saturation as lesson
from bloque.texts import number


@pytest.mark.parametrize(
    ("scores", "largest"),
    [([500, 500, 500], 0.2222), ([0, 1, 2], 0.2227), ([500, 501, 502], 0.2227), ([2, 1, 0], 0.2227)],
)
def test_only_differences_make_the_largest_slope(scores, largest):
    assert round(lesson.largest_slope(scores), 4) == largest


def test_a_large_difference_leaves_hardly_any_slope():
    assert number(lesson.largest_slope([0, 10, 20]), significant=3) == "4.54e−5"


def test_slopes_are_the_jacobian():
    scores = np.random.default_rng(3).normal(size=(4, 5))
    np.testing.assert_allclose(lesson.slopes(scores), bloque.softmax_jacobian(bloque.softmax(scores)), atol=1e-15)


def test_slopes_are_not_rounded_to_zero_where_a_weight_is_one():
    scores = [100.0, 0.0]
    assert bloque.softmax_jacobian(bloque.softmax(scores))[0, 0] == 0  # what one gets without care
    assert lesson.slopes(scores)[0, 0] == pytest.approx(math.exp(-100), rel=1e-12)
    assert lesson.largest_slope(scores) == pytest.approx(math.exp(-100), rel=1e-12)


def test_largest_slope_of_many_rows():
    rows = np.array([[0.0, 1.0, 2.0], [0.0, 10.0, 20.0]])
    np.testing.assert_allclose(lesson.largest_slope(rows), [lesson.largest_slope(row) for row in rows])


def test_explorers_take_the_softmax_of_the_learner():
    def flat(scores):
        return np.full(len(scores), 1 / len(scores))

    assert lesson.largest_slope([0, 10, 20], flat) == pytest.approx(2 / 9)
    assert number(2 / 9, 4) in lesson.shift(softmax=flat).at(shift=500)
    assert number(1 / 3, 4) in lesson.saturation(softmax=flat).at(scale=100)


@pytest.mark.parametrize("k", [2, 8, 64])
@pytest.mark.parametrize("gap", [0.0, 1.95, 7.0, 30.0])
def test_gap_slope_is_that_of_the_softmax(gap, k):
    scores = np.zeros(k)
    scores[0] = gap
    assert lesson.gap_slope(gap, k) == pytest.approx(lesson.slopes(scores)[0, 0], rel=1e-9)


def test_the_slope_rises_to_a_quarter_first():
    assert lesson.gap_slope(math.log(7), 8) == pytest.approx(0.25)
    gaps = np.linspace(0, 16, 1601)
    steepest = gaps[lesson.gap_slope(gaps, 8).argmax()]
    assert round(steepest, 2) == 1.95
    assert lesson.gap_slope(0, 8) == pytest.approx(7 / 64)


def test_each_unit_of_gap_divides_the_slope_by_e():
    incline = math.log(lesson.gap_slope(21, 8) / lesson.gap_slope(20, 8))
    assert incline == pytest.approx(-1, abs=1e-6)
    assert round(incline / math.log(10), 3) == -0.434


@pytest.mark.parametrize("k", [2, 8, 64])
@pytest.mark.parametrize("slope", [0.25, 0.1, 1e-3, 1e-9])
def test_gap_where_finds_the_slope_again(slope, k):
    assert lesson.gap_slope(lesson.gap_where(slope, k), k) == pytest.approx(slope, rel=1e-9)
    assert lesson.gap_where(slope, k) >= math.log(k - 1)


@pytest.mark.parametrize(("weights", "nats"), [([1, 0, 0], 0), ([0.5, 0.5], math.log(2)), ([0, 0.5, 0.5], math.log(2))])
def test_entropy(weights, nats):
    assert lesson.entropy(weights) == pytest.approx(nats, abs=1e-15)
    np.testing.assert_allclose(lesson.entropy([weights, weights]), [nats, nats], atol=1e-15)


@pytest.mark.parametrize("margin", [-10.0, -3.0, 0.0, 2.5, 10.0])
def test_gradients_of_both_losses_by_finite_differences(margin):
    def losses(first):
        weights = bloque.softmax([first, 0.0, 0.0])
        return -math.log(weights[0]), ((weights - np.array([1, 0, 0])) ** 2).sum() / 2

    here = lesson.loss_gradients(margin)
    after, before = losses(margin + 1e-5), losses(margin - 1e-5)
    for name, value, high, low in zip(("cross_entropy", "squared_error"), losses(margin), after, before, strict=True):
        assert here[name][0] == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert here[f"{name}_slope"][0] == pytest.approx((high - low) / 2e-5, rel=1e-4, abs=1e-9)


def test_a_sure_and_wrong_classifier_learns_by_one_loss_only():
    here = lesson.loss_gradients(-10)
    assert number(here["cross_entropy_slope"][0], 4) == "−1.0000"
    assert number(here["squared_error_slope"][0], significant=3) == "−3.40e−5"


# ── the pictures ─────────────────────────────────────────────────────────────────────────────────

CAPTIONS = {
    "shift": [({"shift": 500}, ["500, 501, 502", "0.2227"])],
    "scale": [({"scale": 1}, ["0.6652", "0.223"]), ({"scale": 10}, ["1.0000", "4.54e−5"])],
    "jacobian": [({"scale": 1}, ["0.223", "−0.163"]), ({"scale": 10}, ["4.54e−5"])],
    "gap": [({"gap": 0}, ["0.1250", "0.109"]), ({"gap": 8.9}, ["0.9990", "0.000953"])],
    "temperature": [({"temperature": 0.05}, ["1.0000", "1.099"]), ({"temperature": 1}, ["0.6652", "0.832"])],
    "losses": [({"margin": -12}, ["1.00", "4.61e−6"]), ({"margin": 0}, ["0.333", "0.667", "0.222"])],
}


@pytest.mark.parametrize("name", lesson.EXPLORERS)
def test_captions_carry_the_key_numbers(name, each_language):
    explorer = lesson.EXPLORERS[name]()
    for position, numbers in CAPTIONS[name]:
        caption = explorer.at(**position)
        assert [n for n in numbers if n not in caption] == [], caption


@pytest.mark.parametrize("name", ["scale", "jacobian", "temperature"])
def test_any_scores_can_be_typed(name):
    explorer = lesson.EXPLORERS[name]()
    control = explorer.grid[0]
    for scores in ((1, 1), (3, 3, 3, 3), (-100, 100), (0, 0.5, -2, 7, 7)):
        for value in (control.values[0], control.values[-1]):
            assert explorer.at(**{control.name: value}, scores=scores)
        assert explorer.picture(explorer.position)[0].startswith(b"\x89PNG")


def test_the_bars_are_as_many_as_the_scores():
    explorer = lesson.saturation()
    left = explorer.figure.axes[0]
    for n in (2, 8, 3):
        explorer.at(scores=tuple(range(n)))
        assert sum(patch.get_visible() for patch in left.patches) == n
        assert len(left.get_xticks()) == n


def test_the_tangent_touches_the_curve():
    explorer = lesson.saturation()
    explorer.at(scale=3)
    middle = explorer.figure.axes[1]
    curve, tangent, here = middle.lines
    x, y = curve.get_data()
    centre = len(x) // 2
    slope = (y[centre + 1] - y[centre - 1]) / (x[centre + 1] - x[centre - 1])
    (x0, x1), (y0, y1) = tangent.get_data()
    assert (y1 - y0) / (x1 - x0) == pytest.approx(slope, rel=1e-2)
    assert (y0 + y1) / 2 == pytest.approx(here.get_ydata()[0])
    assert y[centre] == pytest.approx(here.get_ydata()[0])


def test_the_truths_of_the_guesses_are_those_of_the_pictures(each_language):
    shift, gap = lesson.shift(), lesson.gap()
    assert number(shift.guess.truth, 4) in shift.at(shift=500)
    assert lesson.gap_slope(gap.guess.truth, 8) == pytest.approx(1e-3)
    for explorer in (shift, gap):
        assert explorer.guess.question(explorer.prefix)
