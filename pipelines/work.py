"""What a list of points shares, what of it is cached already, and about how long the rest takes."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from omegaconf import DictConfig

from pipelines import stages
from pipelines.memo import key_of
from rag.answering.extractive import statements
from rag.reranking import CachedReranker

SHARED = {
    "chunkings": stages.CUT,
    "indexes": (*stages.CUT, "index"),
    "candidate lists": stages.FOUND,
    "rankings": stages.RANKED,
    "answers": stages.ANSWERED,
}
TIMED = 12  # texts or pairs with which a model is timed
Texts = dict[str, Any]
"""Distinct texts or pairs by their key in the cache."""


def work(points: Sequence[DictConfig]) -> str:
    """A line for each stage, with how many distinct results the points need of it, and one for the time."""
    distinct = {name: len({key_of(cfg, *sections) for cfg in points}) for name, sections in SHARED.items()}
    lines = [f"{name:16} {count:6}" for name, count in distinct.items()]
    seconds = 0.0
    for model, (cfg, texts) in _texts(points).items():
        todo = _uncached(texts)
        lines.append(f"{'texts to embed':16} {len(texts):6}  {len(texts) - len(todo)} of them cached  ({model})")
        by_length = sorted(todo.values(), key=len)
        sample = by_length[:: max(1, len(by_length) // TIMED)]
        seconds += _seconds(len(todo), stages.embedder(cfg).embed_passages, sample)
    for model, (cfg, pairs, bound) in _pairs(points).items():
        reranker, todo, unknown = stages.reranker(cfg), _uncached(pairs), bound - len(pairs)
        assert reranker is not None
        more = f", up to {unknown} more once their candidates are known" if unknown else ""
        lines.append(f"{'pairs to rerank':16} {len(pairs):6}  {len(pairs) - len(todo)} of them cached{more}  ({model})")
        seconds += _seconds(len(todo) + unknown, reranker.scores, _some_pairs(cfg))
    return "\n".join([*lines, f"The models would read for about {_spoken(seconds)} on this machine, timed now."])


def _texts(points: Sequence[DictConfig]) -> dict[str, tuple[DictConfig, Texts]]:
    """Passages, questions and statements by embedding model. Which statements are read depends on the passages found;
    all of the corpus are counted."""
    found: dict[str, tuple[DictConfig, Texts]] = {}
    for cfg in _first_of(points, *stages.CUT, "golden"):
        embedder = stages.cached_embedder(cfg)
        texts = found.setdefault(cfg.embedding.model, (cfg, {}))[1]
        passages = [chunk.ranked_text for chunk in stages.chunks(cfg)]
        passages += [s for document in stages.corpus(cfg).documents.values() for s in statements(document.text)]
        questions = [question.question for question in stages.golden(cfg).questions]
        texts.update(zip(embedder.keys("passage", passages), passages, strict=True))
        texts.update(zip(embedder.keys("query", questions), questions, strict=True))
    return found


def _pairs(points: Sequence[DictConfig]) -> dict[str, tuple[DictConfig, Texts, int]]:
    """Pairs by reranker as far as the candidates are known without embedding anything, and how many there can be."""
    found: dict[str, tuple[DictConfig, Texts, int]] = {}
    for cfg in _first_of(points, *stages.RANKED):
        model, questions = stages.reranker(cfg), [question.question for question in stages.golden(cfg).questions]
        if model is None:
            continue
        _, pairs, bound = found.get(cfg.reranker.model, (cfg, {}, 0))
        if _is_embedded(cfg):
            fused = [found.fused for found in stages.candidates(cfg)]
            own = stages.rerank_pairs(questions, fused, model.depth)
            before = len(pairs)
            pairs.update(zip(CachedReranker(model, stages.model_cache()).keys(own), own, strict=True))
            bound += len(pairs) - before
        else:
            bound += len(questions) * min(model.depth, cfg.retrieval.depth, len(stages.chunks(cfg)))
        found[cfg.reranker.model] = (cfg, pairs, bound)
    return found


def _first_of(points: Sequence[DictConfig], *sections: str) -> list[DictConfig]:
    """One point for each result of a stage."""
    return list({key_of(cfg, *sections): cfg for cfg in reversed(points)}.values())[::-1]


def _is_embedded(cfg: DictConfig) -> bool:
    embedder = stages.cached_embedder(cfg)
    passages = embedder.keys("passage", [chunk.ranked_text for chunk in stages.chunks(cfg)])
    questions = embedder.keys("query", [question.question for question in stages.golden(cfg).questions])
    return not _uncached(dict.fromkeys([*passages, *questions]))


def _uncached(texts: Texts) -> Texts:
    cached = stages.model_cache().get_many(list(texts))
    return {key: text for key, text in texts.items() if key not in cached}


def _some_pairs(cfg: DictConfig) -> list[tuple[str, str]]:
    questions, chunks = stages.golden(cfg).questions[:TIMED], stages.chunks(cfg)
    step = max(1, len(chunks) // TIMED)
    return [(q.question, chunk.ranked_text) for q, chunk in zip(questions, chunks[::step], strict=False)]


def _seconds(n: int, read: Callable[[list[Any]], object], sample: list[Any]) -> float:
    """What reading `n` texts takes, from reading some once more, warm and past the cache."""
    if not n:
        return 0.0
    read(sample)  # loads the weights
    start = perf_counter()
    read(sample)
    return n * (perf_counter() - start) / len(sample)


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
