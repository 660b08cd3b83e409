"""Word pieces: equal to those of the tokenizers library, and the odd texts."""

import math

import pytest

from bloque.model import words_of
from bloque.model.pieces import Vocabulary, normalise
from bloque.texts import text


def test_sentences_are_cut_as_the_whole_model_cuts_them(model, tokens):
    assert len(tokens["whole"]) == 48  # 32 with «banco» and "bank", 16 twins less one that is both, frequent words
    for sentence, pieces in tokens["whole"].items():
        assert model.vocabulary.cut(sentence) == pieces


def test_odd_texts_are_cut_as_the_library_cuts_them_with_the_same_pieces(model, tokens):
    assert len(tokens["cut"]) == 29
    for odd, pieces in tokens["cut"].items():
        assert model.vocabulary.cut(odd) == pieces, odd


def test_viterbi_finds_the_best_cut_of_all():
    """Every cut of a word tried: none beats the one found, and the greedy one does worse here."""
    scores = {"▁a": -2.0, "▁ab": -2.5, "▁": -3.0, "a": -3.0, "b": -3.5, "c": -3.5, "bc": -2.2, "cd": -9.0, "d": -3.1, "abcd": -9.5}
    vocabulary = Vocabulary(list(scores), list(scores.values()), -20)

    def cuts(letters):
        if not letters:
            yield []
        for stop in range(1, len(letters) + 1):
            if letters[:stop] in scores:
                yield from ([letters[:stop], *rest] for rest in cuts(letters[stop:]))

    every = list(cuts("▁abcd"))
    best = max(every, key=lambda cut: math.fsum(scores[piece] for piece in cut))
    assert len(every) > 5
    assert vocabulary.cut_word("abcd") == best == ["▁a", "bc", "d"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("cafe\u0301", "café"),
        ("a\u200bb", "a b"),
        ("\x07x", "x"),
        ("tab\tulado", "tab ulado"),
        ("ﬁn", "fin"),
        ("▁truco", " truco"),
        ("�", " "),
    ],
)
def test_normalise(given, expected):
    assert normalise(given) == expected


def test_a_mark_that_is_typed_is_spelled_not_obeyed(model):
    pieces = model.pieces("<s> </s> <unk> <pad>")
    assert pieces[0] == "<s>"
    assert pieces[-1] == "</s>"
    assert not set(pieces[1:-1]) & {"<s>", "</s>", "<unk>", "<pad>"}
    assert "".join(pieces[1:-1]).replace("▁", " ").strip() == "<s> </s> <unk> <pad>"


def test_a_rare_word_falls_to_smaller_pieces(model):
    pieces = model.pieces("otorrinolaringólogo")
    assert len(pieces) > 4
    assert "".join(pieces[1:-1]) == "▁otorrinolaringólogo"
    assert model.unknown_words("otorrinolaringólogo") == []


def test_letters_without_a_piece_become_one_unknown_mark(model):
    assert model.pieces("hola 🙂🙂 adiós").count("<unk>") == 1
    assert model.unknown_words("hola 🙂🙂 adiós 银行 y 🙂🙂") == ["🙂🙂", "银行"]
    assert model.unknown_words("hola, «日本», y «hola» 日本.") == ["日本"]  # named without what stands around it
    assert model.attention_maps("银行 مصرف 🙂").shape[-1] == len(model.pieces("银行 مصرف 🙂"))


@pytest.mark.parametrize("nothing", ["", "   ", "\n\t", "\u200b", "\x07"])
def test_an_empty_sentence(model, nothing, each_language):
    with pytest.raises(ValueError, match=r".") as error:
        model.encode(nothing)
    assert str(error.value) == text("model.empty")


def test_a_sentence_that_is_too_long(model, each_language):
    just = " ".join(["casa"] * 62)
    assert len(model.pieces(just)) == model.longest == 64
    assert model.encode(just).shape == (64, 384)
    with pytest.raises(ValueError, match="65") as error:
        model.encode(just + " casa")
    assert str(error.value) == text("model.too_long", pieces=65, longest=64)


@pytest.mark.parametrize("wrong", [None, 3, b"banco", ["banco"]])
def test_what_is_not_text(model, wrong, each_language):
    with pytest.raises(ValueError, match=type(wrong).__name__):
        model.pieces(wrong)


def test_pieces_make_up_their_words(model):
    words = words_of(model.pieces("¿Me senté, de veras, en el banco?"))
    assert [word.text for word in words] == ["<s>", "¿", "Me", "senté", ",", "de", "veras", ",", "en", "el", "banco", "?", "</s>"]
    assert [place for word in words for place in word.places] == list(range(len(model.pieces("¿Me senté, de veras, en el banco?"))))
