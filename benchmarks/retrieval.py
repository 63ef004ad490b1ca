"""python -m benchmarks.retrieval [CHUNKS]: one hybrid query with a group filter among 100,000 chunks.

The texts are the paragraphs of XQuAD-de (../shared/data/xquad), repeated with one word in ten replaced by another of
the corpus. 100,000 texts are not embedded: the vectors are those of the 240 paragraphs (e5-small), each copy with noise
of 0.3 of its length, normalised; the vectors of the first 200 questions stand for those of the others too. One document
in five is public, the others have one of ten groups; who asks is in two.

Each part is a process of its own. Printed are medians in milliseconds, ratios from this run, and the peak of memory.
"""

import json
import os
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rank_bm25 import BM25Okapi

from rag.cache import Cache
from rag.corpus.squad import load_squad
from rag.embedding import SentenceTransformerEmbedder
from rag.embedding.cached import CachedEmbedder
from rag.index import Index, edge, memory
from rag.lexical import Analyzer
from rag.records import Chunk, Document
from rag.retrieval import LexicalIndex, Retrieval, retrieve

XQUAD = Path(__file__).parents[2] / "shared/data/xquad/xquad.de.json"
CHUNKS, QUERIES, SLOW_QUERIES, DEPTH, SEED = 100_000, 200, 20, 50, 7
GROUPS = [f"g{n}" for n in range(10)]


class Material(NamedTuple):
    chunks: list[Chunk]
    documents: dict[str, Document]
    vectors: np.ndarray
    questions: list[str]
    asked: np.ndarray
    groups: list[tuple[str, ...]]


def material(n: int) -> Material:
    rng = np.random.default_rng(SEED)
    paragraphs = [document.text for document in load_squad(str(XQUAD))]
    articles = json.loads(XQUAD.read_text(encoding="utf-8"))["data"]
    questions = [qa["question"] for article in articles for p in article["paragraphs"] for qa in p["qas"]]
    embedder = CachedEmbedder(SentenceTransformerEmbedder("e5-small"), Cache())
    passages, some = embedder.embed_passages(paragraphs), embedder.embed_queries(questions[:QUERIES])
    asked = some[np.arange(len(questions)) % QUERIES]
    words = [text.split() for text in paragraphs]
    vocabulary = np.array([word for own in words for word in own])
    documents, chunks = {}, []
    vectors = np.empty((n, passages.shape[1]), np.float32)
    for i in range(n):
        source = i % len(words)
        text = np.array(words[source])
        if i >= len(words):
            replaced = rng.random(len(text)) < 0.1
            text[replaced] = rng.choice(vocabulary, int(replaced.sum()))
        joined = " ".join(text)
        groups = () if rng.random() < 0.2 else (str(rng.choice(GROUPS)),)
        documents[f"d{i}"] = Document(f"d{i}", "", joined, (), groups=groups)
        chunks.append(Chunk(f"d{i}", 0, len(joined), joined, f"d{i}#s0"))
        noise = rng.normal(size=passages.shape[1]).astype(np.float32)
        vectors[i] = passages[source] + (0.3 / np.linalg.norm(noise)) * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asking = [tuple(map(str, rng.choice(GROUPS, 2, replace=False))) for _ in questions]
    return Material(chunks, documents, vectors, questions, asked, asking)


def _each(ask: Callable[[int], object], numbers: range) -> float:
    """Median milliseconds of asking one question; the first is asked once before."""
    ask(numbers[0])
    taken = []
    for i in numbers:
        start = perf_counter()
        ask(i)
        taken.append(1000 * (perf_counter() - start))
    return median(taken)


def _build(what: Callable[[], Any]) -> tuple[Any, float]:
    start = perf_counter()
    return what(), perf_counter() - start


