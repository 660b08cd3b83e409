"""The attention maps of two well-known models, for those with a connection; the course never needs them.

    python tools/real_attention.py                  both models, into data/bert_attention.json
    python tools/real_attention.py --out FILE       elsewhere
    python tools/real_attention.py --model DIR      one saved model of your own, on disk

Needs torch and transformers, and downloads about 1.1 GB the first time. The head is chosen by the
rule of lesson 3: among those whose largest weight from the ambiguous word falls on the deciding noun
in both sentences, the one with the largest sum of the two weights. Without what it needs it says so,
and leaves everything as it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Source(NamedTuple):
    """A model at a revision that does not move, and the two sentences it is asked about."""

    name: str
    revision: str | None
    word: str
    sentences: tuple[tuple[str, str], tuple[str, str]]  # each with its deciding noun


SPANISH = ("Me senté en el banco de mi jardín.", "jardín"), ("Guardé el dinero en el banco.", "dinero")
ENGLISH = ("I sat down on the bank of the river.", "river"), ("I keep my money in the bank.", "money")
SOURCES = (
    Source("bert-base-multilingual-cased", "3f076fdb1ab68d5b2880cb87a0886f315b8146f8", "banco", SPANISH),
    Source("bert-base-uncased", "86b5e0934494bd15c9632b12f734a8a67f723594", "bank", ENGLISH),
)
LICENCE = "Apache-2.0 (both models, Google)"


class Missing(Exception):
    """Something that the maps need is not to be had here."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "bert_attention.json")
    parser.add_argument("--model", type=Path, help="a folder with a saved BERT model and its tokenizer")
    parser.add_argument("--language", choices=("es", "en"), default="en", help="the sentences for --model")
    options = parser.parse_args(arguments)
    sources: tuple[Source, ...] = SOURCES
    if options.model:
        word, sentences = ("banco", SPANISH) if options.language == "es" else ("bank", ENGLISH)
        sources = (Source(str(options.model), None, word, sentences),)
    try:
        found = [maps_of(source) for source in sources]
    except Missing as missing:
        print(f"{missing}\nNothing was written.", file=sys.stderr)
        return 1
    licence = LICENCE if not options.model else "that of the model given"
    written = json.dumps({"licence": licence, "models": found}, ensure_ascii=False, indent=1)
    options.out.write_text(written + "\n", encoding="utf-8")
    print(f"{options.out}: {len(written)} characters")
    return 0


def maps_of(source: Source) -> dict[str, Any]:
    """The chosen head of a model and its maps, with how many heads qualify and how many look at a mark."""
    tokenizer, model = loaded(source)
    runs = [run(tokenizer, model, sentence, source.word, noun) for sentence, noun in source.sentences]
    both = [head for head in qualifying(runs[0]) if head in qualifying(runs[1])]
    chosen = max(both, key=lambda head: sum(run["noun_weight"][head[0]][head[1]] for run in runs), default=None)
    return {
        "model": source.name,
        "revision": source.revision,
        "heads": len(runs[0]["maps"]) * len(runs[0]["maps"][0]),
        "qualifying": [[layer + 1, head + 1] for layer, head in both],
        "head": None if chosen is None else [chosen[0] + 1, chosen[1] + 1],
        "sentences": [
            {
                "text": sentence,
                "noun": noun,
                "tokens": run["tokens"],
                "heads_on_a_mark": run["heads_on_a_mark"],
                "noun_weight": None if chosen is None else round(run["noun_weight"][chosen[0]][chosen[1]], 5),
                "map": None if chosen is None else [[round(w, 5) for w in row] for row in run["maps"][chosen[0]][chosen[1]]],
            }
            for (sentence, noun), run in zip(source.sentences, runs, strict=True)
        ],
    }


def loaded(source: Source) -> tuple[Any, Any]:
    """The tokenizer and the model, or Missing with what to do about it."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise Missing(f"This needs torch and transformers ({error}): python -m pip install torch transformers") from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(source.name, revision=source.revision)
        model = AutoModel.from_pretrained(source.name, revision=source.revision, attn_implementation="eager")
    except (OSError, ValueError) as error:
        raise Missing(f"{source.name} could not be had ({error}): this needs a connection the first time.") from error
    return tokenizer, model.eval()


def run(tokenizer: Any, model: Any, sentence: str, word: str, noun: str) -> dict[str, Any]:
    """One sentence's tokens and maps, and what the rule asks of each head."""
    import torch

    encoded = tokenizer(sentence, return_tensors="pt")
    with torch.no_grad():
        attentions = model(**encoded, output_attentions=True).attentions
    maps = torch.cat(attentions).double().tolist()  # layers × heads × n × n
    tokens = tokenizer.convert_ids_to_tokens(encoded["input_ids"][0].tolist())
    return {"tokens": tokens, "maps": maps} | judged(tokens, maps, word, noun)


def judged(tokens: list[str], maps: list[Any], word: str, noun: str) -> dict[str, Any]:
    """For each head: where the word's largest weight falls, and the weight on the noun."""
    asks, asked = places(tokens, word), places(tokens, noun)
    marks = [i for i, token in enumerate(tokens) if token.startswith("[") or not any(c.isalnum() for c in token)]
    tops, weights = [], []
    for layer in maps:
        rows = [[sum(head[i][j] for i in asks) / len(asks) for j in range(len(tokens))] for head in layer]
        tops.append([row.index(max(row)) for row in rows])
        weights.append([sum(row[j] for j in asked) for row in rows])
    return {
        "tops": tops,
        "noun": asked,
        "noun_weight": weights,
        "heads_on_a_mark": sum(top in marks for layer in tops for top in layer),
    }


def qualifying(run: dict[str, Any]) -> list[tuple[int, int]]:
    """The heads, counted from 0, whose largest weight falls on the noun."""
    return [(i, j) for i, layer in enumerate(run["tops"]) for j, top in enumerate(layer) if top in run["noun"]]


def places(tokens: list[str], word: str) -> list[int]:
    """Where a word's pieces are: BERT writes a piece that goes on with a word as ##piece."""
    for start, first in enumerate(tokens):
        spelled, stop = first, start + 1
        while stop < len(tokens) and tokens[stop].startswith("##"):
            spelled += tokens[stop].removeprefix("##")
            stop += 1
        if not first.startswith("##") and spelled.lower() == word.lower():
            return list(range(start, stop))
    raise Missing(f"«{word}» is not among the tokens {tokens}.")


if __name__ == "__main__":
    sys.exit(main())
