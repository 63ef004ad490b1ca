"""python -m benchmarks.embedding [e5-small] [minilm]: texts a second, against a plain `encode(batch_size=32)`.

Mixed lengths in corpus order: paragraphs of the German XQuAD (../shared/data/xquad, or the environment's XQUAD), each
followed by its sentences and its questions. All sides use the same loaded model and threads:

- `ours`: through the cache, an empty one, as the pipeline embeds
- `corpus_order`: 32 texts after the other, as they come
- `sorted`: one call with all texts, which sentence-transformers then sorts by their characters

Repetitions are interleaved, so that a busy machine slows all of them; a ratio is the median of the repetitions' own
ratios, of wall time, and of processor time (`cpu_ratio`), which others' work distorts less. `padded_ratio`, tokens with
padding against ours, depends on no clock. Vectors must agree.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import numpy as np

from rag.batches import token_batches
from rag.cache import Cache
from rag.cached import SLICE
from rag.cores import available_cores
from rag.embedding import CachedEmbedder, SentenceTransformerEmbedder

XQUAD = Path(os.environ.get("XQUAD") or Path(__file__).parents[2] / "shared" / "data" / "xquad")
PARAGRAPHS, RUNS, BATCH, LIMIT = 20, 5, 32, 1.3
PREFIXES = {"e5-small": "passage: ", "minilm": ""}


def texts() -> list[str]:
    articles = json.loads((XQUAD / "xquad.de.json").read_text())["data"]
    every_twelfth = [paragraph for article in articles for paragraph in article["paragraphs"]][:: 240 // PARAGRAPHS]
    mixed: list[str] = []
    for paragraph in every_twelfth:
        sentences = re.split(r"(?<=[.!?]) +(?=[A-ZÄÖÜ])", paragraph["context"])
        mixed += [paragraph["context"], *sentences, *(qa["question"] for qa in paragraph["qas"])]
    return mixed


def measure(name: str, mixed: list[str]) -> dict[str, float]:
    embedder = SentenceTransformerEmbedder(name, passage_prefix=PREFIXES[name])
    embedder.embed_passages(mixed[:8])  # load the weights
    prefixed = [PREFIXES[name] + text for text in mixed]

    def ours() -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            return CachedEmbedder(embedder, Cache(Path(folder, "cache.sqlite"))).embed_passages(mixed)

    def encode(batch: list[str]) -> np.ndarray:
        return embedder._model.encode(
            batch, batch_size=BATCH, prompt="", normalize_embeddings=True, show_progress_bar=False
        )

    sides: dict[str, Callable[[], np.ndarray]] = {
        "ours": ours,
        "corpus_order": lambda: np.vstack([encode(prefixed[i : i + BATCH]) for i in range(0, len(mixed), BATCH)]),
        "sorted": lambda: encode(prefixed),
    }
    wall: dict[str, list[float]] = {side: [] for side in sides}
    cpu: dict[str, list[float]] = {side: [] for side in sides}
    vectors = {}
    for _ in range(RUNS):
        for side, embed in sides.items():
            start, worked = perf_counter(), process_time()
            vectors[side] = embed()
            wall[side].append(perf_counter() - start)
            cpu[side].append(process_time() - worked)
    padded = padded_tokens(embedder, prefixed)
    assert all(np.allclose(vectors["ours"], other, atol=1e-4) for other in vectors.values())
    return {
        "texts_a_second": len(mixed) / median(wall["ours"]),
        **{f"ratio_{side}": ratio(wall[side], wall["ours"]) for side in sides if side != "ours"},
        **{f"cpu_ratio_{side}": ratio(cpu[side], cpu["ours"]) for side in sides if side != "ours"},
        **{f"padded_ratio_{side}": padded[side] / padded["ours"] for side in sides if side != "ours"},
    }


def padded_tokens(embedder: SentenceTransformerEmbedder, prefixed: list[str]) -> dict[str, int]:
    """What the model computes on each side: batches times their longest text."""
    lengths = [min(length, embedder.max_tokens) for length in embedder.tokenizer.lengths(prefixed)]
    by_characters = sorted(range(len(prefixed)), key=lambda position: -len(prefixed[position]))

    def batches(order: Sequence[int], size: int) -> list[list[int]]:
        return [[lengths[p] for p in order[start : start + size]] for start in range(0, len(order), size)]

    slices = batches(by_characters, SLICE)
    ours = [[own[p] for p in batch] for own in slices for batch in token_batches(own)]
    sides = {
        "ours": ours,
        "corpus_order": batches(range(len(prefixed)), BATCH),
        "sorted": batches(by_characters, BATCH),
    }
    return {side: sum(len(batch) * max(batch) for batch in own) for side, own in sides.items()}


def ratio(other: list[float], ours: list[float]) -> float:
    return median(theirs / own for theirs, own in zip(other, ours, strict=True))


def main() -> int:
    mixed, failed = texts(), False
    for name in sys.argv[1:] or list(PREFIXES):
        result = measure(name, mixed)
        rounded = {key: round(value, 3) for key, value in result.items()}
        about = {"texts": len(mixed), "threads": available_cores(), "load": round(os.getloadavg()[0], 1)}
        print(json.dumps({"model": name, **about, **rounded, "limit": LIMIT}), flush=True)
        failed |= result["ratio_corpus_order"] < LIMIT
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
