"""The heads of the real model: what lessons 3 and 5 say of them, measured by other means."""

import itertools

import numpy as np
import pytest
from scipy import stats

import bloque
from bloque.lessons import real_heads
from bloque.lessons.real_heads import FOUR_HEADS, Head
from bloque.model import load, words_of
from bloque.texts import text


def test_sixteen_sentences_each_with_its_word_and_its_noun():
    for code, word in (("es", "banco"), ("en", "bank")):
        found = real_heads.examples(code)
        assert len(found) == 16
        assert len({example.text for example in found}) == 16
        assert sorted({example.reading for example in found}, key=[e.reading for e in found].index)[1] == "money"
        for example in found:
            spelled = [w.text for w in words_of(load().pieces(example.text))]
            assert spelled.count(word) == 1, example
            assert spelled.count(example.noun) == 1, example


def test_the_four_heads_are_those_of_the_rules():
    assert real_heads.best_heads() == FOUR_HEADS


def test_the_rule_for_the_noun_by_loops():
    """The same rule, head by head and piece by piece."""
    model, allowed = load(), []
    two = ("Me senté en el banco de mi jardín.", "jardín"), ("Guardé el dinero en el banco.", "dinero")
    maps = {sentence: model.attention_maps(sentence) for sentence, _ in two}  # once: this is all of the test's time
    for layer, head in itertools.product(range(12), range(12)):
        weights = []
        for sentence, noun in two:
            pieces = model.pieces(sentence)
            row = list(maps[sentence][layer, head, pieces.index("▁banco")])
            spot = real_heads.places(pieces, noun)
            if row.index(max(row)) in spot:
                weights.append(sum(row[i] for i in spot))
        if len(weights) == 2:
            allowed.append((sum(weights), layer + 1, head + 1))
    assert [(layer, head) for _, layer, head in allowed] == [tuple(h) for h in real_heads.qualifying("es")] == [(1, 7)]


def test_what_the_prose_says():
    noun = FOUR_HEADS["noun"]
    assert real_heads.right_by_reading(noun, "es") == {"seat": 4, "money": 6}
    assert real_heads.best_counted("es") == (noun, 10)
    assert real_heads.best_counted("en") == (Head(12, 5), 6)
    assert real_heads.qualifying("en") == []
    assert real_heads.on_a_mark("es")[0].sum() == 122
    wrong = [w for w, e in zip(real_heads.looked_at(noun, "es"), real_heads.examples("es"), strict=True) if w != e.noun]
    assert wrong == ["quedó", "mochila", "Esperamos", "gato", "año", "mañana"]


def test_chance_by_drawing():
    """144 heads that look at a piece taken at random, many times over."""
    rng = np.random.default_rng(5)
    p = real_heads.chances("es")
    hits = rng.random((200_000, 16)) < p
    exact = real_heads.number_right_by_chance("es")
    np.testing.assert_allclose(exact.sum(), 1)
    np.testing.assert_allclose(exact[:5], np.bincount(hits.sum(axis=1), minlength=17)[:5] / len(hits), atol=0.005)
    same = np.full(16, p.mean())
    np.testing.assert_allclose(exact[10:].sum(), stats.binom.sf(9, 16, same[0]), rtol=0.6)
    both = (hits[:, 0] & hits[:, 8]).mean() * 144
    assert real_heads.expected_by_chance("es") == pytest.approx(both, rel=0.1)
    assert real_heads.expected_right(10, "es") < 1e-4


def test_in_layer_one_only_the_three_words_count():
    first, second = "Me senté en el banco de mi jardín.", "Me perdí en el banco de mi jardín."
    for head in range(1, 13):
        one, two = (real_heads.weight_ratio(s, Head(1, head), "banco", "jardín", "mi") for s in (first, second))
        assert one == pytest.approx(two, rel=1e-4)
    later = [abs(np.log(real_heads.weight_ratio(s, Head(2, 7), "banco", "jardín", "mi"))) for s in (first, second)]
    assert abs(later[0] - later[1]) > 0.05


