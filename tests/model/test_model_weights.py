"""The model's file: its bits come out as they went in, and a bad file says so."""

import hashlib
import json
import struct
import zlib

import numpy as np
import pytest

from bloque.files import data_file
from bloque.model import load, weights
from bloque.model.pieces import MARKS
from bloque.texts import text
from tools import make_model


def test_dequantise_one_block_by_hand():
    numbers = [0, 15, 8, 7, *range(12), *range(3, 15), 8, 8, 1, 14]
    scale = np.float16(0.25)
    packed = scale.tobytes() + bytes(low | high << 4 for low, high in zip(numbers[:16], numbers[16:], strict=True))
    got = weights.dequantise(packed, 1, 32)
    assert got.dtype == np.float32
    assert got.tolist() == [[0.25 * (number - 8) for number in numbers]]


def test_dequantise_keeps_rows_and_blocks_apart():
    rng = np.random.default_rng(3)
    rows, columns = 3, 96
    numbers = rng.integers(0, 16, (rows, columns))
    scales = rng.normal(size=(rows, columns // 32)).astype(np.float16)
    blocks = numbers.reshape(-1, 32)
    packed = scales.tobytes() + (blocks[:, :16] | blocks[:, 16:] << 4).astype(np.uint8).tobytes()
    expected = (numbers - 8) * np.repeat(scales.astype(np.float32), 32, axis=1)
    np.testing.assert_array_equal(weights.dequantise(packed, rows, columns), expected.astype(np.float32))


def test_sizes_that_were_promised():
    assert data_file("e5_small.bin").stat().st_size <= 13_000_000
    assert data_file("e5_layer1.bin").stat().st_size <= 1_500_000


def test_both_files_hold_the_same_vocabulary_and_first_queries():
    whole, first = weights.read(data_file("e5_small.bin")), weights.read(data_file("e5_layer1.bin"))
    assert whole.pieces == first.pieces
    assert len(whole.pieces) == len(set(whole.pieces)) == 5400
    assert len(first.arrays) < len(whole.arrays)
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, whole.arrays[name], err_msg=name)


def test_another_file_is_refused(tmp_path, each_language):
    path = tmp_path / "other.bin"
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(ValueError, match="data/"):
        weights.read(path)


def test_what_the_maker_packs_is_read_back(tmp_path):
    """tools/make_model.py and the reader agree on the layout: a tiny model made, written and read."""
    rng = np.random.default_rng(5)
    blocks = [(np.float16(scale).tobytes(), rng.integers(0, 256, 16, np.uint8).tobytes()) for scale in (0.5, 0.25, 2.0)]
    shape = {"d_model": 32, "layers": 1, "heads": 2, "d_ff": 64}
    source = make_model.Source(shape, 1e-12, {"begin": 0}, ["<s>", "▁", "a"], [0.0, -1.0, -2.5], {})
    planes = make_model.by_planes(b"".join(scale + numbers for scale, numbers in blocks))
    assert planes == b"".join(scale for scale, _ in blocks) + b"".join(numbers for _, numbers in blocks)
    contents = make_model.packed(source, "part", 1, [("table", "q4_0", [3, 32], planes)], [0, 2])
    path = tmp_path / "tiny.bin"
    path.write_bytes(contents)
    stored = weights.read(path)
    assert stored.pieces == ["<s>", "a"]
    assert stored.description["unknown_score"] == -12.5
    np.testing.assert_array_equal(stored.arrays["piece_scores"], np.float32([0, -2.5]))
    np.testing.assert_array_equal(stored.arrays["table"], weights.dequantise(planes, 3, 32))
    assert make_model.unpacked(contents)[0] == json.dumps(stored.description, ensure_ascii=False, sort_keys=True).encode()


def test_the_maker_keeps_marks_letters_sentences_and_then_the_first_words(monkeypatch):
    letters = sorted(set(make_model.CHARACTERS) - {" "})
    always = [*MARKS, "▁", *letters, "▁banco", "▁el"]
    pieces = [*always, "▁gato", "▁no", "nunca"]
    source = make_model.Source({}, 0, {}, pieces, [-3.0] * len(pieces), {})
    monkeypatch.setattr(make_model, "PIECES", len(always) + 1)
    kept = make_model.choose_pieces(source, {"es": ["el", "nunca"], "en": ["banco", "gato"]}, ["el banco"])
    assert [pieces[number] for number in kept] == [*always, "nunca"]


@pytest.mark.parametrize("harm", ["cut", "bit", "head", "short"])
def test_a_damaged_file_is_refused(tmp_path, harm, each_language):
    contents = bytearray(data_file("e5_layer1.bin").read_bytes())
    if harm == "cut":
        contents = contents[:-1000]
    elif harm == "bit":
        contents = _with_another_bit(contents)
    elif harm == "head":
        contents[20] ^= 0xFF
    else:
        contents = contents[:10]
    path = tmp_path / "damaged.bin"
    path.write_bytes(contents)
    with pytest.raises(ValueError, match=r"damaged\.bin") as error:
        weights.read(path)
    assert str(error.value) == text("model.damaged", path=path)


def _with_another_bit(contents):
    """A file whose stream is sound and whose arrays are not those of the description."""
    (length,) = struct.unpack_from("<I", contents, 8)
    payload = bytearray(zlib.decompress(contents[12 + length :]))
    payload[len(payload) // 2] ^= 1
    described = json.loads(contents[12 : 12 + length])["sha256"]
    assert hashlib.sha256(payload).hexdigest() != described
    return contents[: 12 + length] + zlib.compress(bytes(payload), 1)


def test_data_is_found_by_variable_and_by_folder(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.txt").write_text("a", encoding="utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "ours.txt").write_text("b", encoding="utf-8")
    (tmp_path / "notebooks" / "es").mkdir(parents=True)
    monkeypatch.setenv("BLOQUE_DATA", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path / "notebooks" / "es")
    assert data_file("mine.txt").read_text(encoding="utf-8") == "a"
    assert data_file("ours.txt").read_text(encoding="utf-8") == "b"
    monkeypatch.delenv("BLOQUE_DATA")
    with pytest.raises(FileNotFoundError):
        data_file("mine.txt")


def test_missing_data_says_what_to_do(each_language):
    with pytest.raises(FileNotFoundError, match="BLOQUE_DATA") as error:
        data_file("nowhere.bin")
    assert "nowhere.bin" in str(error.value)


def test_load_reads_once_and_knows_its_parts(each_language):
    assert load() is load()
    with pytest.raises(ValueError, match="'whole', 'layer 1'"):
        load("layer 13")
