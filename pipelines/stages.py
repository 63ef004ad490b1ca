"""The stages of a sweep point, from configuration to labelled answers; each is computed once for equal settings."""

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from evaluation import split
from evaluation.records import Evidence, Question
from pipelines.config import assemble, make
from pipelines.memo import key_of, stage
from pipelines.progress import working
from rag.cached import Progress
from rag.errors import InputError
from rag.once import once
from rag.records import Answer, Chunk, Document, Hit

if TYPE_CHECKING:
    from evaluation.golden import GoldenSet

CUT = ("corpus", "chunking", "embedding")  # what chunks and their vectors depend on
FOUND = (*CUT, "golden", "index", "lexical", "retrieval-top_k")
RANKED = (*FOUND, "reranker")
ANSWERED = (*RANKED, "retrieval", "decline", "generator")


@dataclass(frozen=True, slots=True)
class Corpus:
    documents: dict[str, Document]
    hash: str


@dataclass(frozen=True, slots=True)
class Golden:
    """The golden set with its references resolved: `evidence[question id]`. `skipped` records could not be used."""

    questions: list[Question]
    evidence: dict[str, tuple[Evidence, ...]]
    hash: str
    skipped: int


@stage("corpus")
def corpus(cfg: DictConfig) -> Corpus:
    from rag.corpus.hashing import corpus_hash

    documents = make(cfg.corpus)
    return Corpus({document.id: document for document in documents}, corpus_hash(documents))


def read_golden(cfg: DictConfig) -> "GoldenSet":
    """The golden set as it is written: usable questions, references not yet resolved, and findings."""
    settings = OmegaConf.to_container(cfg.golden, resolve=True)
    assert isinstance(settings, dict)
    del settings["on_error"]
    read: GoldenSet = make(settings)
    return read


@stage("corpus", "golden")
def golden(cfg: DictConfig) -> Golden:
    from evaluation.evidence import try_resolve
    from evaluation.golden import golden_hash
    from evaluation.means import check_names
    from rag.findings import stop_on, summary

    if first := cfg.golden.get("first"):
        return _first(cfg, first)
    if cfg.golden.on_error not in ("stop", "report"):
        raise InputError(f"golden.on_error={cfg.golden.on_error}: must be stop or report")
    read = read_golden(cfg)
    resolved = try_resolve(read.questions, corpus(cfg).documents.values())
    findings = (*read.findings, *resolved.findings)
    questions = [question for question in read.questions if question.id in resolved.evidence]
    check_names(questions)
    if cfg.golden.on_error == "stop" or not questions:
        foreign = resolved.findings and not any(resolved.evidence.values())
        hint = f" (nothing that it refers to is in {cfg.corpus.path}; do the two belong together?)" if foreign else ""
        stop_on(findings, f"{cfg.golden.path}{hint}")
    skipped = len(read.findings) + len(read.questions) - len(questions)
    if skipped:
        logging.warning("%s: %d records left out: %s", cfg.golden.path, skipped, summary(findings))
    return Golden(questions, resolved.evidence, golden_hash(questions), skipped)


def first_questions(cfg: DictConfig, n: int) -> DictConfig:
    """The configuration asked `n` questions only. No passage is judged: that would be on other questions than later."""
    part = cfg.copy()
    with open_dict(part), read_write(part):
        part.golden.first = n
        if "context_questions" in part.judge:
            part.judge.context_questions = 0
    return part


def _first(cfg: DictConfig, n: int) -> Golden:
    from evaluation.golden import golden_hash

    whole = cfg.copy()
    with open_dict(whole), read_write(whole):
        del whole.golden.first
    found = golden(whole)
    questions = [found.questions[i] for i in split.first_questions(found.questions, n)]
    evidence = {question.id: found.evidence[question.id] for question in questions}
    return Golden(questions, evidence, golden_hash(questions), found.skipped)


@cache
def model_cache() -> Any:
    from rag.shared_cache import open_cache

    return open_cache()


def embedding(cfg: DictConfig) -> dict[str, Any]:
    """The settings that make the embedder; where it runs is not one of them."""
    settings: Any = OmegaConf.to_container(cfg.embedding, resolve=True)
    settings.pop("engine", None)
    return dict(settings)


def embeds_on_ray(cfg: DictConfig) -> bool:
    engine = cfg.embedding.get("engine", "local")
    if engine not in ("local", "ray"):
        raise InputError(f"embedding.engine={engine}: must be local or ray")
    if engine == "ray" and not find_spec("ray"):
        raise InputError("embedding.engine=ray: Ray is not installed; pip install messlatte[ray], or take local")
    return bool(engine == "ray")


@stage("embedding")
def embedder(cfg: DictConfig) -> Any:
    embeds_on_ray(cfg)  # raises InputError
    return make(embedding(cfg))


