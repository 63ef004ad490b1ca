"""Embeddings with sentence-transformers."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.batches import token_batches
from rag.cores import available_cores
from rag.embedding import limits
from rag.embedding.embedder import composed
from rag.embedding.packaged import PACKAGED
from rag.embedding.tokenizer import Tokenizer, tokenizer_of
from rag.model_files import locate, quiet_loading, revision


class SentenceTransformerEmbedder:
    """Any sentence-transformers model: `e5-small` or `minilm`, which are packaged, a folder, or a name on the Hub.

    Raises InputError if there is no such model.
    """

    def __init__(self, model: str, query_prefix: str = "", passage_prefix: str = "") -> None:
        self.name = model
        self.query_prefix = query_prefix
        self.passage_prefix = passage_prefix
        self._open = locate("embedding.model", model, PACKAGED)

    @cached_property
    def _folder(self) -> Path:
        return self._open()

    @cached_property
    def revision(self) -> str:
        return revision(self._folder)

    @cached_property
    def dimension(self) -> int:
        return limits.dimension(self._folder)

    @cached_property
    def max_tokens(self) -> int:
        return limits.max_tokens(self._folder)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return tokenizer_of(self._folder)

    @cached_property
    def _model(self) -> Any:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(available_cores())
        with quiet_loading():
            model = SentenceTransformer(str(self._folder), local_files_only=True)
        model.max_seq_length = self.max_tokens
        return model

    def embed_passages(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(self.passage_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        return self._embed(self.query_prefix, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> np.ndarray:
        inputs = [prefix + composed(text) for text in texts]
        vectors = np.empty((len(inputs), self.dimension), np.float32)
        lengths = [min(length, self.max_tokens) for length in self.tokenizer.lengths(inputs)]
        for batch in token_batches(lengths):
            # prompt="": the prefix is ours, whatever prompt the model's own configuration would add.
            vectors[batch] = self._model.encode(
                [inputs[position] for position in batch],
                prompt="",
                batch_size=len(batch),
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return vectors
