"""Lesson 4: its numbers by other ways than its own, and every explorer at its ends in both languages."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from bloque.lessons import residual_norm as lesson

AT = [0, 1, 3, 5, 7, 11]  # layers 1, 2, 4, 6, 8, 12
WITH = [1.000, 1.157, 1.189, 1.141, 1.383, 1.805]
WITHOUT = [0.109, 0.0572, 6.57e-3, 2.43e-4, 5.66e-5, 5.18e-7]


def outputs(x, layers, residual):
    """The plain forward pass, without a piece of the library."""
    kept = []
    for W1, W2 in layers:
        x = np.maximum(x @ W1, 0) @ W2 + residual * x
        kept.append(x)
    return np.array(kept)


# ── The stack ────────────────────────────────────────────────────────────────────────────────────


def test_the_published_table():
    np.testing.assert_allclose(lesson.derivatives(0.15, True)[AT], WITH, atol=5.1e-4)
    np.testing.assert_allclose(lesson.derivatives(0.15, False)[AT], WITHOUT, rtol=5e-3)


def test_the_draws_are_the_stated_ones():
    rng = np.random.default_rng(0)
    X, layers = lesson.stack()
    for W1, W2 in layers[:12]:
        np.testing.assert_array_equal(W1, 0.15 * rng.normal(size=(16, 32)))
        np.testing.assert_array_equal(W2, 0.15 * rng.normal(size=(32, 16)))
    np.testing.assert_array_equal(X, rng.normal(size=(8, 16)))
    assert len(layers) == 48


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("size", [0.05, 0.15, 0.35])
def test_exact_derivatives_equal_finite_differences_of_the_whole_output(size, residual):
    X, layers = lesson.stack(size)
    push = np.zeros_like(X)
    push[0, 0] = 1e-5
    moved = (outputs(X + push, layers, residual) - outputs(X - push, layers, residual)) / 2e-5
    measured = np.linalg.norm(moved, axis=(1, 2))
    np.testing.assert_allclose(lesson.derivatives(size, residual)[:24], measured[:24], rtol=1e-5)


def test_without_the_sum_the_derivative_scales_with_the_weights():
    """ReLU lets a positive factor through: two matrices a layer, each 0.2/0.15 as large."""
    layers = np.arange(1, 49)
    expected = lesson.derivatives(0.15, False) * (0.2 / 0.15) ** (2 * layers)
    np.testing.assert_allclose(lesson.derivatives(0.2, False), expected, rtol=1e-9)


def test_paths_by_length_add_up_and_count_what_brute_force_counts():
    J = lesson.jacobians(residual=True)[10, :4]  # × 0.15
    by_length = np.zeros((5, 16))
    for taken in itertools.product((False, True), repeat=4):
        v = np.eye(16)[0]
        for matrix, through in zip(J, taken, strict=True):
            v = matrix @ v if through else v
        by_length[sum(taken)] += v
    np.testing.assert_allclose(lesson.carried_by_length(0.15)[3], np.linalg.norm(by_length, axis=-1), rtol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(by_length.sum(axis=0)), lesson.derivatives(0.15, True)[3], rtol=1e-12)
    assert all(norms[0] == 1 and len(norms) == n + 1 for n, norms in enumerate(lesson.carried_by_length(0.15), start=1))


def test_the_jacobian_is_output_by_input():
    """A matrix that is not square and not symmetric would show a transposed answer."""
    W1, W2 = np.random.default_rng(3).normal(size=(2, 16, 16))
    x = np.linspace(-1, 1, 16)
    J = lesson.mlp_jacobian(x, W1, W2)
    e = np.eye(16)[5] * 1e-6
    measured = (np.maximum((x + e) @ W1, 0) @ W2 - np.maximum((x - e) @ W1, 0) @ W2) / 2e-6
    np.testing.assert_allclose(J[:, 5], measured, atol=1e-7)


# ── What flows, and how alike the rows become ────────────────────────────────────────────────────


def test_what_flows_grows_and_the_norms_hold_it():
    deviation = {norm: lesson.stream(0.15, norm).std(axis=-1).mean(axis=-1) for norm in ("none", "post", "pre")}
    np.testing.assert_allclose(deviation["none"][[0, 4, 12]], [0.876, 1.084, 2.076], atol=1e-3)
    np.testing.assert_allclose(deviation["post"][1:], 1, atol=1e-4)
    assert deviation["none"][-1] > 5 * deviation["pre"][-1] > 5 * deviation["post"][-1]
    weights = {norm: lesson.largest_weights(0.15, norm) for norm in ("none", "post", "pre")}
    assert weights["none"][-1] > 0.95
    assert weights["pre"].max() < 0.36
    assert weights["post"].max() < 0.36


def test_rank_collapse_as_stated():
    at_12 = {
        (norm, mlp): lesson.similarity_by_layer(norm=norm, residual=True, mlp=mlp)[12] for norm in ("post", "pre") for mlp in (False, True)
    }
    assert round(at_12["post", False], 3) == 0.996
    assert round(at_12["pre", False], 2) == 0.83
    assert at_12["pre", True] < at_12["pre", False] < at_12["post", False] < at_12["post", True]
    for norm in ("none", "post", "pre"):
        assert lesson.similarity_by_layer(norm=norm, residual=False, mlp=False)[4] > 0.999


def test_similarity_of_rows_known_by_heart():
    assert lesson.similarity(lesson.cosines(np.eye(3))) == 0
    assert lesson.similarity(lesson.cosines(np.ones((4, 2)))) == pytest.approx(1)
    assert abs(lesson.relu_similarity() - 1 / np.pi) < 0.01


def test_post_norm_narrows_the_identity_path():
    divisors = lesson.post_norm_divisors()
    assert divisors.shape == (12,)
    assert (divisors > 1.1).all()
    assert 0.005 < 1 / np.prod(divisors) < 0.05


# ── Rows and columns ─────────────────────────────────────────────────────────────────────────────


def test_the_table_of_rows_against_columns():
    rows, columns = lesson.changes(4, 10, "uniform")
    assert rows.max() < 1e-12
    assert round(columns[0].max(), 3) == 1.889
    rows, _ = lesson.changes(4, 10, "ramp")
    assert rows[:4].max() == 0
    assert rows[4].max() > 1


def test_the_readers_own_layer_norm_is_used():
    def by_columns(x, gamma, beta, eps):
        return gamma * (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + eps) + beta

    rows, columns = lesson.changes(4, 10, "uniform", by_columns)
    np.testing.assert_allclose(rows, columns)
    caption = lesson.disturb_a_row(by_columns).at(push=10)
    assert caption.count("1.889") == 2


# ── Explorers ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", lesson.EXPLORERS)
def test_every_position_of_every_tour_draws(name, each_language):
    explorer = lesson.EXPLORERS[name]()
    assert 1 <= len(explorer.tour) <= 300
    captions = {explorer.at(**explorer.values(position)) for position in explorer.tour[::7]}
    assert len(captions) > 3
    assert not any("{" in caption or "nan" in caption.lower() for caption in captions)


def test_captions_carry_the_key_numbers(each_language):
    depth = lesson.derivative_by_depth()
    assert "1.805" in depth.at()
    assert "5.18e−7" in depth.at(residual=False)
    assert "3.5e6" in depth.at(residual=False)
    assert "16 777 216".replace(" ", "\u202f") in lesson.paths_by_length().at(depth=24)
    gamma = lesson.gamma_and_beta().at(gamma=4, beta=-1)
    assert gamma.count("−1.00") == 5
    assert gamma.count("4.00") == 5
    assert "1.889" in lesson.disturb_a_row().at(push=10, shape="uniform", row=4)
    similarity = lesson.similarity_with_depth()
    assert "0.996" in similarity.at(depth=12, norm="post", residual=True, mlp=False)
    assert "0.830" in similarity.at(depth=12, norm="pre", residual=True, mlp=False)


def test_the_guesses_know_the_truth():
    assert lesson.derivative_by_depth().guess.truth == pytest.approx(np.log10(5.18e-7), abs=1e-3)
    assert lesson.disturb_a_row().guess.truth == 0


def test_the_deepest_stack_at_the_largest_size_answers_a_drag():
    """Every size and depth is computed when the explorer is built: a frame only looks numbers up."""
    explorer = lesson.derivative_by_depth()
    start = time.perf_counter()
    for size in (0.33, 0.34, 0.35):
        lesson.derivatives(size, True)
        lesson.derivatives(size, False)
    assert time.perf_counter() - start < 0.01
    assert "48" in explorer.at(depth=48, size=0.35, residual=False)


def test_the_rows_of_the_pictures_are_those_of_the_formula():
    rows = lesson.five_rows()
    assert rows.shape == (5, 8)
    centred = rows - rows.mean(axis=1)[:, None]
    normal = centred / np.sqrt((centred**2).mean(axis=1)[:, None] + lesson.EPS)
    explorer = lesson.gamma_and_beta()
    explorer.at(gamma=4, beta=-1)
    for axes, due in zip(explorer.figure.axes, (rows, normal, 4 * normal - 1), strict=True):
        dots, firsts, means = axes.lines[1:]  # the first is the line at 0
        np.testing.assert_allclose(dots.get_xdata(), due[:, 1:], atol=1e-12)
        np.testing.assert_allclose(firsts.get_xdata(), due[:, 0], atol=1e-12)
        np.testing.assert_allclose(means.get_xdata(), due.mean(axis=1), atol=1e-12)
