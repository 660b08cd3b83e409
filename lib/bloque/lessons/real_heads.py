"""The heads of a real model, for lessons 3 and 5: what they look at, and what their parts are for.

The measurements use the sentences of data/: sixteen a language with «banco» or "bank", and the noun
that decides each; and eight twins. Layers and heads are counted from 1 here, as a reader counts.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

import bloque
from bloque import number
from bloque.explore import Choice, Explorer, Picture, Sentence, Slider, Switch, style
from bloque.files import data_file
from bloque.lessons import residual_norm
from bloque.lessons.softmax_saturation import entropy
from bloque.model import load, words_of
from bloque.model.pieces import SPACE, is_mark
from bloque.texts import text

LAYERS = HEADS = 12
REMOVED = ("whole", "division", "residual", "norm")
MOST_LABELS = 36  # more tokens than this, and every second one is named


class Head(NamedTuple):
    """A head, counted from 1."""

    layer: int
    head: int

    def of(self, maps: np.ndarray) -> np.ndarray:
        """Its part of an array whose first two axes are layers and heads."""
        return maps[self.layer - 1, self.head - 1]

    def __str__(self) -> str:
        return text("real_heads.head", layer=self.layer, head=self.head)


# What the rules of `best_heads` choose in this model; a test holds them to it.
FOUR_HEADS = {"noun": Head(1, 7), "previous": Head(1, 3), "next": Head(3, 7), "delimiters": Head(6, 1)}


# ── The sentences, and where their words are ─────────────────────────────────────────────────────


class Example(NamedTuple):
    """A sentence with an ambiguous word, which reading it has, and the noun that decides it."""

    text: str
    reading: str
    noun: str


class Measured(NamedTuple):
    """A sentence's pieces, where two of its words are, and every head's weights."""

    pieces: list[str]
    word: tuple[int, ...]
    noun: tuple[int, ...]
    maps: np.ndarray  # (layers, heads, n, n)


def ambiguous_word(language: str | None = None) -> str:
    """«banco» or "bank"."""
    return str(_bank()["word"][spoken(language or bloque.language())])


def spoken(language: str) -> str:
    """The language of the sentences: the model's vocabulary was cut to two, so a third reads the English ones."""
    return language if language in _bank() else "en"


@functools.cache
def examples(language: str) -> tuple[Example, ...]:
    """The sixteen sentences of a language: eight of each reading, in the order of the file."""
    readings = _bank()[spoken(language)]
    return tuple(Example(item["text"], reading, item["noun"]) for reading in readings for item in readings[reading])


@functools.cache
def _bank() -> dict[str, Any]:
    return tomllib.loads(data_file("bank_sentences.toml").read_text(encoding="utf-8"))


@functools.cache
def twins() -> tuple[tuple[str, str], ...]:
    """The eight sentences in Spanish and in English."""
    pairs = tomllib.loads(data_file("twin_sentences.toml").read_text(encoding="utf-8"))["pair"]
    return tuple((pair["es"], pair["en"]) for pair in pairs)


def places(pieces: Sequence[str], word: str) -> tuple[int, ...]:
    """Where the pieces of a word are; its first appearance, if it has several.

    Raises ValueError when the sentence has no such word.
    """
    for found in words_of(pieces):
        if found.text == word:
            return found.places
    raise ValueError(text("real_heads.no_word", word=word, sentence=" ".join(w.text for w in words_of(pieces))))


@functools.cache
def measured(language: str) -> tuple[Measured, ...]:
    """The sixteen sentences, run through the model."""
    model, word = load(), ambiguous_word(language)
    done = []
    for example in examples(language):
        pieces = model.pieces(example.text)
        maps = model.attention_maps(example.text)
        done.append(Measured(pieces, places(pieces, word), places(pieces, example.noun), maps))
    return tuple(done)


# ── Which heads, and how honestly ────────────────────────────────────────────────────────────────


def row_of(word: tuple[int, ...], maps: np.ndarray) -> np.ndarray:
    """The weights of a word, (layers, heads, n): the mean of its pieces' rows."""
    return maps[:, :, list(word)].mean(axis=2)


