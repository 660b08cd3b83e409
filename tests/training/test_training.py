"""Learning in NumPy: the task, the optimiser, the model's exact gradient, and a loop that stops and goes on."""

import numpy as np
import pytest

import bloque
from bloque.lessons import training as lesson
from bloque.training import (
    ModelSettings,
    Training,
    adam_start,
    adam_step,
    answer_places,
    cross_entropy,
    flattened,
    induction_accuracy,
    induction_answer,
    induction_batch,
    model_backward,
    model_forward,
    model_parameters,
    paper_schedule,
    unflattened,
    warm_up,
)

TINY = ModelSettings(vocabulary=7, n=9, d_model=12, heads=3, d_ff=20, layers=2, dtype="float64")


@pytest.fixture(autouse=True)
def _english():
    bloque.language("en")


def tiny(**changes):
    return ModelSettings(**{**TINY.__dict__, **changes})


# The task


def test_the_rule_answers_every_question_and_the_distance_changes():
    batch = induction_batch(np.random.default_rng(0), 64, 18, 16)
    assert batch.tokens.shape == batch.targets.shape == batch.asked.shape == (64, 18)
    np.testing.assert_array_equal(induction_answer(batch.tokens)[batch.asked], batch.targets[batch.asked])
    np.testing.assert_array_equal(batch.asked.sum(axis=1), 6)
    for tokens, asked in zip(batch.tokens, batch.asked, strict=True):
        assert len(set(tokens[~asked])) == 12  # the first part holds no token twice
    places = answer_places(batch.tokens)[:, -1]
    assert len(set(places)) > 3  # no fixed distance would do


def test_the_rule_by_hand():
    np.testing.assert_array_equal(answer_places(np.array([[3, 1, 3, 1, 3]])), [[-1, -1, 1, 2, 3]])
    np.testing.assert_array_equal(induction_answer(np.array([[3, 1, 4, 3]])), [[-1, -1, -1, 1]])


def test_a_vocabulary_too_small_is_refused():
    with pytest.raises(ValueError, match="vocabulary"):
        induction_batch(np.random.default_rng(0), 2, 18, 11)


def test_accuracy_counts_asked_positions_only():
    batch = induction_batch(np.random.default_rng(0), 4, 9, 7)
    logits = np.eye(7)[batch.targets]
    assert induction_accuracy(logits, batch) == 1
    logits[~batch.asked] = 0
    assert induction_accuracy(logits, batch) == 1
    assert induction_accuracy(-logits, batch) == 0


# The optimiser


def test_adam_against_a_plain_loop():
    rng = np.random.default_rng(0)
    theta, m, v = 1.5, 0.0, 0.0
    parameters, state = np.array([1.5]), adam_start(np.zeros(1))
    for t in range(1, 8):
        g = float(rng.standard_normal())
        m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g * g
        theta -= 0.01 * (m / (1 - 0.9**t)) / ((v / (1 - 0.98**t)) ** 0.5 + 1e-9)
        parameters, state = adam_step(parameters, np.array([g]), state, 0.01)
        assert parameters[0] == pytest.approx(theta, rel=1e-12)
    assert state.step == 7


def test_the_first_step_has_the_size_of_the_rate():
    moved, _ = adam_step(np.zeros(3), np.array([1e-4, -1.0, 1e4]), adam_start(np.zeros(3)), 0.01)
    np.testing.assert_allclose(moved, [-0.01, 0.01, -0.01], rtol=1e-4)