def hybrid(n: int, exact: bool) -> dict[str, float]:
    """Both lists and their fusion; then all questions at once, as in a sweep point."""
    own, queries = material(n), range(QUERIES)
    index, seconds = _build(lambda: edge(exact=exact).build("b", own.chunks, own.vectors, own.documents))
    lexical, lexical_seconds = _build(lambda: LexicalIndex(own.chunks, own.documents, Analyzer()))
    settings = Retrieval(depth=DEPTH)

    def ask(which: slice) -> object:
        return retrieve(own.questions[which], own.asked[which], own.groups[which], index, lexical, settings)

    one = _each(lambda i: ask(slice(i, i + 1)), queries)
    dense = _each(lambda i: index.search(own.asked[i : i + 1], own.groups[i : i + 1], DEPTH), queries)
    _, all_seconds = _build(lambda: ask(slice(None)))
    recall = {} if exact else {"recall": _recall(index, own)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    times = {"p50": one, "dense_p50": dense, "all_questions_s": all_seconds}
    return {**times, **recall, "build_s": seconds, "bm25_build_s": lexical_seconds, "peak_gb": peak}


def _recall(index: Index, own: Material) -> float:
    asked, groups = own.asked[:QUERIES], own.groups[:QUERIES]
    pairs = zip(index.search(asked, groups, DEPTH), index.search(asked, groups, DEPTH, exact=True), strict=True)
    return float(np.mean([len({h.chunk.id for h in a} & {h.chunk.id for h in b}) / len(b) for a, b in pairs]))


def local(n: int) -> dict[str, float]:
    """The dense part in qdrant-client's local mode."""
    own = material(n)
    index = memory().build("b", own.chunks, own.vectors, own.documents)
    ask = _each(lambda i: index.search(own.asked[i : i + 1], own.groups[i : i + 1], DEPTH), range(SLOW_QUERIES))
    return {"dense_p50": ask}


def bm25(n: int) -> dict[str, float]:
    """All questions at once against rank_bm25 in a loop over some; scores of those compared."""
    own, analyzer = material(n), Analyzer()
    ours = LexicalIndex(own.chunks, own.documents, analyzer).bm25
    theirs = BM25Okapi([analyzer(chunk.ranked_text) for chunk in own.chunks])
    theirs.idf = {
        term: float(ours.idf[column]) for term, column in ours.vocabulary.items()
    }  # rag.lexical.bm25 says why
    asked = [analyzer(question) for question in own.questions]
    start = perf_counter()
    for terms in asked:
        ours.scores(terms)
    each = (perf_counter() - start) / len(asked)
    start = perf_counter()
    expected = [theirs.get_scores(terms) for terms in asked[:SLOW_QUERIES]]
    slow = (perf_counter() - start) / SLOW_QUERIES
    difference = max(float(np.abs(ours.scores(terms) - own).max()) for terms, own in zip(asked, expected, strict=False))
    return {"ours": 1000 * each, "rank_bm25": 1000 * slow, "ratio": slow / each, "largest_difference": difference}


def main() -> int:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else CHUNKS
    parts: dict[str, tuple[Callable[..., dict[str, float]], tuple[Any, ...]]] = {
        "exact": (hybrid, (n, True)),
        "hnsw": (hybrid, (n, False)),
        "local mode": (local, (n,)),
        "bm25": (bm25, (n,)),
    }
    found = {}
    for name, (part, arguments) in parts.items():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as apart:
            found[name] = apart.submit(part, *arguments).result()
        print(name, json.dumps({key: float(f"{value:.3g}") for key, value in found[name].items()}), flush=True)
    ratio = found["local mode"]["dense_p50"] / found["exact"]["dense_p50"]
    print(f"{n} chunks; dense, exact: {ratio:.0f} times local mode's speed; load {os.getloadavg()[0]:.1f}")
    met = {
        "hybrid exact p50 at most 15 ms": found["exact"]["p50"] <= 15,
        "hybrid HNSW p50 at most 5 ms": found["hnsw"]["p50"] <= 5,
        "HNSW recall at least 0.98": found["hnsw"]["recall"] >= 0.98,
        "dense at least 10 times local mode": ratio >= 10,
        "BM25 at least 20 times rank_bm25": found["bm25"]["ratio"] >= 20,
        "BM25 equal to 1e-9": found["bm25"]["largest_difference"] <= 1e-9,
        "peak below 3 GB": max(found["exact"]["peak_gb"], found["hnsw"]["peak_gb"]) < 3,
    }
    for goal, reached in met.items():
        print(f"{'yes' if reached else 'NO ':3} {goal}")
    return int(not all(met.values()))


if __name__ == "__main__":
    sys.exit(main())