@functools.cache
def largest(language: str) -> np.ndarray:
    """The piece that gets the largest weight from the ambiguous word: (16, layers, heads)."""
    return np.stack([row_of(m.word, m.maps).argmax(axis=-1) for m in measured(language)])


@functools.cache
def finds_noun(language: str) -> np.ndarray:
    """Whether that piece belongs to the deciding noun: (16, layers, heads), boolean."""
    return np.stack([np.isin(top, m.noun) for top, m in zip(largest(language), measured(language), strict=True)])


@functools.cache
def noun_weight(language: str) -> np.ndarray:
    """The weight that the deciding noun gets from the ambiguous word: (16, layers, heads)."""
    return np.stack([row_of(m.word, m.maps)[..., list(m.noun)].sum(axis=-1) for m in measured(language)])


@functools.cache
def on_a_mark(language: str) -> np.ndarray:
    """Whether that piece is <s>, </s> or a full stop: (16, layers, heads), boolean."""
    marks = [[is_mark(piece) for piece in m.pieces] for m in measured(language)]
    return np.stack([np.array(mark)[top] for mark, top in zip(marks, largest(language), strict=True)])


def chances(language: str) -> np.ndarray:
    """For each sentence, how often a piece taken at random belongs to the deciding noun: (16,)."""
    return np.array([len(m.noun) / len(m.pieces) for m in measured(language)])


def chosen_on(language: str) -> tuple[int, int]:
    """The places of the two sentences on which the head is chosen: the first of each reading."""
    readings = [example.reading for example in examples(language)]
    return 0, readings.index(next(reading for reading in readings if reading != readings[0]))


def qualifying(language: str) -> list[Head]:
    """The heads whose largest weight falls on the deciding noun in both sentences of the choice."""
    both = finds_noun(language)[list(chosen_on(language))].all(axis=0)
    return [Head(int(layer) + 1, int(head) + 1) for layer, head in np.argwhere(both)]


def expected_by_chance(language: str) -> float:
    """How many of the 144 heads would qualify if each looked at a piece taken at random."""
    first, second = chances(language)[list(chosen_on(language))]
    return float(LAYERS * HEADS * first * second)


def right(language: str) -> np.ndarray:
    """In how many of the sixteen sentences each head finds the noun: (layers, heads)."""
    return finds_noun(language).sum(axis=0)


def right_by_reading(head: Head, language: str) -> dict[str, int]:
    """In how many of the eight sentences of each reading a head finds the noun."""
    found: dict[str, int] = {}
    for example, hits in zip(examples(language), finds_noun(language), strict=True):
        found[example.reading] = found.get(example.reading, 0) + int(head.of(hits))
    return found


def best_counted(language: str) -> tuple[Head, int]:
    """The head that finds the noun in most of the sixteen sentences, and in how many."""
    counts = right(language)
    layer, head = np.unravel_index(counts.argmax(), counts.shape)
    return Head(int(layer) + 1, int(head) + 1), int(counts.max())


def looked_at(head: Head, language: str) -> list[str]:
    """The word that gets the head's largest weight in each of the sixteen sentences."""
    words = []
    for m, top in zip(measured(language), largest(language), strict=True):
        place = int(head.of(top))
        words.append(next(word.text for word in words_of(m.pieces) if place in word.places))
    return words


def distances(language: str) -> np.ndarray:
    """How many pieces lie from the ambiguous word to the nearest piece of its noun: (16,)."""
    return np.array([min(abs(i - j) for i in m.word for j in m.noun) for m in measured(language)])


def kinds_of_weight(pieces: Sequence[str], maps: np.ndarray) -> dict[str, np.ndarray]:
    """The mean weight of each head on the piece before, the piece after, and <s> with </s>: (layers, heads).

    Only pieces of the sentence itself ask, and only those that have such a neighbour.
    """
    n = len(pieces)
    inner = np.arange(1, n - 1)
    return {
        "previous": maps[:, :, inner[1:], inner[:-1]].mean(axis=-1),
        "next": maps[:, :, inner[:-1], inner[1:]].mean(axis=-1),
        "delimiters": maps[:, :, inner][..., [0, n - 1]].sum(axis=-1).mean(axis=-1),
    }


