"""First-stage retrieval: dense and BM25 lists, fused by reciprocal rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from rag.errors import InputError
from rag.index import Index
from rag.lexical import BM25, Analyzer
from rag.records import Chunk, Document, Hit

Ranking = list[Hit]
BLOCK = 64


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Weights of the two lists in the fusion; a list with weight 0 is not made. `depth`: candidates kept of each.

    `top_k` passages go on to the answer, after reranking where there is a reranker.
    """

    dense_weight: float = 1.0
    bm25_weight: float = 1.0
    rrf_k: int = 60
    depth: int = 50
    top_k: int = 8

    def __post_init__(self) -> None:
        if min(self.dense_weight, self.bm25_weight) < 0 or self.dense_weight + self.bm25_weight == 0:
            raise InputError(
                "retrieval.dense_weight and retrieval.bm25_weight must not be negative, and one must be above 0"
            )
        if self.rrf_k < 1:
            raise InputError(f"retrieval.rrf_k={self.rrf_k} must be at least 1 (60 is usual)")
        if not 1 <= self.top_k <= self.depth:
            raise InputError(
                f"retrieval.top_k={self.top_k} must lie between 1 and retrieval.depth={self.depth}, the candidates"
            )


@dataclass(frozen=True, slots=True)
class Candidates:
    """What each list found for one question; `None` for a list that was not made. `fused` is what goes on."""

    dense: Ranking | None
    bm25: Ranking | None
    fused: Ranking


def reciprocal_rank_fusion(
    lists: Sequence[Sequence[Hit]], weights: Sequence[float], k: int = 60, depth: int | None = None
) -> Ranking:
    """Sum of weight / (k + rank) over the lists that hold a chunk; ties keep the order of the first list.

    Cormack, Clarke, Büttcher (2009), Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods.
    """
    scores: dict[str, float] = {}
    chunks: dict[str, Chunk] = {}
    for hits, weight in zip(lists, weights, strict=True):
        for chunk, rank, _ in hits:
            chunks.setdefault(chunk.id, chunk)
            scores[chunk.id] = scores.get(chunk.id, 0.0) + weight / (k + rank)
    ordered = sorted(scores, key=scores.__getitem__, reverse=True)[:depth]  # equal ones stay in their order
    return [Hit(chunks[chunk_id], rank, scores[chunk_id]) for rank, chunk_id in enumerate(ordered, start=1)]


class Lexical(Protocol):
    """Finds passages by the words of the question."""

    def search(self, questions: Sequence[str], groups: Sequence[Sequence[str]], limit: int) -> list[Ranking]:
        """The `limit` best readable passages for each question; passages that share no term with it never appear."""


class LexicalIndex:
    """BM25 over the chunks' ranked text, in memory."""

    def __init__(self, chunks: Sequence[Chunk], documents: Mapping[str, Document], analyzer: Analyzer) -> None:
        self.chunks, self.analyzer = chunks, analyzer
        owners = [documents[chunk.document] for chunk in chunks]
        self._kinds = list({owner.groups: owner for owner in owners}.values())  # who may read is asked once a kind
        numbers = {owner.groups: number for number, owner in enumerate(self._kinds)}
        self._kind = np.array([numbers[owner.groups] for owner in owners], int)
        self.bm25 = BM25(analyzer(chunk.ranked_text) for chunk in chunks)
        self._allowed = lru_cache(maxsize=64)(self._readable_by)  # the same groups ask again and again

    def search(self, questions: Sequence[str], groups: Sequence[Sequence[str]], limit: int) -> list[Ranking]:
        found = []
        for question, own in zip(questions, groups, strict=True):
            scores = self.bm25.scores(self.analyzer(question))
            found.append(self._best(np.where(self._allowed(tuple(own)), scores, 0.0), limit))
        return found

    def _readable_by(self, groups: tuple[str, ...]) -> np.ndarray:
        return np.array([owner.readable_by(groups) for owner in self._kinds], bool)[self._kind]

    def _best(self, scores: np.ndarray, limit: int) -> Ranking:
        """Those above 0; equal scores stand in the order of the chunks."""
        positions = np.flatnonzero((scores > 0) & (scores >= _floor(scores, limit)))
        order = positions[np.argsort(-scores[positions], kind="stable")[:limit]]
        return [Hit(self.chunks[i], rank, float(scores[i])) for rank, i in enumerate(order.tolist(), start=1)]


def _floor(scores: np.ndarray, limit: int) -> float:
    """A score that at least `limit` passages reach, and most often hardly more, so that only these are sorted.

    The highest of every `BLOCK` scores are looked at, as ordering all of them takes longer.
    """
    blocks = len(scores) // BLOCK
    if blocks < limit:
        return 0.0
    highest = scores[: blocks * BLOCK].reshape(BLOCK, blocks).max(axis=0)
    return float(np.partition(highest, -limit)[-limit])


def retrieve(
    questions: Sequence[str],
    vectors: np.ndarray,
    groups: Sequence[Sequence[str]],
    index: Index,
    lexical: Lexical,
    settings: Retrieval,
) -> list[Candidates]:
    """Candidates for every question. `vectors`: the embedded questions, shape (len(questions), dimension)."""
    dense = index.search(vectors, groups, settings.depth) if settings.dense_weight else None
    bm25 = lexical.search(questions, groups, settings.depth) if settings.bm25_weight else None
    return fuse(dense, bm25, settings)


def fuse(dense: Sequence[Ranking] | None, bm25: Sequence[Ranking] | None, settings: Retrieval) -> list[Candidates]:
    """Candidates for every question from its two lists; None for those that were not made."""
    both = ((dense, settings.dense_weight), (bm25, settings.bm25_weight))
    made = [(lists, weight) for lists, weight in both if lists]
    weights = [weight for _, weight in made]
    return [
        Candidates(
            dense[i] if dense else None,
            bm25[i] if bm25 else None,
            reciprocal_rank_fusion(own, weights, settings.rrf_k, settings.depth),
        )
        for i, own in enumerate(zip(*(lists for lists, _ in made), strict=True))
    ]
