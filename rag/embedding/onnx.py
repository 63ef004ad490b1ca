"""Embeddings with fastembed, that is with ONNX Runtime."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.batches import token_batches
from rag.cores import available_cores
from rag.embedding import limits
from rag.embedding.embedder import composed
from rag.embedding.tokenizer import Tokenizer, tokenizer_of
from rag.errors import InputError
from rag.model_files import revision


class FastembedEmbedder:
    """A model that fastembed knows by name, or a folder with `file`, `tokenizer.json` and its configuration.

    `file` and `pooling` (mean, cls, last_token) describe a folder; models known by name bring their own.
    Raises InputError if there is no such model.
    """

    def __init__(
        self,
        model: str,
        query_prefix: str = "",
        passage_prefix: str = "",
        file: str = "onnx/model.onnx",
        pooling: str = "mean",
    ) -> None:
        from fastembed import TextEmbedding

        self.name = model
        self.query_prefix = query_prefix
        self.passage_prefix = passage_prefix
        self._file = file
        self._pooling = pooling
        self._known = {known["model"]: known["dim"] for known in TextEmbedding.list_supported_models()}
        if model not in self._known:
            needed = (file, "config.json", "tokenizer.json", "tokenizer_config.json")
            if lacking := [name for name in needed if not (Path(model) / name).is_file()]:
                raise InputError(
                    f"embedding.model={model}: not a model of fastembed, nor a folder with {', '.join(lacking)}; "
                    "use such a folder, or e5-small or minilm with sentence-transformers (no network needed)"
                )

    @cached_property
    def _model(self) -> Any:
        """Not loaded before it embeds; models known by name are downloaded here."""
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        where: dict[str, Any] = {}
        if self.name not in self._known:
            where["specific_model_path"] = self.name
            if self.name not in {known["model"] for known in TextEmbedding.list_supported_models()}:
                TextEmbedding.add_custom_model(
                    self.name,
                    pooling=PoolingType(self._pooling.upper()),
                    normalization=True,
                    sources=ModelSource(hf=self.name),
                    dim=self.dimension,
                    model_file=self._file,
                )
        try:
            return TextEmbedding(self.name, threads=available_cores(), lazy_load=True, **where)
        except ValueError as error:
            raise InputError(f"embedding.model={self.name}: not downloadable ({error}); use a folder") from error

    @cached_property
    def _folder(self) -> Path:
        return Path(self._model.model._model_dir) if self.name in self._known else Path(self.name)

    @cached_property
    def revision(self) -> str:
        return f"{revision(self._folder)} fastembed {self._file} {self._pooling}"

    @cached_property
    def dimension(self) -> int:
        return int(self._known.get(self.name) or limits.dimension(self._folder))

    @cached_property
    def max_tokens(self) -> int:
        """Where fastembed cuts: the smaller of two settings of the tokenizer."""
        config = json.loads((self._folder / "tokenizer_config.json").read_text())
        return min(int(config[name]) for name in ("model_max_length", "max_length") if name in config)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return tokenizer_of(self._folder)

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(self.passage_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(self.query_prefix, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> np.ndarray:
        inputs = [prefix + composed(text) for text in texts]
        vectors = np.empty((len(inputs), self.dimension), np.float32)
        lengths = [min(length, self.max_tokens) for length in self.tokenizer.lengths(inputs)]
        for batch in token_batches(lengths):
            embedded = self._model.embed([inputs[position] for position in batch], batch_size=len(batch))
            vectors[batch] = np.stack(list(embedded))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