@functools.cache
def mean_kinds(language: str) -> dict[str, np.ndarray]:
    """`kinds_of_weight`, averaged over the sixteen sentences."""
    found = [kinds_of_weight(m.pieces, m.maps) for m in measured(language)]
    return {kind: np.mean([one[kind] for one in found], axis=0) for kind in found[0]}


def best_heads() -> dict[str, Head]:
    """The four heads worth seeing, by rule.

    "noun": of the heads that qualify in Spanish, the one with the largest sum of weights on the two
    nouns. The others: the largest mean weight, over the sentences of both languages, on the word
    before, the word after, and the two marks.
    """
    weights = noun_weight("es")[list(chosen_on("es"))].sum(axis=0)
    chosen = {"noun": max(qualifying("es"), key=lambda head: head.of(weights))}
    for kind in ("previous", "next", "delimiters"):
        mean = mean_kinds("es")[kind] + mean_kinds("en")[kind]
        layer, head = np.unravel_index(mean.argmax(), mean.shape)
        chosen[kind] = Head(int(layer) + 1, int(head) + 1)
    return chosen


def number_right_by_chance(language: str) -> np.ndarray:
    """The chances of 0, 1 … 16 sentences right for a head that looks at pieces taken at random: (17,)."""
    spread = np.array([1.0])
    for p in chances(language):  # one sentence more: right with chance p
        spread = np.convolve(spread, [1 - p, p])
    return spread


def expected_right(at_least: int, language: str) -> float:
    """How many of the 144 heads would find the noun in so many of the sixteen sentences, by chance."""
    return float(LAYERS * HEADS * number_right_by_chance(language)[at_least:].sum())


def weight_ratio(sentence: str, head: Head, word: str, asked: str, other: str) -> float:
    """How many times as much weight `word` puts on `asked` as on `other`: what the rest of the sentence
    adds to the softmax's sum divides both alike, so this is a matter of the three words only."""
    pieces, maps = _seen(sentence)
    row = head.of(maps)[places(pieces, word)[0]]
    return float(row[places(pieces, asked)[0]] / row[places(pieces, other)[0]])


# ── Maps and labels ──────────────────────────────────────────────────────────────────────────────


def labels(pieces: Sequence[str]) -> list[str]:
    """Pieces as a figure names them: a piece that goes on with a word begins with "·"."""
    shown = []
    for piece in pieces:
        letters = piece.removeprefix(SPACE)
        goes_on = not piece.startswith(SPACE) and not is_mark(piece)
        shown.append("·" + letters if goes_on else letters or "␣")
    return shown