@stage("reranker")
def reranker(cfg: DictConfig) -> Any | None:
    return make(cfg.reranker) if cfg.reranker.get("_target_") else None


@stage("embedding")
def cached_embedder(cfg: DictConfig) -> Any:
    from rag.embedding.cached import CachedEmbedder

    return CachedEmbedder(embedder(cfg), model_cache())


@stage(*CUT)
def chunks(cfg: DictConfig) -> list[Chunk]:
    from rag.chunking import chunk_corpus

    return chunk_corpus(corpus(cfg).documents.values(), make(cfg.chunking), embedder(cfg).tokenizer)


@stage(*CUT)
def passage_vectors(cfg: DictConfig) -> np.ndarray:
    texts = [chunk.ranked_text for chunk in chunks(cfg)]
    with working("embedding passages", texts, cfg.embedding.model) as progress:
        if embeds_on_ray(cfg):
            embed_on_ray(cfg, texts, progress)
            return cached_embedder(cfg).embed_passages(texts)
        return cached_embedder(cfg).embed_passages(texts, progress)


def embed_on_ray(cfg: DictConfig, texts: Sequence[str], progress: Progress) -> None:
    """Embed what the cache lacks on all machines of the cluster."""
    from rag.embedding.on_ray import embed_passages_on_ray

    embed_passages_on_ray(cached_embedder(cfg), partial(make, embedding(cfg)), texts, progress)


@stage("corpus", "golden", "embedding")
def question_vectors(cfg: DictConfig) -> np.ndarray:
    return cached_embedder(cfg).embed_queries([question.question for question in golden(cfg).questions])


@stage(*CUT, "index")
def index(cfg: DictConfig) -> Any:
    with working("building the index"):
        place, name = location(cfg), _collection(cfg)
        with once(model_cache(), name) if getattr(place, "shared", False) else nullcontext():
            return place.build(name, chunks(cfg), passage_vectors(cfg), corpus(cfg).documents)


def _collection(cfg: DictConfig, *more: str) -> str:
    from rag.index import collection_name

    made = OmegaConf.to_yaml(cfg.chunking), OmegaConf.to_yaml(OmegaConf.create(embedding(cfg)))
    return collection_name(corpus(cfg).hash, *made, embedder(cfg).revision, *more)


@stage("index")
def location(cfg: DictConfig) -> Any:
    return make(cfg.index)


@stage(*CUT, "index", "lexical")
def lexical_index(cfg: DictConfig) -> Any:
    from rag.lexical import Stored
    from rag.retrieval import LexicalIndex

    words, documents = make(cfg.lexical), corpus(cfg).documents
    if isinstance(words, Stored):
        name = _collection(cfg, OmegaConf.to_yaml(cfg.lexical))
        return words.build(location(cfg), name, chunks(cfg), documents)
    return LexicalIndex(chunks(cfg), documents, words)


@stage(*CUT, "golden", "index", "retrieval.depth")
def dense_lists(cfg: DictConfig) -> list[list[Hit]]:
    """What the index finds for each question."""
    groups = [question.groups for question in golden(cfg).questions]
    with working("retrieving"):
        found: list[list[Hit]] = index(cfg).search(question_vectors(cfg), groups, cfg.retrieval.depth)
    return found


@stage(*CUT, "golden", "index", "lexical", "retrieval.depth")
def bm25_lists(cfg: DictConfig) -> list[list[Hit]]:
    """What BM25 finds for each question."""
    questions = golden(cfg).questions
    with working("retrieving"):
        found: list[list[Hit]] = lexical_index(cfg).search(
            [question.question for question in questions],
            [question.groups for question in questions],
            cfg.retrieval.depth,
        )
    return found


@stage(*FOUND)
def candidates(cfg: DictConfig) -> list[Any]:
    """Both lists of each question and their fusion; a list without weight is not made."""
    from rag.retrieval import fuse

    settings = make(cfg.retrieval)
    return fuse(
        dense_lists(cfg) if settings.dense_weight else None,
        bm25_lists(cfg) if settings.bm25_weight else None,
        settings,
    )


@stage(*RANKED)
def rankings(cfg: DictConfig) -> list[list[Hit]]:
    """The candidates, reranked where there is a reranker, deeper than any top_k."""
    from rag.reranking import rerank

    fused = [found.fused for found in candidates(cfg)]
    model = reranker(cfg)
    if model is None:
        return fused
    scores, heads = np.concatenate(rerank_scores(cfg)), [hits[: model.depth] for hits in fused]
    return rerank(fused, scores, cosines(cfg, heads, question_vectors(cfg)), model.depth, model.blend)


