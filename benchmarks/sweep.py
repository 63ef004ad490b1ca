"""What a sweep costs beside its models, what one more point costs, and what a finished sweep costs when started again.

    python benchmarks/sweep.py ../shared/data/xquad/xquad.de.json --questions 240

48 points over a SQuAD file with empty caches. The models then read the same distinct texts and pairs once more, all
of a kind in one call: the bare time. The latency that the sweep measures, one question at a time, is no part of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import Any

AXES = (
    "chunking.size=128,256",
    "chunking.overlap=0,32",
    "embedding=e5-small,minilm",
    "reranker=none,cross-encoder",
    "retrieval.top_k=3,5,8",
    "reranker.depth=2",
)
FURTHER = {
    "retrieval.top_k": (6, 4, 2),
    "retrieval.rrf_k": (30, 40, 20),
    "reranker.depth": (1,),
    "decline.below": (0.5, 0.6, 0.7),
}
Read = dict[tuple[Any, ...], dict[Any, None]]
"""Distinct inputs by model and the other arguments of the method that reads them."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Sweep overhead, marginal point and restart.")
    parser.add_argument("squad", type=Path, help="a SQuAD file, such as xquad.de.json")
    parser.add_argument("--questions", type=int, help="only so many, spread over the paragraphs; else all")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MESSLATTE_CACHE"] = f"{folder}/cache"
        data = reduced(chosen.squad.absolute(), chosen.questions, Path(folder))
        os.chdir(folder)
        measure([f"corpus.path={data}", f"golden.path={data}", "corpus=squad", "golden=squad"])


def measure(material: Sequence[str]) -> None:
    from pipelines.config import points
    from pipelines.point import run_point
    from pipelines.sweep import sweep

    read: Read = {}
    with recorded(read):
        cold = timed(lambda: sweep([*material, *AXES]))
    command = [sys.executable, "-m", "pipelines.sweep", *material, *AXES]

    def again() -> None:
        subprocess.run(command, check=True, capture_output=True)

    print(f"cold sweep of 48 points {cold:8.1f} s", flush=True)
    print(f"the sweep again         {timed(again):8.1f} s", flush=True)
    bare = timed(lambda: [method(*own, list(texts)) for (method, *own), texts in read.items()])
    print(f"bare models             {bare:8.1f} s   ratio {cold / bare:.2f}")
    single = [axis.partition(",")[0] for axis in AXES]
    base = [*material, *single, "reranker=cross-encoder", "tracking.traces=none"]  # as a sweep sets it
    (cfg,), (beside,) = points("config", base), points("config", [*base, "retrieval.top_k=7"])
    run_point(beside)  # as in a sweep, whose neighbouring points leave behind what they share
    print(f"a point again           {timed(lambda: run_point(cfg)):8.2f} s")
    for key, values in FURTHER.items():
        for value in values:
            (other,) = points("config", [*base, f"{key}={value}"])
            print(f"a further point         {timed(lambda other=other: run_point(other)):8.2f} s   {key}={value}")
    print(f"the sweep after these   {timed(again):8.1f} s")


@contextmanager
def recorded(read: Read) -> Iterator[None]:
    """What the models of this process read meanwhile."""
    from rag.embedding.sentence_transformer import SentenceTransformerEmbedder
    from rag.reranking import CrossEncoderReranker

    reading = [(SentenceTransformerEmbedder, "_embed"), (CrossEncoderReranker, "scores")]
    methods = [getattr(part, name) for part, name in reading]
    for (part, name), method in zip(reading, methods, strict=True):

        def recording(*arguments: Any, method: Callable[..., Any] = method) -> Any:
            *own, texts = arguments
            read.setdefault((method, *own), {}).update(dict.fromkeys(texts))
            return method(*arguments)

        setattr(part, name, recording)
    yield
    for (part, name), method in zip(reading, methods, strict=True):
        setattr(part, name, method)


def timed(task: Callable[[], object]) -> float:
    start = perf_counter()
    task()
    return perf_counter() - start


def reduced(squad: Path, questions: int | None, folder: Path) -> Path:
    """The file with `questions` of its questions, one after the other from every paragraph."""
    data = json.loads(squad.read_text(encoding="utf-8"))
    paragraphs = [paragraph for article in data["data"] for paragraph in article["paragraphs"]]
    turns = zip_longest(*(paragraph["qas"] for paragraph in paragraphs))
    kept = {id(qa) for qa in [qa for turn in turns for qa in turn if qa][:questions]}
    for paragraph in paragraphs:
        paragraph["qas"] = [qa for qa in paragraph["qas"] if id(qa) in kept]
    target = folder / squad.name
    target.write_text(json.dumps(data), encoding="utf-8")
    return target


if __name__ == "__main__":
    main()
