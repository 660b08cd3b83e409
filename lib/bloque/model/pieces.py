"""Word pieces: the cut of a sentence that the model was trained on, found by Viterbi's algorithm."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

SPACE = "▁"  # a piece that begins a word carries this mark
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
MARKS = (BEGIN, "<pad>", END, UNKNOWN)

DROPPED = [*range(1, 9), 11, *range(14, 32), 0x7F, 0x8F, 0x9F]  # control characters
SPACES = [9, 10, 12, 13, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
CLEANED = dict.fromkeys(DROPPED, "") | dict.fromkeys(SPACES, " ")


class Word(NamedTuple):
    """A word of a sentence and the places of its pieces."""

    text: str
    places: tuple[int, ...]


class Vocabulary:
    """The pieces a model knows, and how common each is: a score is the logarithm of a probability."""

    def __init__(self, pieces: Sequence[str], scores: Iterable[float], unknown_score: float) -> None:
        self.pieces = list(pieces)
        self.number = {piece: number for number, piece in enumerate(self.pieces)}
        self._scores = {piece: float(score) for piece, score in zip(pieces, scores, strict=True) if piece not in MARKS}
        self._unknown_score = unknown_score
        self._longest = max(map(len, self._scores))

    def __len__(self) -> int:
        return len(self.pieces)

    def cut(self, sentence: str) -> list[str]:
        """The sentence's pieces between the two marks <s> and </s>."""
        pieces = [piece for word in normalise(sentence).split() for piece in self.cut_word(word)]
        return [BEGIN, *pieces, END]

    def cut_word(self, word: str) -> list[str]:
        """The most probable cut of one word: the one whose scores add up to most.

        best[stop] is the best sum for the word's first `stop` letters: the best over all pieces
        that end there, each added to the best sum of where it starts (Viterbi's algorithm).
        A letter without a piece is unknown; unknown letters in a row count as one mark.
        """
        letters = SPACE + word
        best = [0.0] + [float("-inf")] * len(letters)
        last: list[tuple[int, str]] = [(0, "")] * (len(letters) + 1)
        for start in range(len(letters)):
            for stop in range(start + 1, min(len(letters), start + self._longest) + 1):
                piece = letters[start:stop]
                score = self._scores.get(piece)
                if score is None and stop == start + 1:
                    piece, score = UNKNOWN, self._unknown_score
                if score is not None and best[start] + score > best[stop]:
                    best[stop] = best[start] + score
                    last[stop] = (start, piece)

        cut: list[str] = []
        stop = len(letters)
        while stop:
            stop, piece = last[stop]
            if not (piece == UNKNOWN and cut and cut[-1] == UNKNOWN):
                cut.append(piece)
        return cut[::-1]

    def unknown_words(self, sentence: str) -> list[str]:
        """The words of a sentence that hold a letter without a piece, in order, each once, without the punctuation around them."""
        words = (bare(word) or word for word in normalise(sentence).split())
        return list(dict.fromkeys(word for word in words if UNKNOWN in self.cut_word(word)))


def normalise(sentence: str) -> str:
    """Letters as the model's pieces spell them: composed (NFKC), no control characters, plain spaces."""
    return unicodedata.normalize("NFKC", sentence.translate(CLEANED))


def bare(word: str) -> str:
    """A word without the punctuation before and after it."""
    inside = [place for place, letter in enumerate(word) if not unicodedata.category(letter).startswith("P")]
    return word[inside[0] : inside[-1] + 1] if inside else ""


def words_of(pieces: Sequence[str]) -> list[Word]:
    """The words that pieces make up, with their places; marks and punctuation stand for themselves."""
    words: list[Word] = []
    for place, piece in enumerate(pieces):
        letters = piece.removeprefix(SPACE)
        follows = words and not piece.startswith(SPACE) and not is_mark(piece) and not is_mark(words[-1].text)
        if follows:
            words[-1] = Word(words[-1].text + letters, (*words[-1].places, place))
        else:
            words.append(Word(letters, (place,)))
    return words


def is_mark(piece: str) -> bool:
    """Whether a piece is one of the two marks of a sentence, or nothing but punctuation."""
    letters = piece.removeprefix(SPACE)
    return piece in (BEGIN, END) or (bool(letters) and all(unicodedata.category(letter).startswith("P") for letter in letters))
