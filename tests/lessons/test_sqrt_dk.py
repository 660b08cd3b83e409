"""Lesson 2: its experiments measure what they say, its scene comes out as the prose does it by head."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

import bloque
from bloque.lessons import sqrt_dk as lesson


@pytest.fixture(autouse=True)
def spanish() -> Iterator[None]:
    before = bloque.language()
    bloque.language("es")
    yield
    bloque.language(before)


# ── the experiments ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("d_k", [1, 2, 64, 512, 1024])
def test_the_deviation_of_a_score_is_the_root_of_d_k(d_k: int) -> None:
    scores = lesson.scores_by_dimension(40_000, [d_k], seed=1)[d_k]
    assert scores.shape == (40_000,)
    assert scores.mean() == pytest.approx(0, abs=4 * math.sqrt(d_k / 40_000))
    assert scores.std() == pytest.approx(math.sqrt(d_k), rel=0.03)


@pytest.mark.parametrize("d_k", [1, 2, 16])
def test_the_kurtosis_is_three_and_six_over_d_k(d_k: int) -> None:
    scores = lesson.scores_by_dimension(1_000_000, [d_k], seed=2)[d_k].astype(float)
    assert ((scores / scores.std()) ** 4).mean() == pytest.approx(3 + 6 / d_k, rel=0.04)


def test_a_larger_d_k_adds_components_to_the_same_draws() -> None:
    scores = lesson.scores_by_dimension(50_000, (64, 128), seed=3)
    added = scores[128] - scores[64]
    assert added.std() == pytest.approx(8, rel=0.03)
    assert np.corrcoef(scores[64], added)[0, 1] == pytest.approx(0, abs=0.02)


def test_the_normal_curve_has_area_one_and_its_deviation() -> None:
    x = np.linspace(-40, 40, 20_001)
    density = lesson.normal_density(x, 5)
    step = x[1] - x[0]
    assert density.sum() * step == pytest.approx(1)
    assert (density * x**2).sum() * step == pytest.approx(25)


def test_the_short_cut_draws_from_the_same_distribution_as_whole_vectors() -> None:
    rng = np.random.default_rng(4)
    queries, keys = rng.standard_normal((40_000, 5)), rng.standard_normal((40_000, 8, 5))
    scores = np.einsum("nd,njd->nj", queries, keys)
    for divisor, short in zip((1, math.sqrt(5)), lesson.largest_weights(5, [1, math.sqrt(5)], 200_000, seed=5), strict=True):
        whole = bloque.softmax(scores / divisor).max(axis=1)
        assert short.mean() == pytest.approx(whole.mean(), abs=0.005)
        assert np.percentile(short, [5, 50, 95]) == pytest.approx(np.percentile(whole, [5, 50, 95]), abs=0.01)


@pytest.mark.parametrize(
    ("d_k", "divisor", "mean"), [(64, 1, 0.875), (64, 8, 0.360), (1024, 1, 0.969), (1024, 32, 0.361), (1024, 1024, 0.131)]
)
def test_the_largest_of_eight_weights(d_k: int, divisor: float, mean: float) -> None:
    (weights,) = lesson.largest_weights(d_k, [divisor], 300_000, seed=6)
    assert weights.mean(dtype=float) == pytest.approx(mean, abs=0.0015)


def test_experiments_of_a_hundred_draws_scatter_as_the_lesson_says() -> None:
    raw, root = lesson.largest_weights(64, [1, 8], 1_000_000, seed=7)
    assert raw.reshape(-1, 100).mean(axis=1).std() == pytest.approx(0.0166, rel=0.05)
    assert root.reshape(-1, 100).mean(axis=1).std() == pytest.approx(0.0117, rel=0.05)


# ── the gradients ────────────────────────────────────────────────────────────────────────────────


def test_the_norm_of_a_matrix_gradient_is_found_without_the_matrix() -> None:
    rng = np.random.default_rng(8)
    x, by_rows = rng.standard_normal((3, 4, 6)), rng.standard_normal((3, 4, 5))
    whole = [np.linalg.norm(a.T @ b) for a, b in zip(x, by_rows, strict=True)]
    assert lesson.matrix_gradient_norm(x @ x.swapaxes(-1, -2), by_rows) == pytest.approx(whole)


@pytest.mark.parametrize("name", list(lesson.DIVISORS))
def test_the_gradient_norms_are_those_of_the_loss(name: str) -> None:
    """Every entry of the three matrices pushed by hand, on the draws that the experiment makes."""
    n, d_model, d_k, seed = 3, 5, 2, 9
    rng = np.random.default_rng(seed)
    x, target = (each[0] for each in rng.standard_normal((2, lesson.TOGETHER, n, d_model)))
    W_Q, W_K = rng.standard_normal((2, lesson.TOGETHER, d_model, d_k), dtype=np.float32)[:, 0].astype(float) / math.sqrt(d_model)
    W_V = rng.standard_normal((lesson.TOGETHER, d_model, d_model), dtype=np.float32)[0].astype(float) / math.sqrt(d_model)
    matrices = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}

    def loss() -> float:
        scores = (x @ W_Q) @ (x @ W_K).T / lesson.DIVISORS[name](d_k)
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        return float(((weights @ (x @ W_V) - target) ** 2).mean())

    def slope(matrix: np.ndarray, place: tuple[int, ...], step: float = 1e-5) -> float:
        kept = matrix[place]
        matrix[place] = kept + step
        above = loss()
        matrix[place] = kept - step
        below = loss()
        matrix[place] = kept
        return (above - below) / (2 * step)

    gradients = lesson.attention_gradients([d_k], sentences=1, n=n, d_model=d_model, seed=seed)[name, d_k]
    for field, matrix in matrices.items():
        measured = math.sqrt(sum(slope(matrix, place) ** 2 for place in np.ndindex(matrix.shape)))
        assert getattr(gradients, field)[0] == pytest.approx(measured, rel=1e-5)


def test_without_the_division_most_queries_learn_nothing_and_a_few_swing() -> None:
    gradients = lesson.attention_gradients([1024], sentences=24, seed=10)
    raw, root, whole = (gradients[name, 1024] for name in lesson.DIVISORS)
    assert raw.queries.shape == (24, 8)
    assert raw.W_Q.shape == (24,)
    assert np.median(raw.queries) < np.median(root.queries) / 50  # the typical query gets next to nothing …
    assert raw.queries.max() > 5 * root.queries.max()  # … a few get a great deal …
    assert np.median(raw.W_Q) > 5 * np.median(root.W_Q)  # … so the whole matrix's norm is larger
    assert np.median(raw.W_V) > np.median(root.W_V) / 2  # nothing stands before the values
    assert np.median(raw.slopes) < 1e-4 < 0.01 < raw.slopes.mean()
    assert np.median(whole.queries) < np.median(root.queries) / 20  # dividing by d_k flattens too much


def test_with_the_root_the_gradients_do_not_depend_on_d_k() -> None:
    gradients = lesson.attention_gradients([16, 256], sentences=24, seed=11)
    small, large = (gradients["root", d_k] for d_k in (16, 256))
    assert np.median(small.queries) == pytest.approx(np.median(large.queries), rel=0.35)
    assert np.median(small.W_Q) == pytest.approx(np.median(large.W_Q), rel=0.35)


# ── the scene ────────────────────────────────────────────────────────────────────────────────────


def by_hand(scene: lesson.Scene, divisor: float = 1) -> tuple[dict[str, float], list[float]]:
    """The scene without any of the course's functions."""
    exponentials = [math.exp((key[0] * scene.query[0] + key[1] * scene.query[1]) / divisor) for key in scene.keys]
    weights = [each / sum(exponentials) for each in exponentials]
    new = [sum(weight * value[axis] for weight, value in zip(weights, scene.values, strict=True)) for axis in (0, 1)]
    return dict(zip(scene.words, weights, strict=True)), new