def by_words(pieces: Sequence[str], maps: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The same maps between words: the weights on a word's pieces added, its pieces' rows averaged.

    maps: (..., n, n). Returns the words and (..., words, words); every row still adds up to 1.
    """
    words = words_of(pieces)
    belongs = np.zeros((len(words), len(pieces)), np.float32)
    for row, word in enumerate(words):
        belongs[row, list(word.places)] = 1
    averages = belongs / belongs.sum(axis=1, keepdims=True)
    return [word.text for word in words], averages @ maps @ belongs.T


def heads(sentence: str | None = None) -> Explorer:
    """Every head of the real model on a sentence of the reader's."""
    language = bloque.language()
    word = ambiguous_word(language)
    start = sentence or examples(language)[0].text
    asking = [w.text for w in words_of(load().pieces(start))]
    explorer = Explorer(
        "real_heads.heads",
        figsize=(9.6, 5.6),
        controls=[
            Sentence("sentence", start),
            Choice("which", ["sliders", *FOUR_HEADS], value="sliders"),
            Slider("layer", 1, LAYERS, value=1),
            Slider("head", 1, HEADS, value=7),
            Slider("asks", 1, 20, value=asking.index(word) if word in asking else 1),
            Switch("words", value=True),
        ],
        tour=[{"layer": layer, "head": head} for layer in range(1, LAYERS + 1) for head in range(1, HEADS + 1)]
        + [{"which": which, "words": words} for which in FOUR_HEADS for words in (True, False)],
        strip=[{"which": which} for which in FOUR_HEADS],
    )
    picture = MapAndRow(explorer.figure, most=load().longest)
    explorer.moving(*picture.moving)

    @explorer.frame
    def frame(sentence: str, which: str, layer: int, head: int, asks: int, words: bool) -> str:
        chosen = FOUR_HEADS.get(which, Head(int(layer), int(head)))
        try:
            pieces, maps = _seen(sentence)
        except ValueError as error:  # too long, or nothing in it: said in the caption, and nothing shown
            if picture.name([""]):
                explorer.redraw()
            picture.hide()
            return str(error)
        spoken = words_of(pieces)
        asker = spoken[min(int(asks), len(spoken) - 1)]
        if words:
            names, weights = by_words(pieces, chosen.of(maps))
            place = spoken.index(asker)
        else:
            names, weights = labels(pieces), chosen.of(maps)
            place = asker.places[0]
        if picture.name(names):
            explorer.redraw()
        picture.set(weights, place)
        top = int(weights[place].argmax())
        caption = text(
            "real_heads.heads.caption_named" if which in FOUR_HEADS else "real_heads.heads.caption",
            head=str(chosen),
            word=names[place],
            top=names[top],
            weight=number(float(weights[place, top]), 3),
        )
        return " ".join([caption, *_notes(sentence, pieces)])

    return explorer


class MapAndRow:
    """A map of weights with one row marked, and that row again as bars; at most ``most`` tokens."""

    def __init__(self, figure: Any, most: int):
        self.grid, self.row = figure.subplots(1, 2, width_ratios=[1.25, 1])
        self.image = self.grid.imshow([[0.0]], cmap=style.HEAT, norm=PowerNorm(0.5, 0, 1))  # by the root: small weights show too
        self.asked = self.grid.add_patch(Rectangle((0, 0), 1, 1, fill=False, edgecolor=style.ACCENT, linewidth=2.5))
        self.grid.set_xlabel(text("real_heads.keys"), color=style.KEYS)
        self.grid.set_ylabel(text("real_heads.queries"), color=style.QUERIES)
        self.bars = self.row.barh(range(most), np.zeros(most), height=0.7, color=style.WEIGHTS)
        self.row.set(xlim=(0, 1), xlabel=text("real_heads.heads.weight"))
        self.title = self.row.set_title("")
        figure.colorbar(self.image, ax=self.grid, shrink=0.6, pad=0.02).set_label(text("real_heads.heads.weight"))
        self.names: list[str] = []

    @property
    def moving(self) -> list[Any]:
        return [self.image, self.asked, *self.bars, self.title]

    def name(self, names: list[str]) -> bool:
        """Write the tokens along the axes; whether they are others than before, and all must be drawn again."""
        if names == self.names:
            return False
        self.names = names
        n = len(names)
        every = 1 if n <= MOST_LABELS else 2
        ticks = range(0, n, every)
        self.grid.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
        self.grid.set_xticks(ticks, names[::every], rotation=90)
        self.grid.set_yticks(ticks, names[::every])
        self.row.set_yticks(ticks, names[::every])
        self.row.set_ylim(n - 0.5, -0.5)
        self.image.set_extent((-0.5, n - 0.5, n - 0.5, -0.5))
        return True

    def hide(self) -> None:
        """Show no map: there is none to show."""
        for artist in (self.image, self.asked, *self.bars):
            artist.set_visible(False)
        self.title.set_text("")

    def set(self, weights: np.ndarray, place: int) -> None:
        """The weights (n, n) of the tokens that were named, and which of them asks."""
        n = len(self.names)
        self.image.set_data(weights)
        self.asked.set_bounds(-0.5, place - 0.5, n, 1)
        self.image.set_visible(True)
        self.asked.set_visible(True)
        for i, bar in enumerate(self.bars):
            bar.set_visible(i < n)
            bar.set_width(float(weights[place, i]) if i < n else 0)
        self.title.set_text(text("real_heads.heads.row", word=self.names[place]))


@functools.lru_cache(maxsize=32)
def _seen(sentence: str) -> tuple[list[str], np.ndarray]:
    model = load()
    return model.pieces(sentence), model.attention_maps(sentence)


def _notes(sentence: str, pieces: Sequence[str]) -> list[str]:
    """What the cut vocabulary did to the sentence: words in pieces, and words it cannot spell."""
    unknown = load().unknown_words(sentence)
    apart = ["·".join(pieces[i].removeprefix(SPACE) for i in word.places) for word in words_of(pieces) if len(word.places) > 1]
    apart = [word for word in apart if "<unk>" not in word]
    notes = []
    if apart:
        notes.append(text("real_heads.heads.apart", words=", ".join(apart)))
    if unknown:
        notes.append(text("real_heads.heads.unknown", words=", ".join(unknown)))
    return notes


# ── The honest reading, drawn ────────────────────────────────────────────────────────────────────


def overview() -> Explorer:
    """All 144 heads at once, sentence by sentence: which of them find the noun, which look at a mark."""
    language = bloque.language()
    sentences = examples(language)
    weight, finds, mark = noun_weight(language), finds_noun(language), on_a_mark(language)
    chosen = FOUR_HEADS["noun"]
    explorer = Explorer(
        "real_heads.overview",
        figsize=(6.6, 5.4),
        controls=[Slider("sentence", 1, len(sentences), value=1)],
        strip=[{"sentence": k} for k in (1, 3, 8, 9, 15)],
    )
    axes = explorer.figure.subplots()
    image = axes.imshow(weight[0], cmap=style.HEAT, vmin=0, vmax=0.6, extent=(0.5, HEADS + 0.5, LAYERS + 0.5, 0.5))
    colours = explorer.figure.colorbar(image, ax=axes, pad=0.02)
    colours.set_label(text("real_heads.overview.weight"))
    axes.set(xlabel=text("real_heads.overview.head"), ylabel=text("real_heads.overview.layer"))
    axes.set_xticks(range(1, HEADS + 1))
    axes.set_yticks(range(1, LAYERS + 1))
    axes.add_patch(Rectangle((chosen.head - 0.5, chosen.layer - 0.5), 1, 1, fill=False, edgecolor=style.TEXT, linewidth=2))
    (dots,) = axes.plot([], [], ".", color=style.MUTED, markersize=5, label=text("real_heads.overview.mark"))
    (rings,) = axes.plot(
        [], [], "o", color=style.ACCENT, markersize=14, markerfacecolor="none", markeredgewidth=2.5, label=text("real_heads.overview.noun")
    )
    explorer.figure.legend(handles=[dots, rings], loc="outside upper center", ncols=2)
    explorer.moving(image, dots, rings)

    @explorer.frame
    def frame(sentence: int) -> str:
        k = int(sentence) - 1
        image.set_data(weight[k])
        dots.set_data(*(np.argwhere(mark[k]).T[::-1] + 1))
        rings.set_data(*(np.argwhere(finds[k]).T[::-1] + 1))
        example = sentences[k]
        return text(
            "real_heads.overview.caption",
            sentence=example.text,
            noun=example.noun,
            found=int(finds[k].sum()),
            marks=int(mark[k].sum()),
            head=str(chosen),
            weight=number(float(chosen.of(weight[k])), 3),
            looks=looked_at(chosen, language)[k],
        )

    return explorer


def counts() -> Picture:
    """How many of the sixteen sentences each head gets right, beside what chance would give."""
    language = bloque.language()
    scored = right(language)
    expected = LAYERS * HEADS * number_right_by_chance(language)
    best, most = best_counted(language)
    figure = style.figure("real_heads.counts", (9, 3.2))
    axes = figure.subplots()
    axes.bar(range(17), np.bincount(scored.ravel(), minlength=17), color=style.WEIGHTS, label=text("real_heads.counts.heads"))
    axes.plot(range(17), expected, "o--", color=style.ACCENT, markersize=5, label=text("real_heads.counts.chance"))
    axes.set_yscale("symlog", linthresh=1)
    axes.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    axes.set(xlim=(-0.6, 16.6), ylim=(0, 250), xlabel=text("real_heads.counts.right"), ylabel=text("real_heads.counts.number"))
    axes.set_xticks(range(17))
    axes.annotate(str(best), (most, 1), (most, 4), ha="center", arrowprops={"arrowstyle": "->", "color": style.TEXT})
    axes.legend(loc="upper right")
    caption = text(
        "real_heads.counts.caption",
        head=str(best),
        most=most,
        sentences=len(examples(language)),
        mean=number(float(scored.mean()), 2),
        chance=number(float(chances(language).sum()), 2),
    )
    return Picture(figure, caption, text("real_heads.counts.alt"))


# ── Lesson 5: the block at work ──────────────────────────────────────────────────────────────────


class OwnBlock:
    """How a reader's block did in the place of the library's."""

    def __init__(self, difference: float, twin: float, other: float) -> None:
        self.difference, self.twin, self.other = difference, twin, other

    def __repr__(self) -> str:
        same = self.difference < 1e-4
        return text(
            "real_heads.own_block.same" if same else "real_heads.own_block.different",
            layers=LAYERS,
            difference=number(self.difference, significant=1) if not same else "",
            twin=number(self.twin, 3),
            other=number(self.other, 3),
        )


def own_block_runs_model(block: Callable[..., Any]) -> OwnBlock:
    """Run all twelve layers of the real model with a block of the reader's.

    It is called as `bloque.encoder_block` is. The result says how far its rows are from the
    library's, and the cosine of a sentence with its twin and with another sentence.
    """
    model = load()
    (spanish, english), (_, other) = twins()[0], twins()[1]
    rows = [model.encode(sentence, block=block) for sentence in (spanish, english, other)]
    difference = float(np.abs(rows[0] - model.encode(spanish)).max())
    vectors = [row.mean(axis=0) / np.linalg.norm(row.mean(axis=0)) for row in rows]
    return OwnBlock(difference, float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2]))


