"""How long one question takes: asked alone, models warm, no caches."""

import json
import platform
from time import perf_counter

import numpy as np
from omegaconf import DictConfig

from pipelines import stages
from pipelines.config import make
from pipelines.memo import settings
from pipelines.progress import working
from rag.cache import key
from rag.reranking import CachedReranker, rerank
from rag.retrieval import retrieve


def latencies(cfg: DictConfig) -> dict[str, float]:
    """Median and 95th percentile of retrieval and reranking in milliseconds, over the golden set's first questions.

    Measured once per machine and set-up, then kept in the cache: top_k changes neither retrieval nor reranking.
    """
    content = [stages.corpus(cfg).hash, stages.golden(cfg).hash, stages.embedder(cfg).revision]
    setup = [settings(cfg, section) for section in stages.RANKED if section not in ("corpus", "golden")]
    entry = key(
        "latency-2", platform.node(), json.dumps([content, setup, cfg.measures.latency_questions], sort_keys=True)
    )
    cache = stages.model_cache()
    stored = cache.get_many([entry]).get(entry)
    if stored is None:
        stored = np.array(_measure(cfg), "<f8").tobytes()
        cache.put_many({entry: stored})
    milliseconds = np.frombuffer(stored, "<f8") * 1000
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"latency_p50_ms": float(p50), "latency_p95_ms": float(p95), "n_latency": float(len(milliseconds))}


def _measure(cfg: DictConfig) -> list[float]:
    """Seconds for each question; the first one is asked once before, to warm up."""
    questions = stages.golden(cfg).questions[: cfg.measures.latency_questions]
    index, lexical = stages.index(cfg), stages.lexical_index(cfg)
    embedder, reranker, retrieval = stages.embedder(cfg), stages.reranker(cfg), make(cfg.retrieval)
    by_meaning = retrieval.dense_weight > 0 or reranker is not None  # BM25 alone asks no model
    nothing = np.empty((1, 0), np.float32)
    seconds = []
    with working("measuring latency"):
        for question in [questions[0], *questions]:
            start = perf_counter()
            vector = embedder.embed_queries([question.question]) if by_meaning else nothing
            (found,) = retrieve([question.question], vector, [question.groups], index, lexical, retrieval)
            if reranker is not None:
                pairs = stages.rerank_pairs([question.question], [found.fused], reranker.depth)
                scores, cosines = reranker.scores(pairs), stages.cosines(cfg, [found.fused], vector)
                rerank([found.fused], scores, cosines, reranker.depth, reranker.blend)
            seconds.append(perf_counter() - start)
            if reranker is not None:
                CachedReranker(reranker, stages.model_cache()).remember(pairs, scores)
    return seconds[1:]
