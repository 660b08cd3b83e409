"""Lesson 3: what its pictures compute, against the pieces and by hand."""

import numpy as np
import pytest

import bloque
from bloque.lessons import multi_head as lesson


def test_two_rules_in_one_row_share_what_each_has_whole_in_a_head_of_its_own():
    alone, apart = lesson.one_head(6, 6), lesson.two_heads(6, 6)
    assert alone[lesson.FIRST] == alone[lesson.SECOND] < 0.5
    assert apart[0, lesson.FIRST] == apart[1, lesson.SECOND] > 0.98
    assert np.allclose([alone.sum(), *apart.sum(axis=1)], 1)
    e6, others = np.exp(6), lesson.TOKENS - 1
    assert apart[0, lesson.FIRST] == pytest.approx(e6 / (e6 + others))


def test_the_reader_s_softmax_is_the_one_that_is_used():
    assert lesson.one_head(3, 1, softmax=lambda scores: scores).tolist() == [*lesson.rule(lesson.FIRST, 3).tolist()[:5], 1, 0, 0]


@pytest.mark.parametrize("heads", [1, 2, 8])
def test_the_split_keeps_the_count_and_heads_of_full_width_multiply_it(heads):
    parameters = bloque.multi_head_parameters(16, heads, bias=False)
    assert lesson.attention_weights_count(16) == sum(W.size for W in parameters[:4])
    wide = 3 * heads * np.zeros((16, 16)).size + np.zeros((heads * 16, 16)).size  # W_Q, W_K, W_V a head, and W_O
    assert lesson.wide_heads_count(16, heads) == wide


def test_operations_are_those_the_library_counts():
    n, d_model = 10, 12
    counted = bloque.count_operations(n, d_model, 1, 0)
    found = lesson.operations(n, d_model)
    assert found["whole"] == counted.total
    assert found["mixing"] == counted.scores == counted.weighted_sum
    assert lesson.operations(d_model, d_model)["mixing"] == lesson.operations(d_model, d_model)["recurrence"]  # where they cross


@pytest.mark.parametrize("heads", [1, 2, 3, 6])
def test_the_columns_of_a_head_are_those_that_split_heads_gives_it(heads):
    columns = np.arange(6)[None]  # one token, each column with its own number
    owner = lesson.head_of_columns(6, heads)
    for head, of_head in enumerate(bloque.split_heads(columns, heads)):
        assert (owner[of_head.ravel()] == head).all()


def test_a_straight_reshape_mixes_tokens_unless_there_is_one_head():
    x = np.repeat(np.arange(4)[:, None], 6, axis=1)  # each row full of its token's number
    assert all(len(set(row)) == 1 for row in lesson.reshaped_straight(x, 1)[0])
    split = lesson.reshaped_straight(x, 3)
    assert split.shape == bloque.split_heads(x, 3).shape
    assert not np.array_equal(split, bloque.split_heads(x, 3))


@pytest.mark.parametrize("heads", [1, 3])
def test_the_caption_about_shapes_counts_the_rows_in_the_wrong_place(heads, each_language):
    explorer = lesson.shapes()
    assert f"h = {heads}" in explorer.at(heads=heads, way="straight")
    assert f"0 {'de' if each_language == 'es' else 'of'} {4 * heads}" in explorer.at(way="transpose")
