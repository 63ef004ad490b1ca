"""python -m benchmarks.peers [PARAGRAPHS]: one sweep in three ways, and how much longer the others take.

Axes: chunk size x overlap x dense or hybrid x top k, 16 points, minilm, the first paragraphs of the German XQuAD with
their questions (../shared/data/xquad, or the environment's XQUAD).

- `messlatte`: the stages of our points, with an empty cache
- `context_grid`: context-grid (benchmarks/requirements.txt) with our cuts and model as its plug-ins; top k is no axis
  there, one run measures all of them, so it has 8 points to run
- `naive`: the loop that one writes first; each point chunks, embeds, indexes and asks anew

All share the chunker, so that texts are the same, and one loaded model. Retrieval is timed, and recall; neither answers
nor MLflow on our side, no generator on theirs. Repetitions are interleaved; ratios are medians, of wall time and of
processor time.

Recall as all three can mean it: at least 0.8 of the answer's characters lie in one of the first k chunks. (Our own
recall also joins chunks; context-grid's counts relevant chunks, of which overlap makes more, so its hit rate is taken.)
Dense must agree. BM25 reads words differently on each side, so hybrid is only shown.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from operator import truediv
from pathlib import Path
from statistics import mean, median
from time import perf_counter, process_time
from typing import Any

from evaluation.relevance import TAU, found_rank
from pipelines import stages
from pipelines.config import points
from pipelines.memo import forget
from rag.chunking import Fixed

XQUAD = Path(os.environ.get("XQUAD") or Path(__file__).parents[2] / "shared" / "data" / "xquad")
SIZES, OVERLAPS, MODES, TOP_K = (64, 128), (0, 16), ("dense", "hybrid"), (3, 5)
PARAGRAPHS, RUNS, NAIVE_LIMIT, AGREE = 20, 3, 5.0, 0.01

Point = tuple[int, int, str, int]
Recalls = dict[Point, float]


@dataclass
class Task:
    """`documents`: texts by id; `asked`: id, question, and the answer as (document, start, end)."""

    points: list[Any]
    model: Any
    tokenizer: Any
    documents: dict[str, Any]
    asked: list[tuple[str, str, Any]]


def task(paragraphs: int, folder: Path) -> Task:
    folder.mkdir()
    squad = json.loads((XQUAD / "xquad.de.json").read_text())
    taken = [paragraph for article in squad["data"] for paragraph in article["paragraphs"]][:paragraphs]
    file = folder / "xquad.json"
    file.write_text(json.dumps({"data": [{"title": "XQuAD", "paragraphs": taken}]}))
    grid = points(
        "config",
        [
            *("corpus=squad", f"corpus.path={file}", "golden=squad", f"golden.path={file}", "embedding=minilm"),
            *(
                "chunking=fixed",
                f"chunking.size={SIZES[0]},{SIZES[1]}",
                f"chunking.overlap={OVERLAPS[0]},{OVERLAPS[1]}",
            ),
            *(f"retrieval={','.join(MODES)}", f"retrieval.top_k={TOP_K[0]},{TOP_K[1]}"),
        ],
    )
    embedder, golden = stages.embedder(grid[0]), stages.golden(grid[0])
    embedder.embed_passages(["Hier werden die Gewichte geladen."])
    asked = [(question.id, question.question, golden.evidence[question.id][0]) for question in golden.questions]
    return Task(grid, embedder._model, embedder.tokenizer, stages.corpus(grid[0]).documents, asked)


def listed(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def messlatte(work: Task) -> Recalls:
    recalls: Recalls = {}
    for cfg in work.points:
        found = [
            any(found_rank(evidence, [hit.chunk]) for hit in hits[: cfg.retrieval.top_k])
            for (_, _, evidence), hits in zip(work.asked, stages.rankings(cfg), strict=True)
        ]
        mode = "hybrid" if cfg.retrieval.bm25_weight else "dense"
        point = (cfg.chunking.size, cfg.chunking.overlap, mode, cfg.retrieval.top_k)
        recalls[point] = mean(found)
    return recalls


def naive(work: Task) -> Recalls:
    from qdrant_client import QdrantClient, models
    from rank_bm25 import BM25Okapi

    recalls: Recalls = {}
    for size, overlap, mode, top_k in product(SIZES, OVERLAPS, MODES, TOP_K):
        cut = Fixed(size, overlap)
        chunks = [chunk for document in work.documents.values() for chunk in cut(document, work.tokenizer)]
        vectors = work.model.encode([chunk.text for chunk in chunks], show_progress_bar=False)
        client = QdrantClient(":memory:")
        distance = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        client.create_collection("chunks", vectors_config=distance)
        records = [models.PointStruct(id=n, vector=vector.tolist()) for n, vector in enumerate(vectors)]
        client.upsert("chunks", records)
        bm25 = BM25Okapi([chunk.text.lower().split() for chunk in chunks])
        found = []
        for _, question, evidence in work.asked:
            vector = work.model.encode(question, show_progress_bar=False).tolist()
            best = [int(hit.id) for hit in client.query_points("chunks", vector, limit=50).points]
            if mode == "hybrid":
                lexical = bm25.get_scores(question.lower().split()).argsort()[::-1][:50].tolist()
                scores: dict[int, float] = {}
                for ranking in (best, lexical):
                    for rank, n in enumerate(ranking, 1):
                        scores[n] = scores.get(n, 0.0) + 1 / (60 + rank)
                best = sorted(scores, key=lambda n: -scores[n])
            found.append(any(found_rank(evidence, [chunks[n]]) for n in best[:top_k]))
        recalls[size, overlap, mode, top_k] = mean(found)
    return recalls


def context_grid(work: Task) -> Recalls:
    import contextgrid as cg
    from contextgrid.grid.matrix import matrix
    from contextgrid.grid.runner import Runner
    from contextgrid.score.resolve import SpanResolver

    running.append(work)
    corpus = cg.Corpus.from_texts({name: document.text for name, document in work.documents.items()})
    items = tuple(
        cg.EvalItem(name, question, (cg.GoldSpan(cg.Span(evidence.document, evidence.start, evidence.end)),))
        for name, question, evidence in work.asked
    )
    runner = Runner(corpus, ks=TOP_K, headline=f"hit_rate@{TOP_K[-1]}", span_resolver=SpanResolver(threshold=TAU))
    cuts = [f"ours:{size},overlap={overlap}" for size, overlap in product(SIZES, OVERLAPS)]
    grid = matrix(parser="text", chunker=cuts, embedder="ours", index=MODES, k=TOP_K[-1])
    results = runner.run(grid, cg.EvalSet("xquad", items), mode="factorial")
    recalls: Recalls = {}
    for run in results.runs:
        size, overlap = run.config.chunker.removeprefix("ours:").split(",overlap=")
        for top_k in TOP_K:
            reached = run.metrics[f"hit_rate@{top_k}"] * run.scored_queries / len(items)  # unreachable is missed
            recalls[int(size), int(overlap), run.config.index, top_k] = reached
    return recalls


running: list[Task] = []  # what our plug-ins work on: context-grid makes them from their names


def register() -> None:
    """Our cuts and model as plug-ins of context-grid."""
    from contextgrid.chunk import CHUNKERS
    from contextgrid.chunk.base import ChunkBuilder
    from contextgrid.embed import EMBEDDERS, EmbeddingResult

    @CHUNKERS.register("ours", shorthand="size")
    @dataclass(frozen=True)
    class Cuts:
        size: int
        overlap: int
        name = "ours"
        version = "1"

        def chunk(self, parsed: Any) -> list[Any]:
            assert parsed.text == running[-1].documents[parsed.id].text
            cut = Fixed(self.size, self.overlap)(running[-1].documents[parsed.id], running[-1].tokenizer)
            return ChunkBuilder(parsed, []).build_all([(chunk.start, chunk.end) for chunk in cut])

    @EMBEDDERS.register("ours")
    @dataclass(frozen=True)
    class Model:
        name = "ours"
        version = "1"
        dimensions = 384
        normalised = True
        max_tokens = 256

        def prepare(self, documents: Any) -> None: ...

        def embed_documents(self, texts: Any) -> Any:
            vectors = running[-1].model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
            return EmbeddingResult(vectors)

        embed_queries = embed_documents


def from_nothing(work: Task, folder: Path) -> None:
    """An empty cache, nothing remembered, the model loaded."""
    folder.mkdir()
    os.environ["MESSLATTE_CACHE"] = str(folder)
    stages.model_cache.cache_clear()
    forget()
    stages.embedder(work.points[0]).embed_passages(["Hier werden die Gewichte geladen."])


def main() -> int:
    paragraphs = int(sys.argv[1]) if sys.argv[1:] else PARAGRAPHS
    sides = {"messlatte": messlatte, "context_grid": context_grid, "naive": naive}
    taken: dict[str, list[float]] = {side: [] for side in sides}
    worked: dict[str, list[float]] = {side: [] for side in sides}
    recalls: dict[str, Recalls] = {}
    with tempfile.TemporaryDirectory() as folder:
        register()
        tiny = task(1, Path(folder, "tiny"))
        from_nothing(tiny, Path(folder, "loads"))
        for sweep in sides.values():  # libraries and word lists
            sweep(tiny)
        work = task(paragraphs, Path(folder, "task"))
        for run in range(RUNS):
            from_nothing(work, Path(folder, str(run)))
            for side, sweep in sides.items():
                start, before = perf_counter(), process_time()
                recalls[side] = sweep(work)
                taken[side].append(perf_counter() - start)
                worked[side].append(process_time() - before)
    ours = recalls["messlatte"]
    ratios = {side: median(map(truediv, taken[side], taken["messlatte"])) for side in ("context_grid", "naive")}
    apart = {
        f"{mode}_{side}": max(abs(recalls[side][point] - ours[point]) for point in ours if point[2] == mode)
        for mode in MODES
        for side in ratios
    }
    for point in ours:
        print(*point, *(f"{side} {found[point]:.3f}" for side, found in recalls.items()))
    result = {
        "points": len(ours),
        "questions": len(work.asked),
        "load": os.getloadavg()[0],
        **{f"seconds_{side}": median(seconds) for side, seconds in taken.items()},
        **{f"ratio_{side}": ratio for side, ratio in ratios.items()},
        **{f"cpu_ratio_{side}": median(map(truediv, worked[side], worked["messlatte"])) for side in ratios},
        **{f"apart_{name}": difference for name, difference in apart.items()},
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))
    agree = max(apart["dense_context_grid"], apart["dense_naive"]) <= AGREE
    return int(not agree or ratios["naive"] < NAIVE_LIMIT or ratios["context_grid"] < 1)


if __name__ == "__main__":
    sys.exit(main())