def test_the_spanish_bench() -> None:
    scene = lesson.bank_scene("bench")
    assert " ".join(scene.words) == "Me senté en el banco de mi jardín"
    assert np.exp(scene.keys @ scene.query).sum() == pytest.approx(10.07, abs=0.005)
    weights, new = by_hand(scene)
    assert [weights[word] for word in ("Me", "senté", "banco", "jardín")] == pytest.approx([0.020, 0.200, 0.099, 0.601], abs=5e-4)
    assert new == pytest.approx([0.750, 0.050], abs=5e-4)
    weights, new = by_hand(scene, math.sqrt(2))
    assert [weights[word] for word in ("Me", "senté", "banco", "jardín")] == pytest.approx([0.041, 0.210, 0.128, 0.456], abs=5e-4)
    assert new == pytest.approx([0.625, 0.064], abs=5e-4)


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize(("name", "reading"), [("bench", 0), ("money", 1)])
@pytest.mark.parametrize("divisor", [1, math.sqrt(2)])
def test_the_neighbours_decide_the_reading(code: str, name: str, reading: int, divisor: float) -> None:
    bloque.language(code)
    scene = lesson.bank_scene(name)
    weights, new = by_hand(scene, divisor)
    assert new[reading] > 5 * new[1 - reading]
    assert max(weights, key=lambda word: weights[word]) in ("jardín", "dinero", "river", "money")
    output, again = bloque.attention(scene.query[None], scene.keys, scene.values, scale=1 / divisor)
    assert again[0] == pytest.approx([weights[word] for word in scene.words])
    assert output[0] == pytest.approx(new)
    if divisor == 1:  # by head: the rounded exponentials add up to 10, or close to it
        assert np.round(np.exp(scene.keys @ scene.query), 1).sum() == pytest.approx(10, abs=0.5)


