"""How long one question takes: asked alone, models warm, no caches."""

import json
import platform
from collections.abc import Sequence
from time import perf_counter

import numpy as np
from omegaconf import DictConfig

from pipelines import stages
from pipelines.config import make
from pipelines.memo import settings, stage
from pipelines.progress import working
from rag.cache import key
from rag.cores import available_cores
from rag.once import once
from rag.reranking import CachedReranker, rerank
from rag.reranking.reranker import Pair
from rag.retrieval import Candidates, retrieve


def latencies(cfg: DictConfig) -> dict[str, float]:
    """Median and 95th percentile of retrieval and reranking in milliseconds, over the golden set's first questions.

    Measured once per machine, number of cores and set-up, then kept in the cache: top_k changes neither retrieval nor
    reranking. A worker that has fewer cores than the machine measures its own.
    """
    content = [stages.corpus(cfg).hash, stages.golden(cfg).hash, stages.embedder(cfg).revision]
    setup = [settings(cfg, section) for section in stages.RANKED if section not in ("corpus", "golden")]
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
    questions = stages.golden(cfg).questions[: cfg.measures.latency_questions]
    index, lexical = stages.index(cfg), stages.lexical_index(cfg)
    embedder, reranker, retrieval = stages.embedder(cfg), stages.reranker(cfg), make(cfg.retrieval)
    by_meaning = retrieval.dense_weight > 0 or reranker is not None  # BM25 alone asks no model
    nothing, reranked = np.empty((1, 0), np.float32), _reranked(cfg)

    def found(text: str, groups: Sequence[str]) -> tuple[Candidates, np.ndarray]:
        vector = embedder.embed_queries([text]) if by_meaning else nothing
        (candidates,) = retrieve([text], vector, [groups], index, lexical, retrieval)
        return candidates, vector

    seconds = []
    with working("measuring latency"):
        found("?", ())  # loads weights, as does the next line: the first question finds everything warm
        if reranker is not None:
            reranker.scores([("?", "?")])
        for question in questions:
            start = perf_counter()
            candidates, vector = found(question.question, question.groups)
            seconds.append(perf_counter() - start)
            if reranker is not None:
                pairs = tuple(stages.rerank_pairs([question.question], [candidates.fused], reranker.depth))
                if pairs not in reranked:
                    start = perf_counter()
                    scores, cosines = reranker.scores(pairs), stages.cosines(cfg, [candidates.fused], vector)
                    rerank([candidates.fused], scores, cosines, reranker.depth, reranker.blend)
                    reranked[pairs] = perf_counter() - start
                    CachedReranker(reranker, stages.model_cache()).remember(pairs, scores)
                seconds[-1] += reranked[pairs]
    return seconds


@stage("reranker")
def _reranked(cfg: DictConfig) -> dict[tuple[Pair, ...], float]:
    """Seconds that reranking took by its pairs: other chunks or another embedding often find the same passages."""
    return {}