def test_maps_between_words_add_up():
    pieces = load().pieces("Los abuelos charlan, contentos.")
    maps = load().attention_maps("Los abuelos charlan, contentos.")
    names, joined = real_heads.by_words(pieces, maps)
    assert names == ["<s>", "Los", "abuelos", "charlan", ",", "contentos", ".", "</s>"]
    np.testing.assert_allclose(joined.sum(axis=-1), 1, atol=1e-5)
    rows, columns = real_heads.places(pieces, "abuelos"), real_heads.places(pieces, "charlan")
    by_hand = np.mean([sum(maps[2, 5, i, j] for j in columns) for i in rows])
    assert joined[2, 5, 2, 3] == pytest.approx(float(by_hand), abs=1e-6)


def test_labels_show_what_goes_on():
    assert real_heads.labels(["<s>", "▁Me", "▁sen", "té", ".", "▁", "</s>"]) == ["<s>", "Me", "sen", "·té", ".", "␣", "</s>"]


def test_a_word_that_is_not_there(each_language):
    with pytest.raises(ValueError, match="perro"):
        real_heads.places(load().pieces("Me senté."), "perro")


@pytest.mark.parametrize("name", real_heads.EXPLORERS)
def test_explorers_are_built_and_walk_their_ends(name, each_language):
    explorer = real_heads.EXPLORERS[name]()
    assert len(explorer.tour) <= 300
    assert explorer.alt == text(f"real_heads.{name}.alt")
    assert explorer.still().startswith(b"\x89PNG")


def test_the_heads_explorer_with_other_sentences(each_language):
    explorer = real_heads.heads()
    unknown = explorer.at(sentence="Mi gato 🙂 va al banco 银行")
    assert "🙂, 银行" in unknown
    long = explorer.at(sentence="casa " * 39 + "casa")
    assert number_of_words(explorer) == 42, long
    too_long = explorer.at(sentence="ñ ü " * 45)
    assert too_long == text("model.too_long", pieces=len(load().vocabulary.cut("ñ ü " * 45)), longest=64)
    assert "0.332" in explorer.at(sentence="Me senté en el banco de mi jardín.", asks=5)
    named = explorer.at(which="previous", words=False)  # the same sentence and word, in pieces
    pieces = load().pieces("Me senté en el banco de mi jardín.")
    row = load().attention_maps("Me senté en el banco de mi jardín.")[0, 2, pieces.index("▁banco")]
    told = {"head": text("real_heads.head", layer=1, head=3), "word": "banco", "top": "el", "weight": f"{row.max():.3f}"}
    assert pieces[row.argmax()] == "▁el"
    assert text("real_heads.heads.caption_named", **told) in named


def number_of_words(explorer):
    return len(explorer.figure.axes[0].images[0].get_array())


def test_the_reader_s_block(each_language):
    good = real_heads.own_block_runs_model(bloque.encoder_block)
    assert good.difference == 0
    assert good.twin > good.other + 0.2
    bad = real_heads.own_block_runs_model(lambda x, parameters, heads: x)
    assert repr(good) != repr(bad)
    assert bad.difference > 0.1


def test_twins_and_what_taking_out_does():
    table = real_heads.cosines()
    assert real_heads.twins_found(table) == real_heads.twins_found(table.T) == 8
    found = {part: real_heads.twins_found(real_heads.cosines(without=part)) for part in ("division", "residual", "norm")}
    assert found == {"division": 8, "residual": 0, "norm": 0}


def test_entropy_similarity_and_deviation_by_hand():
    maps = np.array([[[[0.5, 0.5], [1.0, 0.0]]]])
    assert real_heads.entropies(maps).tolist() == [0.5]
    states = np.array([[[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]])
    np.testing.assert_allclose(real_heads.similarities(states), [1 / 3])
    np.testing.assert_allclose(real_heads.deviations(states), [states.std()])


def test_pictures_say_their_numbers(each_language):
    scored, chance = real_heads.right(each_language), real_heads.chances(each_language).sum()
    layer, head = np.unravel_index(scored.argmax(), scored.shape)
    assert repr(real_heads.counts()) == text(
        "real_heads.counts.caption",
        head=text("real_heads.head", layer=layer + 1, head=head + 1),
        most={"es": 10, "en": 6}[each_language],
        sentences=16,
        mean=f"{scored.mean():.2f}",
        chance=f"{chance:.2f}",
    )
    assert "0.931" in repr(real_heads.sentence_pairs())
    assert real_heads.counts().png().startswith(b"\x89PNG")
