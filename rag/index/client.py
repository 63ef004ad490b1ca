"""Collections that qdrant-client speaks to: in memory, in a folder, on a server."""

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.errors import InputError
from rag.index.graph import Graph, graph
from rag.index.location import Vectors
from rag.index.points import TERMS, Scored, payload, point_id, search, terms
from rag.records import Chunk, Document, Hit

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

UPSERT_BATCH = 256


def memory(exact: bool = True) -> "Client":
    """Qdrant's local mode in this process's memory."""
    from qdrant_client import QdrantClient

    _without_graph("memory", exact)
    return Client(QdrantClient(":memory:"))


def path(folder: str, exact: bool = True) -> "Client":
    """Qdrant's local mode on disk; one process at a time may hold the folder."""
    from qdrant_client import QdrantClient

    _without_graph("path", exact)
    try:
        return Client(QdrantClient(path=folder))
    except (RuntimeError, OSError) as error:
        raise InputError(
            f"index.folder={folder}: {error}; choose another folder or end the process that uses it"
        ) from error


def server(exact: bool = True, hnsw_m: int = 16, ef_construct: int = 100, hnsw_ef: int = 128) -> "Client":
    """A Qdrant server at QDRANT_URL, with QDRANT_API_KEY if it is set: secrets stay out of the configuration."""
    from qdrant_client import QdrantClient

    links = graph(exact, hnsw_m, ef_construct, hnsw_ef)
    url = os.environ.get("QDRANT_URL")
    if not url:
        raise InputError(
            "index=server: the environment variable QDRANT_URL is not set; e.g. QDRANT_URL=http://localhost:6333"
        )
    try:
        client = QdrantClient(url=url, api_key=os.environ.get("QDRANT_API_KEY"), check_compatibility=False)
        client.get_collections()
    except Exception as error:
        raise InputError(f"index=server: no Qdrant answers at QDRANT_URL={url} ({type(error).__name__})") from error
    return Client(client, links, shared=True)


def _without_graph(name: str, exact: bool) -> None:
    if not exact:
        raise InputError(
            f"index={name} index.exact=false: local mode always searches exactly; take index=edge or index=server"
        )


@dataclass(frozen=True, slots=True)
class Client:
    """A location behind a QdrantClient. `links` None: exact search.

    `shared`: a collection that is complete is used, not replaced: another worker may be searching it. Its name holds a
    hash of all that its content depends on.
    """

    client: "QdrantClient"
    links: Graph | None = None
    shared: bool = False

    @property
    def exact(self) -> bool:
        return self.links is None

    def build(
        self, collection: str, chunks: Sequence[Chunk], vectors: Vectors, documents: Mapping[str, Document]
    ) -> "ClientIndex":
        from qdrant_client import models

        if self.client.collection_exists(collection):
            if self.shared and self.client.count(collection, exact=True).count == len(chunks):
                return ClientIndex(self.client, collection, chunks, self.links)
            self.client.delete_collection(collection)
        links = self.links if isinstance(vectors, np.ndarray) else None  # of terms there is no graph
        self.client.create_collection(collection, **_config(vectors, links))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Payload indexes have no effect in the local")
            self.client.create_payload_index(collection, "groups", models.PayloadSchemaType.KEYWORD, wait=True)
        for start in range(0, len(chunks), UPSERT_BATCH):
            batch = slice(start, start + UPSERT_BATCH)
            points = [
                models.PointStruct(
                    id=point_id(chunk.id), vector=vector, payload=payload(chunk, documents[chunk.document])
                )
                for chunk, vector in zip(chunks[batch], _rows(vectors[batch]), strict=True)
            ]
            self.client.upsert(collection, points, wait=True)
        if links:
            _until_green(self.client, collection)
        return ClientIndex(self.client, collection, chunks, links)


def _config(vectors: Vectors, links: Graph | None) -> dict[str, Any]:
    from qdrant_client import models

    if not isinstance(vectors, np.ndarray):
        terms = models.SparseVectorParams(modifier=models.Modifier.IDF)
        return {"vectors_config": {}, "sparse_vectors_config": {TERMS: terms}}
    dense = {"vectors_config": models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)}
    if links is None:
        return dense
    hnsw = models.HnswConfigDiff(m=links.m, ef_construct=links.ef_construct, full_scan_threshold=10)
    return {**dense, "hnsw_config": hnsw, "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=1)}


def _until_green(client: "QdrantClient", collection: str) -> None:
    """A server builds its graph behind the upserts, and searches exactly until it has one."""
    from qdrant_client import models

    while (status := client.get_collection(collection).status) != models.CollectionStatus.GREEN:
        if status == models.CollectionStatus.RED:
            raise InputError(f"index=server: Qdrant could not build the graph of {collection}; its log says why")
        time.sleep(0.5)


def _rows(vectors: Vectors) -> list[Any]:
    """As the client takes them in points and, without the name, in queries."""
    from qdrant_client import models

    if isinstance(vectors, np.ndarray):
        return vectors.tolist()
    return [{TERMS: models.SparseVector(indices=columns, values=values)} for columns, values in terms(vectors)]


class ClientIndex:
    """A collection that a QdrantClient searches."""

    def __init__(
        self, client: "QdrantClient", collection: str, chunks: Sequence[Chunk], links: Graph | None = None
    ) -> None:
        self.client, self.collection, self.chunks, self.links = client, collection, chunks, links
        self.positions = {point_id(chunk.id): position for position, chunk in enumerate(chunks)}

    def search(
        self, vectors: Vectors, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        from qdrant_client import models

        links = None if exact else self.links
        queries = _rows(vectors)
        params = models.SearchParams(exact=True) if links is None else models.SearchParams(hnsw_ef=links.ef)

        def request(i: int, limit: int, threshold: float | None) -> models.QueryRequest:
            row = queries[i]
            return models.QueryRequest(
                query=row[TERMS] if isinstance(row, dict) else row,
                using=TERMS if isinstance(row, dict) else None,
                filter=_readable_by(groups[i]),
                limit=limit,
                params=params,
                score_threshold=threshold,
            )

        return search(self._ask, request, len(queries), self.chunks, limit, links is None)

    def _ask(self, requests: "list[models.QueryRequest]") -> list[Scored]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Local mode performs exact")
            responses = self.client.query_batch_points(self.collection, requests)
        return [[(self.positions[str(point.id)], point.score) for point in own.points] for own in responses]


def _readable_by(groups: Sequence[str]) -> "models.Filter":
    """Passages without groups are public; the others need one of the person's groups."""
    from qdrant_client import models

    public = models.IsEmptyCondition(is_empty=models.PayloadField(key="groups"))
    member = models.FieldCondition(key="groups", match=models.MatchAny(any=list(groups)))
    return models.Filter(should=[public, member] if groups else [public])
