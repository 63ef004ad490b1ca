"""Collections that qdrant-client speaks to: in memory, in a folder, on a server."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rag.errors import InputError
from rag.index.graph import Graph, graph
from rag.index.points import Scored, payload, point_id, search
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
    client = QdrantClient(url=url, api_key=os.environ.get("QDRANT_API_KEY"), check_compatibility=False)
    try:
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
        self, collection: str, chunks: Sequence[Chunk], vectors: np.ndarray, documents: Mapping[str, Document]
    ) -> "ClientIndex":
        from qdrant_client import models

        if self.client.collection_exists(collection):
            if self.shared and self.client.count(collection, exact=True).count == len(chunks):
                return ClientIndex(self.client, collection, chunks, self.links)
            self.client.delete_collection(collection)
        size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        self.client.create_collection(collection, vectors_config=size)
        for start in range(0, len(chunks), UPSERT_BATCH):
            batch = slice(start, start + UPSERT_BATCH)
            points = [
                models.PointStruct(
                    id=point_id(chunk.id), vector=vector.tolist(), payload=payload(chunk, documents[chunk.document])
                )
                for chunk, vector in zip(chunks[batch], vectors[batch], strict=True)
            ]
            self.client.upsert(collection, points, wait=True)
        return ClientIndex(self.client, collection, chunks, self.links)


class ClientIndex:
    """A collection that a QdrantClient searches."""

    def __init__(
        self, client: "QdrantClient", collection: str, chunks: Sequence[Chunk], links: Graph | None = None
    ) -> None:
        self.client, self.collection, self.chunks, self.links = client, collection, chunks, links
        self.positions = {point_id(chunk.id): position for position, chunk in enumerate(chunks)}

    def search(
        self, vectors: np.ndarray, groups: Sequence[Sequence[str]], limit: int, exact: bool = False
    ) -> list[list[Hit]]:
        from qdrant_client import models

        links = None if exact else self.links
        params = models.SearchParams(exact=True) if links is None else models.SearchParams(hnsw_ef=links.ef)

        def request(i: int, limit: int, threshold: float | None) -> models.QueryRequest:
            return models.QueryRequest(
                query=vectors[i].tolist(),
                filter=_readable_by(groups[i]),
                limit=limit,
                params=params,
                score_threshold=threshold,
            )

        return search(self._ask, request, len(vectors), self.chunks, limit, links is None)

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
