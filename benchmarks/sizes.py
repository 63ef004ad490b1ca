"""What a chunk costs: `python benchmarks/sizes.py [key=value ...]` prints the figures that docs/scale.md multiplies.

Times are processor seconds of one core, so that other programs on the machine change them little.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import sys
import time
import tracemalloc
from collections.abc import Callable

from pipelines import stages
from pipelines.config import make, points
from rag.retrieval import LexicalIndex

SAMPLE = 48  # passages that are embedded


def seconds(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def main(overrides: list[str]) -> None:
    (cfg,) = points("config", overrides)
    cutting = seconds(lambda: stages.chunks(cfg))
    chunks = stages.chunks(cfg)
    texts = [chunk.ranked_text for chunk in chunks]
    sample = texts[:: max(1, len(texts) // SAMPLE)]
    embedder = stages.embedder(cfg)
    embedder.embed_passages(sample[:2])  # loads the weights
    embedding = seconds(lambda: embedder.embed_passages(sample))
    tokens = sum(embedder.tokenizer.lengths(sample))
    documents, analyzer = stages.corpus(cfg).documents, make(cfg.lexical)
    LexicalIndex(chunks, documents, analyzer)  # loads the dictionaries
    indexing = seconds(lambda: LexicalIndex(chunks, documents, analyzer))
    tracemalloc.start()
    index = LexicalIndex(chunks, documents, analyzer)
    held, peak = tracemalloc.get_traced_memory()
    assert index
    print(
        f"{len(chunks)} chunks of {sum(map(len, texts)) / len(texts):.0f} characters, {tokens / len(sample):.0f} tokens"
    )
    print(f"cutting          {1000 * cutting / len(chunks):8.2f} ms a chunk (with reading the corpus)")
    print(f"embedding        {1000 * embedding / len(sample):8.2f} ms a chunk = {len(sample) / embedding:.1f} a second")
    print(f"                 {tokens / embedding:8.0f} tokens a second")
    print(f"BM25             {1000 * indexing / len(chunks):8.2f} ms a chunk")
    print(f"                 {held / len(chunks):8.0f} bytes a chunk held, {peak / len(chunks):.0f} at the peak")
    print(f"vector           {4 * embedder.dimension:8} bytes a chunk")


if __name__ == "__main__":
    main(sys.argv[1:])