def test_rates():
    assert [warm_up(step, 0.4, 4) for step in (1, 2, 4, 9)] == pytest.approx([0.1, 0.2, 0.4, 0.4])
    assert warm_up(1, 0.4, 0) == 0.4
    assert paper_schedule(4000, 512, 4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    assert paper_schedule(1, 512, 4000) == pytest.approx(512**-0.5 * 4000**-1.5)
    assert paper_schedule(16_000, 512, 4000) == pytest.approx(paper_schedule(4000, 512, 4000) / 2)


# The model


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_with_every_repair_it_is_the_course_s_encoder(norm):
    settings = tiny(norm=norm)
    parameters = model_parameters(settings, 3)
    tokens = induction_batch(np.random.default_rng(1), 2, 9, 7).tokens
    logits, _ = model_forward(tokens, parameters, settings)
    x = parameters.embedding[tokens] + bloque.positional_encoding(9, 12)
    final = parameters.final_norm
    read = bloque.encoder(x, parameters.blocks, 3, norm=norm, mask=bloque.causal_mask(9), final_norm=final)
    np.testing.assert_allclose(logits, read @ parameters.output, atol=1e-12)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
def test_the_gradient_of_the_loss_is_exact(norm, residual, scaled):
    settings = tiny(norm=norm, residual=residual, scaled=scaled)
    like = model_parameters(settings, 0)
    flat = flattened(like)
    flat = flat + 0.1 * np.random.default_rng(1).standard_normal(flat.size)
    batch = induction_batch(np.random.default_rng(2), 3, 9, 7)

    def loss(row):
        return cross_entropy(model_forward(batch.tokens, unflattened(row, like), settings)[0], batch)[0]

    logits, kept = model_forward(batch.tokens, unflattened(flat, like), settings)
    by_parameters, arriving = model_backward(cross_entropy(logits, batch)[1], kept, settings)
    gradient = flattened(by_parameters)
    assert gradient.shape == flat.shape
    assert len(arriving) == settings.layers
    for seed in range(3):
        direction = np.random.default_rng(seed).standard_normal(flat.size)
        measured = (loss(flat + 1e-6 * direction) - loss(flat - 1e-6 * direction)) / 2e-6
        assert measured == pytest.approx(float(gradient @ direction), rel=1e-6, abs=1e-7)


def test_the_loss_of_an_even_answer_is_the_logarithm():
    batch = induction_batch(np.random.default_rng(0), 4, 9, 7)
    loss, gradient = cross_entropy(np.zeros((4, 9, 7)), batch)
    assert loss == pytest.approx(np.log(7))
    assert (gradient[~batch.asked] == 0).all()
    np.testing.assert_allclose(gradient.sum(axis=-1), 0, atol=1e-15)


# The loop


def test_stopping_and_going_on_changes_nothing():
    whole, parts = Training(TINY, batch=4, seed=5), Training(TINY, batch=4, seed=5)
    whole.run(6)
    parts.run(2)
    parts.run(9, stop=lambda: parts.steps >= 6)
    assert parts.steps == 6
    np.testing.assert_array_equal(parts.flat, whole.flat)
    assert parts.history.loss == whole.history.loss
    other = Training(TINY, batch=4, seed=6)
    other.run(6)
    assert other.history.loss != whole.history.loss


def test_evaluating_does_not_disturb_the_training():
    one, other = Training(TINY, batch=4), Training(TINY, batch=4)
    one.run(3)
    for _ in range(3):
        other.evaluate(8)
        other.run(1)
    np.testing.assert_array_equal(one.flat, other.flat)


def test_the_parameters_are_views_of_one_row():
    training = Training(TINY)
    np.testing.assert_array_equal(flattened(training.parameters), training.flat)
    assert np.shares_memory(training.parameters.embedding, training.flat)


# The lesson


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize("name", lesson.EXPLORERS)
def test_every_explorer_is_built_and_says_its_numbers(name, code):
    bloque.language(code)
    explorer = lesson.EXPLORERS[name]()
    assert any(character.isdigit() for character in explorer.caption)
    assert len(explorer.tour) <= 300


def test_the_claims_are_those_of_the_stored_runs():
    runs = lesson.stored_runs()
    assert all(len(each.final) >= 5 for each in runs.values())
    assert (runs["plain"].final > 0.9).all()
    assert runs["scaled"].final.min() > runs["unscaled"].final.max() + 0.5
    chance = 1 / runs["no_residual"].arm.settings.vocabulary
    assert runs["no_residual"].final.max() < chance + 0.08
    assert runs["pre_warm"].final.min() > 0.7
    assert runs["pre_cold"].final.min() > 0.7
    medians = {arm: float(np.median(runs[arm].final)) for arm in ("pre_warm", "pre_cold", "post_warm", "post_cold")}
    assert medians["post_cold"] < medians["post_warm"] < min(medians["pre_warm"], medians["pre_cold"])
    # without the sums the gradient is there at first, and dies while it trains
    start, end = (np.median(runs["no_residual"].arriving[:, point, 0]) for point in (0, -1))
    assert end < start / 100
    assert end < np.median(runs["pre_warm"].arriving[:, -1, 0]) / 100


def test_the_stored_heads_form():
    stored = lesson.stored_forming()
    assert stored.answer[0, 1].max() < 0.15 < 0.9 < stored.answer[-1, 1].max()
    assert stored.previous[0, 0].max() < 0.2 < 0.4 < stored.previous[-1, 0].max()
    np.testing.assert_allclose(stored.maps.sum(axis=-1), 1, atol=0.04)  # in steps of 1/255


def test_live_training_starts_stops_and_resumes():
    live = lesson.LiveTraining(Training(TINY, batch=4), steps=30)
    first = bytes(live.image.png)
    assert live.button.description == "Train"
    live.toggle()
    assert live.running.is_set()
    live.toggle()  # stop
    live.wait()
    assert live.button.description in ("Resume", "Trained")
    if live.button.description == "Resume":
        live.toggle()
        live.wait()
    assert live.training.steps == 30
    assert live.button.disabled
    assert bytes(live.image.png) != first
    assert bytes(live.image.png).startswith(b"\x89PNG")
    whole = Training(TINY, batch=4)
    whole.run(30)
    np.testing.assert_array_equal(live.training.flat, whole.flat)


@pytest.mark.slow
def test_two_blocks_learn_the_task():
    training = Training(ModelSettings(), seed=0)  # the stored runs hold five seeds
    training.run(500)
    assert training.evaluate()[1] > 0.9
