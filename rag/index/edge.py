"""Qdrant's own engine in this process: the server's speed and filters, no server."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.cores import available_cores
from rag.errors import InputError
from rag.index.graph import Graph, graph
from rag.index.location import Vectors
from rag.index.points import TERMS, Scored, search, terms
from rag.records import Chunk, Document, Hit

if TYPE_CHECKING:
    import qdrant_edge as edge_engine

UPSERT_BATCH = 1024
EVERYBODY = "everybody"  # no group's value: those begin with "group "


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
        self, collection: str, chunks: Sequence[Chunk], vectors: Vectors, documents: Mapping[str, Document]
    ) -> "EdgeIndex":
        import qdrant_edge as engine

        dense = isinstance(vectors, np.ndarray)
        links = self.links if dense else None  # of terms there is no graph
        _check_space(self.folder, vectors.nbytes if isinstance(vectors, np.ndarray) else 8 * vectors.nnz)
        own = tempfile.mkdtemp(prefix="messlatte-", dir=self.folder)
        shard = engine.EdgeShard.create(own, _config(vectors.shape[1] if dense else None, links))
        index = EdgeIndex(shard, own, chunks, links)
        shard.update(engine.UpdateOperation.create_field_index("readers", engine.PayloadSchemaType.Keyword))
        groups = [documents[chunk.document].groups for chunk in chunks]
        # What the same people may read lies together: a filtered search then reads memory in one go, twice as fast.
        order = sorted(range(len(chunks)), key=lambda position: groups[position])
        for start in range(0, len(chunks), UPSERT_BATCH):
            batch = order[start : start + UPSERT_BATCH]
            points = [
                engine.Point(position, vector, {"readers": _readers(groups[position]) or [EVERYBODY]})
                for position, vector in zip(batch, _rows(vectors[batch]), strict=True)
            ]
            shard.update(engine.UpdateOperation.upsert_points(points))
        if links:
            shard.optimize()
        return index


def _check_space(folder: str, needed: int) -> None:
    """A full disk would end the process: the engine maps its files into memory."""
    free = shutil.disk_usage(folder).free
    if free < 2 * needed:
        raise InputError(
            f"index=edge: {folder} has {free >> 20} MB free, the index needs {2 * needed >> 20} MB; set index.folder"
        )


def _config(size: int | None, links: Graph | None) -> "edge_engine.EdgeConfig":
    """`size` None: sparse vectors."""
    import qdrant_edge as engine

    dense = None if size is None else engine.EdgeVectorParams(size=size, distance=engine.Distance.Cosine)
    sparse = {TERMS: engine.EdgeSparseVectorParams(modifier=engine.Modifier.Idf)} if size is None else None
    return engine.EdgeConfig(
        vectors=dense,
        sparse_vectors=sparse,
        hnsw_config=engine.HnswIndexConfig(links.m, links.ef_construct, full_scan_threshold=1) if links else None,
        optimizers=engine.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1) if links else None,
        wal_enabled=False,  # a shard that was not built to its end is of no use
        max_search_threads=available_cores(),
    )


def _rows(vectors: Vectors) -> list[Any]:
    """As the engine takes them in points and, without the name, in queries."""
    import qdrant_edge as engine

    if isinstance(vectors, np.ndarray):
        return vectors.tolist()
    return [{TERMS: engine.SparseVector(columns, values)} for columns, values in terms(vectors)]


class EdgeIndex:
    """A shard whose points are numbered like the chunks; its files go with it."""

    def __init__(
        self, shard: "edge_engine.EdgeShard", folder: str, chunks: Sequence[Chunk], links: Graph | None
    ) -> None:
        self.shard, self.chunks, self.links = shard, chunks, links
        weakref.finalize(self, _remove, shard, folder, os.getpid())

    def search(
        self, vectors: Vectors, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        import qdrant_edge as engine

        links = None if exact else self.links
        queries = [
            engine.Query.Nearest(row[TERMS], using=TERMS) if isinstance(row, dict) else engine.Query.Nearest(row)
            for row in _rows(vectors)
        ]
        params = engine.SearchParams(exact=True) if links is None else engine.SearchParams(hnsw_ef=links.ef)

        def request(i: int, limit: int, threshold: float | None) -> "edge_engine.QueryRequest":
            return engine.QueryRequest(
                query=queries[i],
                filter=_readable_by(groups[i]),
                limit=limit,
                params=params,
                score_threshold=threshold,
            )

        return search(self._ask, request, len(queries), self.chunks, limit, links is None)

    def _ask(self, requests: "list[edge_engine.QueryRequest]") -> list[Scored]:
        import qdrant_edge as engine

        answers = self.shard.query_batch(engine.QueryBatchRequest(requests))
        return [[(int(point.id), point.score) for point in own] for own in answers]


def _remove(shard: "edge_engine.EdgeShard", folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked process ends too, and leaves its parent's files alone
        shard.close()
        shutil.rmtree(folder, ignore_errors=True)


def _readers(groups: Sequence[str]) -> list[str]:
    return [f"group {name}" for name in groups]


def _readable_by(groups: Sequence[str]) -> "edge_engine.Filter":
    """Passages without groups are public; the others need one of the person's groups.

    One value a condition: of such the engine reads its lists as they are, in three quarters of the time of `MatchAny`.
    """
    import qdrant_edge as engine

    values = [EVERYBODY, *_readers(groups)]
    return engine.Filter(should=[engine.FieldCondition("readers", match=engine.MatchValue(own)) for own in values])
