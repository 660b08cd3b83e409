"""Counting: the course's three numbers, and real checkpoints to the last parameter."""

import numpy as np
import pytest

import bloque


def bert(d_model, heads, layers):
    return bloque.count_parameters(
        *(d_model, heads, 4 * d_model, layers),
        attention_bias=True,
        vocabulary=30_522,
        positions=512,
        types=2,
        embedding_norm=True,
        pooler=True,
    )


def gpt2(d_model, heads, layers):
    return bloque.count_parameters(
        *(d_model, heads, 4 * d_model, layers),
        attention_bias=True,
        vocabulary=50_257,
        positions=1024,
        final_norm=True,
        output=True,
    )


@pytest.mark.parametrize(
    ("count", "total"),
    [
        (bert(768, 12, 12), 109_482_240),
        (bert(1024, 16, 24), 335_141_888),
        (gpt2(768, 12, 12), 124_439_808),
        (gpt2(1024, 16, 24), 354_823_168),
        (gpt2(1280, 20, 36), 774_030_080),
        (gpt2(1600, 25, 48), 1_557_611_200),
    ],
)
def test_real_checkpoints(count, total):
    assert count.total == total


def test_the_three_numbers_of_a_block():
    assert bloque.count_parameters(512, 8, 2048, feed_forward_bias=False, norms=False).total == 3_145_728
    assert bloque.count_parameters(512, 8, 2048).total == 3_150_336
    assert bloque.count_parameters(512, 8, 2048, attention_bias=True).total == 3_152_384
    assert bloque.count_parameters(512, 8, 2048, layers=6).total == 18_902_016
    assert bloque.count_parameters(512, 8, 2048, layers=12, feed_forward_bias=False, norms=False).total == 37_748_736


def test_the_network_has_twice_the_weights_of_attention():
    parts = bloque.count_parameters(512, 8, 2048, feed_forward_bias=False, norms=False)
    assert (parts.attention, parts.feed_forward) == (1_048_576, 2_097_152)


def test_the_paper_s_two_models():
    def translator(d_model, heads, d_ff):
        return bloque.count_parameters(d_model, heads, d_ff, 6, decoder_layers=6, attention_bias=True, vocabulary=37_000, output=True)

    assert round(translator(512, 8, 2048).total / 1e6, 1) == 63.1
    assert round(translator(1024, 16, 4096).total / 1e6, 1) == 214.2


@pytest.mark.parametrize("bias", [False, True])
def test_counts_what_block_parameters_makes(bias):
    def size(part):
        return 0 if part is None else sum(map(size, part)) if isinstance(part, tuple) else np.size(part)

    made = bloque.block_parameters(12, 3, 20, attention_bias=bias)
    counted = bloque.count_parameters(12, 3, 20, attention_bias=bias)
    assert counted.total == size(made)
    assert (counted.attention, counted.feed_forward) == (size(made.attention), size(made.feed_forward))
    assert counted.norms == size(made.attention_norm) + size(made.feed_forward_norm)


def test_an_output_of_its_own_costs_another_table():
    tied = bloque.count_parameters(12, 3, 20, vocabulary=100, output=True)
    untied = bloque.count_parameters(12, 3, 20, vocabulary=100, output=True, tied_output=False)
    assert untied.output == untied.total - tied.total == 1200


def test_operations_are_the_products_of_the_forward_pass():
    n, d_model, heads, d_ff = 7, 12, 3, 20
    count = bloque.count_operations(n, d_model, heads, d_ff, layers=2)
    assert count.projections == 2 * 4 * n * d_model * d_model
    assert count.scores == count.weighted_sum == 2 * heads * n * n * (d_model // heads)
    assert count.feed_forward == 2 * 2 * n * d_model * d_ff
    assert count.total == count.projections + count.scores + count.weighted_sum + count.feed_forward
    assert bloque.count_operations(2 * n, d_model, heads, d_ff).scores == 4 * bloque.count_operations(n, d_model, heads, d_ff).scores


def test_heads_do_not_change_a_count():
    assert len({bloque.count_parameters(512, heads, 2048).total for heads in (1, 2, 4, 8)}) == 1


@pytest.mark.parametrize(("name", "value"), [("layers", -1), ("vocabulary", 1.5), ("positions", True)])
def test_sizes_are_whole_numbers(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a whole number"):
        bloque.count_parameters(12, 3, 20, **{name: value})