def cosines(*, block: Callable[..., Any] | None = None, without: str | Sequence[str] = ()) -> np.ndarray:
    """The cosines between the eight Spanish sentences (rows) and the eight English ones (columns): (8, 8)."""
    model = load()
    spanish, english = (np.stack([model.sentence_vector(pair[side], block=block, without=without) for pair in twins()]) for side in (0, 1))
    return spanish @ english.T


def twins_found(table: np.ndarray) -> int:
    """How many rows have their largest cosine on the diagonal, at their own twin."""
    return int((table.argmax(axis=1) == np.arange(len(table))).sum())


def sentence_pairs(block: Callable[..., Any] | None = None, *, without: str | Sequence[str] = ()) -> Picture:
    """Each Spanish sentence against each English one: twins on the diagonal."""
    table = cosines(block=block, without=without)
    twin = table.diagonal()
    others = table[~np.eye(len(table), dtype=bool)]
    figure = style.figure("real_heads.pairs", (8, 4.4))
    axes = figure.subplots()
    image = axes.imshow(table, cmap=style.HEAT, vmin=0.7, vmax=1)
    middle = 0.85
    for (i, j), value in np.ndenumerate(table):
        axes.text(j, i, number(float(value), 2), ha="center", va="center", fontsize=9, color="white" if value > middle else style.TEXT)
    axes.set_xticks(range(len(table)), [str(k + 1) for k in range(len(table))])
    axes.set_yticks(range(len(table)), [f"{k + 1} · {spanish}\n{english}" for k, (spanish, english) in enumerate(twins())])
    axes.set(xlabel=text("real_heads.pairs.english"), ylabel=text("real_heads.pairs.spanish"))
    figure.colorbar(image, ax=axes, shrink=0.8).set_label(text("real_heads.pairs.cosine"))
    caption = text(
        "real_heads.pairs.caption",
        found=twins_found(table),
        of=len(table),
        least=number(float(twin.min()), 3),
        mean=number(float(twin.mean()), 3),
        others=number(float(others.mean()), 3),
        most=number(float(others.max()), 3),
    )
    return Picture(figure, caption, text("real_heads.pairs.alt"))


