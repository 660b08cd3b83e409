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
    attention_maps,
    cross_entropy,
    flattened,
    induction_accuracy,
    induction_answer,
    induction_batch,
    model_backward,
    model_forward,
    model_parameters,
    paper_schedule,
    runs,
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


def test_one_forward_pass_says_what_three_would():
    training = Training(TINY, batch=4)
    batch = training.held_out(8)
    loss, accuracy, maps = training.examine(batch)
    assert (loss, accuracy) == training.evaluate(8)
    for one, other in zip(maps, attention_maps(batch.tokens, training.parameters, TINY), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_held_out_sequences_are_always_the_same():
    one, other = Training(TINY, batch=4, seed=1), Training(TINY, batch=4, seed=2)
    one.run(2)
    for ours, theirs in zip(one.held_out(), other.held_out(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert len(one.held_out().tokens) == 256
    assert (one.held_out(4).tokens != one.held_out(4, seed=1).tokens).any()


@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_a_batch_has_sequences(size):
    training = Training(TINY, batch=4)
    assert len(training.new_batch().tokens) == 4
    assert len(training.new_batch(size=3).tokens) == 3
    for wrong in (lambda: training.new_batch(size=size), lambda: training.evaluate(size)):
        with pytest.raises(ValueError, match="size must be a whole number of at least 1"):
            wrong()
    for wrong in (lambda: Training(TINY, batch=size), lambda: induction_batch(np.random.default_rng(0), size, 9, 7)):
        with pytest.raises(ValueError, match="batch must be a whole number of at least 1"):
            wrong()


def test_seeds_and_types_are_checked():
    with pytest.raises(ValueError, match="seed must be a whole number"):
        Training(TINY, seed=-1)
    with pytest.raises(ValueError, match="dtype must be a floating-point type"):
        Training(tiny(dtype="int64"))


# The stored runs


def test_snapshots_are_taken_after_their_steps_and_none_is_trained_for_nothing(monkeypatch):
    taken = []
    monkeypatch.setattr(Training, "step", lambda self, step=Training.step: (taken.append(1), step(self)))
    made = runs.make_forming(steps=4, every=2)
    assert len(taken) == 4
    np.testing.assert_array_equal(made["steps"], [0, 2, 4])
    arm = runs.ARMS["plain"]
    training = Training(arm.settings, peak=arm.peak, warm_up_steps=arm.warm_up_steps, batch=arm.batch, seed=0)
    for snapshot in range(3):
        assert made["accuracy"][snapshot] == np.float32(training.evaluate()[1])
        training.run(2)
    maps = attention_maps(training.held_out().tokens, model_parameters(arm.settings, 0), arm.settings)
    np.testing.assert_array_equal(made["maps"][0], np.round(255 * np.array([layer[0] for layer in maps])))


def test_runs_come_back_as_they_were_written(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "ARMS", {"one": runs.Arm(TINY, peak=1e-3, warm_up_steps=2, batch=4, steps=6)})
    monkeypatch.setattr(runs, "SEEDS", (3, 8))
    monkeypatch.setattr(runs, "EVERY", 2)
    made = {("one", seed): runs.make_run("one", seed) for seed in (3, 8)}
    runs.write_runs(tmp_path / "runs.npz", made)
    monkeypatch.setattr(runs, "EVERY", 20)  # the file has its own
    back = runs.read_runs(tmp_path / "runs.npz")["one"]
    assert (back.arm, back.seeds, back.every) == (runs.ARMS["one"], (3, 8), 2)
    np.testing.assert_array_equal(back.steps, [2, 4, 6])
    np.testing.assert_array_equal(back.loss[1], made["one", 8]["loss"])
    assert back.arriving.shape == (2, 3, TINY.layers)


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
    training = Training(TINY, batch=4)
    live = lesson.live(training, steps=30)
    first = bytes(live.image.png)
    assert live.button.description == "Train"
    assert repr(live) == "Ready to train: 30 steps."
    live.toggle()
    assert live.running.is_set()
    live.toggle()  # stop
    live.wait()
    assert live.button.description in ("Resume", "Trained")
    if live.button.description == "Resume":
        live.toggle()
        live.wait()
    assert training.steps == live.bar.value == 30
    assert live.button.disabled
    assert repr(live).startswith("Step 30 of 30: loss ")
    assert bytes(live.image.png) != first
    assert bytes(live.image.png).startswith(b"\x89PNG")
    whole = Training(TINY, batch=4)
    whole.run(30)
    np.testing.assert_array_equal(training.flat, whole.flat)


def test_a_live_training_shows_accuracy_and_attention_of_unseen_sequences():
    training = Training(TINY, batch=4)
    live = lesson.live(training, steps=5)
    live.toggle()
    live.wait()
    accuracy, *maps = live.figure.axes
    assert accuracy.lines[0].get_xydata()[-1].tolist() == [5, training.evaluate(128)[1]]
    expected = attention_maps(training.held_out(128).tokens, training.parameters, TINY)
    for place, axes in enumerate(maps):
        np.testing.assert_allclose(axes.images[0].get_array(), expected[place // 2][0, place % 2])


def test_the_gradient_that_arrives_is_shown_at_one_step_for_both_arms():
    explorer = lesson.arriving()
    last = int(lesson.runs_of("scaled").steps[-1])
    assert last < int(lesson.runs_of("residual").steps[-1])
    assert explorer.at(repair="scale", step=last) == explorer.at(repair="scale", step=last + 200)
    assert explorer.figure.axes[0].get_xlim() == (0.5, 16.3)


@pytest.mark.slow
def test_two_blocks_learn_the_task():
    training = Training(ModelSettings(), seed=0)  # the stored runs hold five seeds
    training.run(500)
    assert training.evaluate()[1] > 0.9
