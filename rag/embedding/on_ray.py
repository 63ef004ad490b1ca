"""A corpus embedded by all machines of a Ray cluster, into the cache that they share."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rag.cached import Progress
from rag.embedding.cached import CachedEmbedder
from rag.embedding.embedder import Embedder
from rag.errors import InputError
from rag.ray_cluster import join
from rag.shared_cache import open_cache

BATCH = 256  # texts that a worker embeds and stores at once: what a worker that dies loses at most
SHARES = 4  # blocks of the data set a worker, at least: the last ones keep all of them busy


class Worker:
    """One process of the cluster; it loads the model once and embeds batch after batch."""

    def __init__(self, make: Callable[[], Embedder]) -> None:
        self.embedder = CachedEmbedder(make(), open_cache())

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        texts = [str(text) for text in batch["text"]]
        self.embedder.embed_passages(texts)  # the vectors stay in the cache: nobody sends them about
        return {"done": np.array([len(texts)])}


def embed_passages_on_ray(
    embedder: CachedEmbedder, make: Callable[[], Embedder], texts: Sequence[str], progress: Progress | None = None
) -> None:
    """Put the vectors of all texts that are not there yet into the cache, on as many workers as there are cores.

    `make` makes the embedder on a worker. A worker that dies is replaced and its batch embedded again.
    Raises InputError if the workers' cache is not the embedder's.
    """
    distinct = list(dict.fromkeys(texts))
    by_key = dict(zip(embedder.keys("passage", distinct), distinct, strict=True))
    missing = _missing(embedder, by_key)
    if progress:
        progress(len(texts) - len(missing))
    if not missing:
        return
    for batch in _embedded(make, missing):
        if progress:
            progress(int(batch["done"].sum()))
    if lost := _missing(embedder, by_key):
        raise InputError(
            f"embedding.engine=ray: {len(lost)} of {len(missing)} texts are missing from this machine's cache; the "
            "workers use another one: set MESSLATTE_CACHE_STORE, or MESSLATTE_CACHE to a folder that they share"
        )


def _embedded(make: Callable[[], Embedder], texts: list[str]) -> Any:
    import ray

    join()
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
    longest_first = sorted(texts, key=len, reverse=True)  # neighbours of like length: little padding
    blocks = max(1, min(len(texts) // 16, SHARES * cores))
    data = ray.data.from_items([{"text": text} for text in longest_first], override_num_blocks=blocks)
    return data.map_batches(
        Worker, fn_constructor_args=(make,), batch_size=BATCH, concurrency=(1, cores), num_cpus=1
    ).iter_batches(batch_size=None)


def _missing(embedder: CachedEmbedder, by_key: dict[str, str]) -> list[str]:
    held = embedder.cache.get_many(list(by_key)).keys()
    return [text for key, text in by_key.items() if key not in held]
