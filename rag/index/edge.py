"""Qdrant's own engine in this process: the server's speed and filters, no server."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rag.cores import available_cores
from rag.errors import InputError
from rag.index.graph import Graph, graph
from rag.index.points import Scored, search
from rag.records import Chunk, Document, Hit

if TYPE_CHECKING:
    import qdrant_edge as edge_engine

UPSERT_BATCH = 1024


def edge(
    folder: str | None = None, exact: bool = True, hnsw_m: int = 16, ef_construct: int = 100, hnsw_ef: int = 128
) -> "Edge":
    """`folder`: where the files lie as long as the index is in use; None: the system's folder for temporary files."""
    return Edge(_writable(folder), graph(exact, hnsw_m, ef_construct, hnsw_ef))


def _writable(folder: str | None) -> str:
    where = folder or "the system's folder for temporary files"
    try:
        with tempfile.TemporaryDirectory(prefix="messlatte-", dir=folder) as probe:
            return os.path.dirname(probe)
    except OSError as error:
        raise InputError(
            f"index=edge: {where}: {error.strerror}; set index.folder to a folder that can be written, or index=memory"
        ) from error


@dataclass(frozen=True, slots=True)
class Edge:
    """Each collection is a shard in a folder of its own below `folder`, so any number of processes may share that."""

    folder: str
    links: Graph | None = None

    @property
    def exact(self) -> bool:
        return self.links is None

    def build(
        self, collection: str, chunks: Sequence[Chunk], vectors: np.ndarray, documents: Mapping[str, Document]
    ) -> "EdgeIndex":
        import qdrant_edge as engine

        _check_space(self.folder, 4 * vectors.shape[0] * vectors.shape[1])
        own = tempfile.mkdtemp(prefix="messlatte-", dir=self.folder)
        shard = engine.EdgeShard.create(own, _config(vectors.shape[1], self.links))
        index = EdgeIndex(shard, own, chunks, self.links)
        shard.update(engine.UpdateOperation.create_field_index("groups", engine.PayloadSchemaType.Keyword))
        for start in range(0, len(chunks), UPSERT_BATCH):
            batch = slice(start, start + UPSERT_BATCH)
            points = [
                engine.Point(position, vector, {"groups": list(documents[chunk.document].groups)})
                for position, (chunk, vector) in enumerate(
                    zip(chunks[batch], vectors[batch].tolist(), strict=True), start=start
                )
            ]
            shard.update(engine.UpdateOperation.upsert_points(points))
        if self.links:
            shard.optimize()
        return index


def _check_space(folder: str, needed: int) -> None:
    """A full disk would end the process: the engine maps its files into memory."""
    free = shutil.disk_usage(folder).free
    if free < 2 * needed:
        raise InputError(
            f"index=edge: {folder} has {free >> 20} MB free, the index needs {2 * needed >> 20} MB; set index.folder"
        )


def _config(size: int, links: Graph | None) -> "edge_engine.EdgeConfig":
    import qdrant_edge as engine

    threads = available_cores()
    dense = engine.EdgeVectorParams(size=size, distance=engine.Distance.Cosine)
    if links is None:  # no write-ahead log: a shard that was not built to its end is of no use
        return engine.EdgeConfig(vectors=dense, wal_enabled=False, max_search_threads=threads)
    return engine.EdgeConfig(
        vectors=dense,
        hnsw_config=engine.HnswIndexConfig(links.m, links.ef_construct, full_scan_threshold=1),
        optimizers=engine.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1),
        wal_enabled=False,
        max_search_threads=threads,
    )


class EdgeIndex:
    """A shard whose points are numbered like the chunks; its files go with it."""

    def __init__(
        self, shard: "edge_engine.EdgeShard", folder: str, chunks: Sequence[Chunk], links: Graph | None
    ) -> None:
        self.shard, self.chunks, self.links = shard, chunks, links
        weakref.finalize(self, _remove, shard, folder, os.getpid())

    def search(
        self, vectors: np.ndarray, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        import qdrant_edge as engine

        links = None if exact else self.links
        params = engine.SearchParams(exact=True) if links is None else engine.SearchParams(hnsw_ef=links.ef)

        def request(i: int, limit: int, threshold: float | None) -> "edge_engine.QueryRequest":
            return engine.QueryRequest(
                query=engine.Query.Nearest(vectors[i].tolist()),
                filter=_readable_by(groups[i]),
                limit=limit,
                params=params,
                score_threshold=threshold,
            )

        return search(self._ask, request, len(vectors), self.chunks, limit, links is None)

    def _ask(self, requests: "list[edge_engine.QueryRequest]") -> list[Scored]:
        import qdrant_edge as engine

        answers = self.shard.query_batch(engine.QueryBatchRequest(requests))
        return [[(int(point.id), point.score) for point in own] for own in answers]


def _remove(shard: "edge_engine.EdgeShard", folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked process ends too, and leaves its parent's files alone
        shard.close()
        shutil.rmtree(folder, ignore_errors=True)


def _readable_by(groups: Sequence[str]) -> "edge_engine.Filter":
    """Passages without groups are public; the others need one of the person's groups."""
    import qdrant_edge as engine

    public = engine.IsEmptyCondition("groups")
    member = engine.FieldCondition("groups", match=engine.MatchAny(list(groups)))
    return engine.Filter(should=[public, member] if groups else [public])