@pytest.mark.parametrize("code", ["es", "en"])
def test_a_word_has_one_key_in_both_scenes(code: str) -> None:
    bloque.language(code)
    keys: dict[str, tuple[float, ...]] = {}
    for name in ("bench", "money"):
        scene = lesson.bank_scene(name)
        assert len(scene.words) == len(scene.keys) == len(scene.values)
        for word, key in zip(scene.words, scene.keys, strict=True):
            assert keys.setdefault(word.lower(), tuple(key)) == tuple(key)


def test_a_query_is_turned_and_stretched() -> None:
    assert lesson.turned(45, 1) == pytest.approx([1, 1])
    assert lesson.turned(-135, 2) == pytest.approx([-2, -2])
    assert lesson.turned(30, 0) == pytest.approx([0, 0])


# ── the explorers ────────────────────────────────────────────────────────────────────────────────


def build(name: str):
    if name == "divisor":
        return lesson.divisor(draws=2_000, sentences=4)
    return lesson.EXPLORERS[name]()


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize("name", list(lesson.EXPLORERS))
def test_explorers_draw_their_whole_tour(name: str, code: str) -> None:
    bloque.language(code)
    explorer = build(name)
    names = [control.name for control in explorer.grid]
    captions = set()
    for position in explorer.tour:
        values = [control.value_of(index) for control, index in zip(explorer.grid, position, strict=True)]
        captions.add(explorer.at(**dict(zip(names, values, strict=True))))
    assert len(captions) > 0.9 * len(explorer.tour)  # each position says something of its own
    assert explorer.alt
    assert explorer.still().startswith(b"\x89PNG")


def test_width_says_what_it_measures() -> None:
    explorer = lesson.width()
    assert "2.0; " in explorer.at(d_k=4)
    assert "8.0; " in explorer.at(d_k=64)
    assert "3.09" in explorer.caption
    assert "9.00" in explorer.at(d_k=1)


@pytest.mark.parametrize(("name", "truth"), [("width", 16), ("divisor", 0.875)])
def test_the_picture_does_not_give_the_guess_away(name: str, truth: float) -> None:
    explorer = build(name)
    assert explorer.guess.truth == pytest.approx(truth, rel=0.02)
    drawn = [float(y) for line in explorer.guess.axes.lines for y in line.get_ydata()]
    assert not any(abs(y - truth) < 0.1 * truth for y in drawn)
    explorer.at(d_k=1024)
    drawn = [float(y) for line in explorer.guess.axes.lines for y in line.get_ydata()]
    assert any(abs(y - truth) < 0.1 * truth for y in drawn)


def test_the_divisor_explorer_tells_the_three_apart() -> None:
    explorer = lesson.divisor(draws=20_000, sentences=4)
    raw, root, whole = (explorer.at(d_k=1024, divisor=name) for name in lesson.DIVISORS)
    assert "0.97" in raw.replace("0.969", "0.97").replace("0.968", "0.97")
    assert "0.36" in root
    assert "0.13" in whole


def test_the_bank_moves_with_its_controls() -> None:
    explorer = lesson.bank()
    assert "(0.750, 0.050)" in explorer.at()
    assert "«jardín», 0.601" in explorer.at()
    assert "(0.625, 0.064)" in explorer.at(divide=True)
    assert "0.125" in explorer.at(stretch=0, divide=False)
    assert "«dinero», 0.626" in explorer.at(stretch=1, scene="money")
    assert "«jardín»" not in explorer.at(angle=-135, scene="bench")


def test_the_bank_takes_a_function_of_the_readers_own() -> None:
    def uniform(queries, keys, values):
        weights = np.full((len(queries), len(keys)), 1 / len(keys))
        return weights @ values, weights

    assert "0.125" in lesson.bank(attention=uniform).at()


@pytest.mark.parametrize("code", ["es", "en"])
def test_the_spread_is_a_picture_with_its_numbers(code: str) -> None:
    bloque.language(code)
    gradients = lesson.attention_gradients([1024], sentences=8)
    raw, root = gradients["none", 1024], gradients["root", 1024]
    picture = lesson.gradient_spread(raw, root)
    assert bloque.number(float(np.median(root.queries)), significant=2) in repr(picture)
    assert picture.alt
    assert picture.png().startswith(b"\x89PNG")
