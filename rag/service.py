"""Questions that come in one by one, answered by the same steps that a sweep measures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rag.answering import Generator, answer_all
from rag.index import Index
from rag.records import Answer, Document, Hit
from rag.reranking import Reranker, rerank
from rag.retrieval import Lexical, Retrieval, retrieve


class Reply(NamedTuple):
    """`answer.citations` are 1-based positions in `passages`."""

    answer: Answer
    passages: list[Hit]


@dataclass(frozen=True, slots=True)
class Service:
    """All parts of one configuration. `vectors`: the passages', by chunk id; `threshold`: below it, no answer."""

    documents: Mapping[str, Document]
    embed_queries: Callable[[Sequence[str]], np.ndarray]
    vectors: Mapping[str, np.ndarray]
    index: Index
    lexical: Lexical
    retrieval: Retrieval
    reranker: Reranker | None
    generator: Generator
    threshold: float

    def ask(self, questions: Sequence[str], groups: Sequence[Sequence[str]]) -> list[Reply]:
        """A reply to each question from passages that its groups may read; of no group: from public ones alone."""
        if not questions:
            return []
        asked = self.embed_queries(questions)
        fused = [own.fused for own in retrieve(questions, asked, groups, self.index, self.lexical, self.retrieval)]
        ranked = [hits[: self.retrieval.top_k] for hits in self._reranked(questions, fused, asked)]
        strength = np.array([max(own, default=-1.0) for own in self._cosines(ranked, asked)])
        answers = answer_all(self.generator, questions, ranked, strength, self.threshold)
        return [Reply(answer, hits) for answer, hits in zip(answers, ranked, strict=True)]

    def _reranked(self, questions: Sequence[str], fused: list[list[Hit]], asked: np.ndarray) -> list[list[Hit]]:
        model = self.reranker
        if model is None:
            return fused
        pairs = [
            (question, hit.chunk.ranked_text)
            for question, hits in zip(questions, fused, strict=True)
            for hit in hits[: model.depth]
        ]
        return rerank(fused, model.scores(pairs), self._cosines(fused, asked), model.depth, model.blend)

    def _cosines(self, hits: Sequence[Sequence[Hit]], asked: np.ndarray) -> list[np.ndarray]:
        return [
            np.array([self.vectors[hit.chunk.id] @ vector for hit in own])
            for own, vector in zip(hits, asked, strict=True)
        ]
