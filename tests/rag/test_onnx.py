"""fastembed with the smallest model there is: one Gather from a table of token vectors, written by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from rag.embedding import FastembedEmbedder

TABLE = np.array([[0, 0], [1, 1], [3, 4], [0, 2]], "<f4")  # [PAD], query:, Hund, Katze


def field(number: int, value: int | str | bytes) -> bytes:
    """A protobuf field with a number below 16 and a value below 128, or a text shorter than that."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def long_field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, len(data) & 127 | 128, len(data) >> 7]) + data


def value_info(name: str, kind: int, *dimensions: str) -> bytes:
    shape = b"".join(field(1, field(2, dimension)) for dimension in dimensions)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    node = field(1, "table") + field(1, "input_ids") + field(2, "last_hidden_state") + field(4, "Gather")
    table = (
        b"".join(field(1, size) for size in TABLE.shape) + field(2, 1) + field(8, "table") + field(9, TABLE.tobytes())
    )
    graph = field(1, node) + field(2, "g") + field(5, table) + field(11, value_info("input_ids", 7, "b", "s"))
    graph += field(12, value_info("last_hidden_state", 1, "b", "s", "h"))
    (tmp_path / "model.onnx").write_bytes(field(1, 8) + long_field(7, graph) + field(8, field(2, 13)))
    vocabulary = {"[PAD]": 0, "query:": 1, "Hund": 2, "Katze": 3}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 3, "pad_token": "[PAD]"}))
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 2, "pad_token_id": 0}))
    return tmp_path


def test_a_folder_embeds_with_prefix_pooling_and_unit_length(folder: Path) -> None:
    embedder = FastembedEmbedder(str(folder), query_prefix="query: ", file="model.onnx")
    assert (embedder.dimension, embedder.max_tokens) == (2, 3)
    assert embedder.tokenizer.offsets("Hund  Katze Hund Hund") == [(0, 4), (6, 11), (12, 16), (17, 21)]
    passages = embedder.embed_passages(["Hund", "Hund Katze", "Katze"])
    # (3, 4) / 5; the mean (1.5, 3) / sqrt(2.25 + 9); (0, 2) / 2
    assert passages.ravel() == pytest.approx([0.6, 0.8, 1.5 / 11.25**0.5, 3 / 11.25**0.5, 0, 1], abs=1e-6)
    assert passages.dtype == np.float32
    # the mean of (1, 1) and (3, 4) is (2, 2.5)
    assert embedder.embed_queries(["Hund"])[0] == pytest.approx(np.array([2, 2.5]) / 10.25**0.5, abs=1e-6)
    # cut after three tokens: (3, 4), (0, 2), (0, 2)
    cut = embedder.embed_passages(["Hund Katze Katze Hund Hund"])[0]
    assert cut == pytest.approx(np.array([3, 8]) / 73**0.5, abs=1e-6)


def test_the_revision_follows_file_and_pooling(folder: Path) -> None:
    (folder / "second.onnx").write_bytes((folder / "model.onnx").read_bytes())
    revisions = {
        FastembedEmbedder(str(folder), file=file, pooling=pooling).revision
        for file in ("model.onnx", "second.onnx")
        for pooling in ("mean", "cls")
    }
    assert len(revisions) == 4
