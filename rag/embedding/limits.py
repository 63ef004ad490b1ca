"""Sizes of a sentence-transformers model, read from its configuration files without loading weights."""

import json
from pathlib import Path
from typing import Any


def max_tokens(folder: Path) -> int:
    """The longest input in tokens, special tokens included: stated for the pipeline, else the transformer's limit."""
    stated = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    tokenizer_limit = _read(folder / "tokenizer_config.json").get("model_max_length")
    positions = _read(folder / "config.json").get("max_position_embeddings")
    return int(stated or min(limit for limit in (tokenizer_limit, positions) if limit))


def dimension(folder: Path) -> int:
    """Length of a vector: what the last module that changes it gives, else the transformer's width."""
    size = _read(folder / "config.json").get("hidden_size")
    for module in _read(folder / "modules.json") or ():
        config = _read(folder / module["path"] / "config.json") if module["path"] else {}
        for name in ("embedding_dimension", "word_embedding_dimension", "out_features"):
            size = config.get(name, size)
    return int(size)


def _read(file: Path) -> Any:
    return json.loads(file.read_text()) if file.is_file() else {}
