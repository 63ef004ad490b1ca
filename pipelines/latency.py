"""How long one question takes: asked alone, models warm, no caches."""

import json
import platform
from collections.abc import Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from omegaconf import DictConfig

from pipelines import stages
from pipelines.config import make
from pipelines.memo import settings, stage
from pipelines.progress import working
from rag.cache import key
from rag.cores import available_cores
from rag.once import once
from rag.records import Hit
from rag.reranking import CachedReranker, rerank
from rag.reranking.reranker import Pair
from rag.retrieval import retrieve

RETRIEVED = (*stages.CUT, "golden", "index", "lexical", "retrieval-top_k-rrf_k")


def latencies(cfg: DictConfig) -> dict[str, float]:
    """Median and 95th percentile of retrieval and reranking in milliseconds, over the golden set's first questions.

    Measured once per machine, number of cores and set-up, then kept in the cache: top_k and the constant of the fusion
    change neither's work. A worker that has fewer cores than the machine measures its own.
    """
    content = [stages.corpus(cfg).hash, stages.golden(cfg).hash, stages.embedder(cfg).revision]
    setup = [settings(cfg, section) for section in (*RETRIEVED, "reranker") if section not in ("corpus", "golden")]
    what = json.dumps([available_cores(), content, setup, cfg.measures.latency_questions], sort_keys=True)
    entry = key("latency-3", platform.node(), what)
    cache = stages.model_cache()
    with once(cache, entry):  # points on other workers differ in top_k only
        stored = cache.get_many([entry]).get(entry)
        if stored is None:
            stored = np.array(_measure(cfg), "<f8").tobytes()
            cache.put_many({entry: stored})
    milliseconds = np.frombuffer(stored, "<f8") * 1000
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"latency_p50_ms": float(p50), "latency_p95_ms": float(p95), "n_latency": float(len(milliseconds))}


def _measure(cfg: DictConfig) -> list[float]:
    """Seconds for each question."""
    reranker, reranked = stages.reranker(cfg), _reranked(cfg)
    with working("measuring latency"):
        retrieved = _retrieved(cfg)
        seconds = [own.seconds for own in retrieved]
        if reranker is None:
            return seconds
        reranker.scores([("?", "?")])  # loads weights: the first question finds everything warm
        for i, (_, question, fused, vector) in enumerate(retrieved):
            pairs = tuple(stages.rerank_pairs([question], [fused], reranker.depth))
            if pairs not in reranked:
                start = perf_counter()
                scores, cosines = reranker.scores(pairs), stages.cosines(cfg, [fused], vector)
                rerank([fused], scores, cosines, reranker.depth, reranker.blend)
                reranked[pairs] = perf_counter() - start
                CachedReranker(reranker, stages.model_cache()).remember(pairs, scores)
            seconds[i] += reranked[pairs]
    return seconds


class _Retrieved(NamedTuple):
    """A question, what was found and how long it took. `vector`: the embedded question, shape (1, dimension)."""

    seconds: float
    question: str
    fused: list[Hit]
    vector: np.ndarray


def _retrieved(cfg: DictConfig) -> list[_Retrieved]:
    """The first questions, retrieved one at a time; once for all rerankers."""
    by_meaning = make(cfg.retrieval).dense_weight > 0 or stages.reranker(cfg) is not None  # BM25 alone asks no model
    known = _known(cfg)
    if by_meaning not in known:
        known[by_meaning] = _retrieve(cfg, by_meaning)
    return known[by_meaning]


@stage(*RETRIEVED, "measures")
def _known(cfg: DictConfig) -> dict[bool, list[_Retrieved]]:
    """By whether the questions were embedded."""
    return {}


def _retrieve(cfg: DictConfig, by_meaning: bool) -> list[_Retrieved]:
    index, lexical, retrieval = stages.index(cfg), stages.lexical_index(cfg), make(cfg.retrieval)
    embed = stages.embedder(cfg).embed_queries if by_meaning else lambda _: np.empty((1, 0), np.float32)

    def ask(text: str, groups: Sequence[str]) -> _Retrieved:
        start = perf_counter()
        vector = embed([text])
        (found,) = retrieve([text], vector, [groups], index, lexical, retrieval)
        return _Retrieved(perf_counter() - start, text, found.fused, vector)

    ask("?", ())  # loads weights: the first question finds everything warm
    return [ask(own.question, own.groups) for own in stages.golden(cfg).questions[: cfg.measures.latency_questions]]


@stage("reranker")
def _reranked(cfg: DictConfig) -> dict[tuple[Pair, ...], float]:
    """Seconds that reranking took by its pairs: other chunks or another embedding often find the same passages."""
    return {}
