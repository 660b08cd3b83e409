"""Lesson 5: what its pictures compute, against the pieces, the papers and by hand."""

import numpy as np
import pytest

import bloque
from bloque.lessons import full_block as lesson
from bloque.texts import THIN_SPACE, number


@pytest.mark.parametrize(
    ("name", "total"),
    [
        # Devlin et al. (2018) and Radford et al. (2019) round; these are the counts of the released checkpoints
        ("bert_base", 109_482_240),
        ("bert_large", 335_141_888),
        ("gpt2", 124_439_808),
        ("gpt2_medium", 354_823_168),
        ("gpt2_large", 774_030_080),
        ("gpt2_xl", 1_557_611_200),
    ],
)
def test_a_preset_has_the_parameters_of_its_checkpoint(name, total):
    assert lesson.preset_parameters(name).total == total


def test_memory_is_four_bytes_a_number():
    n, d_model, heads, layers = 5, 8, 2, 3
    stored = lesson.memory(n, d_model, heads, layers, parameters=100)
    maps = [bloque.multi_head_attention(np.zeros((n, d_model)), bloque.multi_head_parameters(d_model, heads), heads)[1]] * layers
    assert stored == {"parameters": 400, "maps": 4 * sum(m.size for m in maps), "rows": 4 * layers * n * d_model}


def test_only_a_mask_before_the_softmax_or_a_division_after_it_closes_and_adds_up():
    mask = bloque.causal_mask(3)
    weights = {name: way(lesson.SCORES, mask) for name, way in lesson.WAYS.items()}
    right = bloque.attention(lesson.SCORES, np.eye(3), np.eye(3), mask=mask, scale=1)[1]
    assert np.allclose(weights["before"], right)
    assert np.allclose(weights["renormalised"], right)
    leaks = {name: lesson.leak(found, mask) for name, found in weights.items()}
    assert leaks["multiplied"] > 0
    assert leaks["before"] == leaks["after"] == leaks["renormalised"] == 0
    assert (weights["after"].sum(axis=-1)[:-1] < 0.9).all()  # the last row has nothing closed


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_stored_gradients_are_those_that_the_lesson_computes(norm):
    stored = lesson.stored_gradients()[norm]
    assert set(stored) == set(lesson.DEPTHS)
    assert all(rows.shape == (len(lesson.SEEDS), depth) for depth, rows in stored.items())
    found = lesson.gradients_by_block(norm, (4, 12), seed=1)
    for depth, gradients in found.items():
        assert stored[depth][1] == pytest.approx(gradients, rel=5e-3)  # three digits are kept


def test_large_amounts_are_written_short():
    assert [lesson.short(a) for a in (7, 1234, 2.5e6, 3e9, 4e12)] == ["7", "1.23 k", "2.50 M", "3.00 G", "4.00 T"]
    assert [lesson.short(a, lesson.BYTES) for a in (12, 4e3, 5e12)] == ["12 B", "4.00 kB", "5.00 TB"]


def test_an_amount_is_rounded_before_its_unit_is_chosen():
    assert [lesson.short(a) for a in (0, 999, 1000, 999_499, 999_500, 999_999)] == ["0", "999", "1.00 k", "999 k", "1.00 M", "1.00 M"]
    assert [lesson.short(a, lesson.BYTES) for a in (999.9, 999_999_999, 999.9e12, 1e16)] == [
        "1.00 kB",
        "1.00 GB",
        "1000 TB",
        f"10{THIN_SPACE}000 TB",
    ]


def test_every_amount_of_the_explorer_stands_in_its_row(each_language):
    """The captions of the published models, with the amounts that the pieces count."""
    explorer = lesson.counting()
    for name, preset in lesson.PRESETS.items():
        layers = preset.layers + preset.around.get("decoder_layers", 0)
        operations = bloque.count_operations(512, preset.d_model, preset.heads, preset.d_ff, layers).total
        caption = explorer.at(model=name, n=512)
        assert lesson.short(operations) in caption
        assert number(lesson.preset_parameters(name).total) in caption


def test_the_residual_of_a_box_starts_at_a_box_below_it_in_its_own_column():
    for box in lesson.BOXES.values():
        if box.residual:
            start = lesson.BOXES[box.residual]
            assert (start.column, start.level < box.level) == (box.column, True)