@stage(*RANKED)
def rerank_scores(cfg: DictConfig) -> list[np.ndarray]:
    """The reranker's score of each question's best candidates, in the order in which they were fused."""
    from rag.reranking import CachedReranker

    model = reranker(cfg)
    assert model is not None
    fused = [found.fused for found in candidates(cfg)]
    pairs = rerank_pairs([question.question for question in golden(cfg).questions], fused, model.depth)
    shared = once(model_cache(), f"scores {key_of(cfg, *RANKED)}")  # points on other workers differ in top_k only
    with working("reranking", ["\n".join(pair) for pair in pairs], cfg.reranker.model) as progress, shared:
        scores = CachedReranker(model, model_cache()).scores(pairs, progress)
    return np.split(scores, np.cumsum([len(hits[: model.depth]) for hits in fused])[:-1])


def reranker_score_at_top_k(cfg: DictConfig) -> float | None:
    """Mean score that the reranker gave to the passages of the final top k; None where none ran."""
    if reranker(cfg) is None:
        return None
    given = []
    for found, scores, passages in zip(candidates(cfg), rerank_scores(cfg), contexts(cfg), strict=True):
        scored = dict(zip((hit.chunk.id for hit in found.fused), scores, strict=False))  # below its depth: no score
        given += [scored[hit.chunk.id] for hit in passages if hit.chunk.id in scored]
    return float(np.mean(given)) if given else None


def rerank_pairs(questions: Sequence[str], fused: Sequence[Sequence[Hit]], depth: int) -> list[tuple[str, str]]:
    return [(q, hit.chunk.ranked_text) for q, hits in zip(questions, fused, strict=True) for hit in hits[:depth]]


@stage(*CUT)
def rows(cfg: DictConfig) -> dict[str, int]:
    """Row of each chunk in `passage_vectors`, by chunk id."""
    return {chunk.id: row for row, chunk in enumerate(chunks(cfg))}


def cosines(cfg: DictConfig, hits: Sequence[Sequence[Hit]], asked: np.ndarray) -> list[np.ndarray]:
    """The dense score of every hit, also of those that only BM25 found. `asked`: a vector for each question."""
    row, vectors = rows(cfg), passage_vectors(cfg)
    return [vectors[[row[hit.chunk.id] for hit in own]] @ vector for own, vector in zip(hits, asked, strict=True)]


@stage(*CUT, "decline")
def threshold(cfg: DictConfig) -> float:
    """The cosine of the best passage below which nothing is answered."""
    from rag.answering import background_questions, background_threshold

    if cfg.decline.below is not None:
        return float(cfg.decline.below)
    background = cached_embedder(cfg).embed_queries(background_questions())
    return background_threshold(background, passage_vectors(cfg), cfg.decline.quantile)


@stage(*ANSWERED)
def answers(cfg: DictConfig) -> list[Answer]:
    from rag.answering import answer_all

    questions, passages = [question.question for question in golden(cfg).questions], contexts(cfg)
    read = ["\n".join(hit.chunk.ranked_text for hit in hits) for hits in passages]
    with working("answering", read) as progress:
        return answer_all(generator(cfg, progress), questions, passages, strength(cfg), threshold(cfg))


def contexts(cfg: DictConfig) -> list[list[Hit]]:
    """The passages from which each question is answered."""
    top_k = cfg.retrieval.top_k  # a configuration is slow to read
    return [hits[:top_k] for hits in rankings(cfg)]


def strength(cfg: DictConfig) -> np.ndarray:
    """Cosine of each question's best passage, shape (questions,)."""
    best = [max(own, default=-1.0) for own in cosines(cfg, contexts(cfg), question_vectors(cfg))]
    return np.array(best, float)  # compared with a threshold in full precision


def generator(cfg: DictConfig, progress: Progress | None = None) -> Any:
    return assemble(
        cfg.generator,
        embed_queries=partial(embed_questions, cfg),
        embed_passages=partial(embed_statements, cfg),
        cache=model_cache(),
        progress=progress,
    )


def embed_questions(cfg: DictConfig, questions: Sequence[str]) -> np.ndarray:
    row = {question.question: i for i, question in enumerate(golden(cfg).questions)}
    return question_vectors(cfg)[[row[question] for question in questions]]


@stage("corpus", "embedding")
def statement_vectors(cfg: DictConfig) -> dict[str, np.ndarray]:
    """Those of the statements that this process has come across."""
    return {}


def embed_statements(cfg: DictConfig, statements: Sequence[str]) -> np.ndarray:
    known = statement_vectors(cfg)
    fresh = [statement for statement in statements if statement not in known]  # neighbouring points share the others
    if fresh:
        shared = once(model_cache(), f"statements {key_of(cfg, 'corpus', 'embedding')}")
        with working("embedding statements", fresh, cfg.embedding.model) as progress, shared:
            known.update(zip(fresh, cached_embedder(cfg).embed_passages(fresh, progress), strict=True))
    return np.stack([known[statement] for statement in statements])
