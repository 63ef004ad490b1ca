"""Reranking with a sentence-transformers cross-encoder."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rag.batches import token_batches
from rag.cores import available_cores, fast_bfloat16
from rag.embedding.embedder import composed
from rag.embedding.tokenizer import Tokenizer, tokenizer_of
from rag.errors import InputError
from rag.model_files import locate, quiet_loading, revision
from rag.reranking.packaged import PACKAGED
from rag.reranking.reranker import Pair


class CrossEncoderReranker:
    """Any cross-encoder with one output: `reranker-de`, which is packaged, a folder, or a name on the Hub.

    Computes in bfloat16 where the processor multiplies it faster, else in float32.
    Raises InputError if there is no such model.
    """

    def __init__(self, model: str = "reranker-de", depth: int = 30, blend: float = 0.3, max_length: int = 256) -> None:
        if depth < 1 or not 0 <= blend <= 1 or max_length < 8:
            raise InputError(
                "reranker.depth must be 1 or more, reranker.blend from 0 to 1, reranker.max_length 8 or more"
            )
        self.name = model
        self.depth = depth
        self.blend = blend
        self.max_length = max_length
        self.dtype = "bfloat16" if fast_bfloat16() else "float32"
        self._open = locate("reranker.model", model, PACKAGED)

    @cached_property
    def _folder(self) -> Path:
        return self._open()

    @cached_property
    def revision(self) -> str:
        return revision(self._folder)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return tokenizer_of(self._folder)

    @cached_property
    def _model(self) -> Any:
        return _loaded(str(self._folder), self.max_length, self.dtype)

    def scores(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Raw logits, float32, (number of pairs,)."""
        inputs = [(composed(question), composed(passage)) for question, passage in pairs]
        scores = np.empty(len(inputs), np.float32)
        lengths = [min(length, self.max_length) for length in self.tokenizer.pair_lengths(inputs)]
        for batch in token_batches(lengths):
            batch_inputs = [inputs[position] for position in batch]
            scores[batch] = self._model.predict(batch_inputs, batch_size=len(batch), show_progress_bar=False)
        return scores


@lru_cache(maxsize=2)  # rerankers that differ in depth or blend share their weights
def _loaded(folder: str, max_length: int, dtype: str) -> Any:
    import torch
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(available_cores())
    with quiet_loading():
        return CrossEncoder(
            folder,
            num_labels=1,
            max_length=max_length,
            activation_fn=torch.nn.Identity(),
            model_kwargs={"dtype": getattr(torch, dtype)},
            local_files_only=True,
        )
