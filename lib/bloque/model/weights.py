"""The file of a real model: its description, and its arrays unpacked from 4 bits."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bloque.texts import text

MAGIC = b"bloque1\n"
BLOCK = 32  # weights that share a scale in Q4_0
SCALE_BYTES = 2  # float16
BLOCK_BYTES = SCALE_BYTES + BLOCK // 2  # a scale, and four bits a weight


class Stored(NamedTuple):
    """What a file holds."""

    description: dict[str, Any]
    arrays: dict[str, np.ndarray]  # by name, float32
    pieces: list[str]


def read(path: Path) -> Stored:
    """Read a file that tools/make_model.py wrote.

        8 bytes   "bloque1" and a line feed
        4 bytes   length of the description, little-endian
        …         the description, JSON: the model's shape and a list of arrays
        …         the arrays one after another, deflated together

    Raises ValueError when it is not such a file, or when it is damaged.
    """
    contents = path.read_bytes()
    if not contents.startswith(MAGIC):
        raise ValueError(text("model.not_a_model", path=path))
    try:
        head, packed = split(contents)
        description = json.loads(head)
        payload = zlib.decompress(packed)
        whole = hashlib.sha256(payload).hexdigest() == description["sha256"]
    except (struct.error, ValueError, zlib.error):
        whole = False
    if not whole:
        raise ValueError(text("model.damaged", path=path))

    arrays: dict[str, np.ndarray] = {}
    pieces: list[str] = []
    start = 0
    for entry in description["arrays"]:
        part = memoryview(payload)[start : start + entry["bytes"]]
        start += entry["bytes"]
        if entry["kind"] == "text":
            pieces = bytes(part).decode().split("\n")
        elif entry["kind"] == "q4_0":
            arrays[entry["name"]] = dequantise(part, *entry["shape"])
        else:
            arrays[entry["name"]] = np.frombuffer(part, "<f4").reshape(entry["shape"])
    return Stored(description, arrays, pieces)


def split(contents: bytes) -> tuple[bytes, bytes]:
    """The description and the deflated arrays of a file's contents, as bytes.

    Raises struct.error when the contents end before the description begins.
    """
    start = len(MAGIC) + struct.calcsize("<I")
    (length,) = struct.unpack_from("<I", contents, len(MAGIC))
    return contents[start : start + length], contents[start + length :]


def dequantise(packed: bytes | memoryview, rows: int, columns: int) -> np.ndarray:
    """Q4_0: each row in blocks of 32 weights; a block is one scale and 32 numbers from 0 to 15.

        weight = scale · (number − 8)

    packed: the scales of all blocks, float16; then 16 bytes a block, whose lower halves are the
    block's first 16 numbers and whose upper halves are the last 16.
    Returns (rows, columns), float32.
    """
    blocks = rows * columns // BLOCK
    scales = np.frombuffer(packed, "<f2", blocks).astype(np.float32)
    halves = np.frombuffer(packed, np.uint8, offset=SCALE_BYTES * blocks).reshape(blocks, BLOCK // 2)
    weights = np.empty((blocks, BLOCK), np.float32)
    weights[:, : BLOCK // 2] = halves & 15
    weights[:, BLOCK // 2 :] = halves >> 4
    weights -= 8
    weights *= scales[:, None]
    return weights.reshape(rows, columns)