def entropies(maps: np.ndarray) -> np.ndarray:
    """The mean entropy of the rows of weights in each layer, in bits: (layers, heads, n, n) -> (layers,)."""
    return entropy(maps).mean(axis=(1, 2)) / np.log(2)


def similarities(states: np.ndarray) -> np.ndarray:
    """The mean cosine between two different rows: (layers, n, d_model) -> (layers,)."""
    return residual_norm.similarity(residual_norm.cosines(states))


def deviations(states: np.ndarray) -> np.ndarray:
    """The deviation of all numbers of each layer: (layers, n, d_model) -> (layers,)."""
    return states.std(axis=(-1, -2), dtype=np.float64)


def ablations(sentence: str | None = None) -> Explorer:
    """The real model without the division by √d_k, without residuals, without norms."""
    sentence = sentence or examples(bloque.language())[0].text
    model = load()
    traces = {name: model.trace(sentence, without=() if name == "whole" else name) for name in REMOVED}
    names = labels(traces["whole"].pieces)
    entropy_of = {name: entropies(trace.maps) for name, trace in traces.items()}
    similarity = {name: similarities(trace.states) for name, trace in traces.items()}
    spread = {name: deviations(trace.states) for name, trace in traces.items()}
    layers = np.arange(LAYERS + 1)
    explorer = Explorer(
        "real_heads.ablations",
        figsize=(9.6, 4.2),
        controls=[
            Choice("without", list(REMOVED), value="whole"),
            Slider("layer", 1, LAYERS, value=3),
            Slider("head", 1, HEADS, value=7),
        ],
        tour=[{"without": name, "layer": layer} for name in REMOVED for layer in range(1, LAYERS + 1)]
        + [{"without": name, "head": head} for name in REMOVED for head in range(1, HEADS + 1)],
        strip=[{"without": name} for name in REMOVED],
    )
    grid, bits, alike = explorer.figure.subplots(1, 3, width_ratios=[1.25, 1, 1])
    n = len(names)
    image = grid.imshow(np.zeros((n, n)), cmap=style.HEAT, norm=PowerNorm(0.5, 0, 1))
    grid.set_xticks(range(n), names, rotation=90)
    grid.set_yticks(range(n), names)
    grid.set_xlabel(text("real_heads.keys"), color=style.KEYS)
    grid.set_ylabel(text("real_heads.queries"), color=style.QUERIES)
    grid.set_title(text("real_heads.ablations.map"))

    bits.plot(layers[1:], entropy_of["whole"], "--", color=style.MUTED, label=text("real_heads.ablations.whole"))
    (entropy_line,) = bits.plot(layers[1:], entropy_of["whole"], "-", color=style.WEIGHTS, label=text("real_heads.ablations.present"))
    bits.axhline(np.log2(n), color=style.TEXT, linestyle=":", linewidth=1)
    bits.annotate(text("real_heads.ablations.uniform"), (12.4, np.log2(n)), (0, 3), textcoords="offset points", ha="right", fontsize=9)
    bits.set(xlim=(0.5, 12.5), ylim=(-0.1, np.log2(n) * 1.25), xlabel=text("real_heads.ablations.layer"))
    bits.set_title(text("real_heads.ablations.entropy"))

    alike.plot(layers, similarity["whole"], "--", color=style.MUTED)
    (alike_line,) = alike.plot(layers, similarity["whole"], "-", color=style.WEIGHTS)
    alike.set(xlim=(-0.5, 12.5), ylim=(0, 1.05), xlabel=text("real_heads.ablations.layer"))
    alike.set_title(text("real_heads.ablations.similarity"))
    here = [axes.axvline(1, color=style.ACCENT, linewidth=1.5) for axes in (bits, alike)]
    for axes in (bits, alike):
        axes.set_xticks([1, 3, 6, 9, 12])
    explorer.figure.legend(*bits.get_legend_handles_labels(), loc="outside upper right", ncols=2)
    explorer.moving(image, entropy_line, alike_line, *here)

    @explorer.frame
    def frame(without: str, layer: int, head: int) -> str:
        chosen = Head(int(layer), int(head))
        image.set_data(chosen.of(traces[without].maps))
        entropy_line.set_ydata(entropy_of[without])
        alike_line.set_ydata(similarity[without])
        for line in here:
            line.set_xdata([chosen.layer, chosen.layer])
        return text(
            "real_heads.ablations.caption",
            without=text(f"real_heads.ablations.options.without.{without}"),
            layer=chosen.layer,
            entropy=number(float(entropy_of[without][chosen.layer - 1]), 2),
            similarity=number(float(similarity[without][chosen.layer]), 3),
            deviation=number(float(spread[without][chosen.layer]), significant=3),
        )

    return explorer


EXPLORERS = {"heads": heads, "overview": overview, "ablations": ablations}
