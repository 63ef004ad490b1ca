"""Passages in a Qdrant collection: exact nearest neighbours that the asking person may read."""

import hashlib
import json
import os
import uuid
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.errors import InputError
from rag.records import Chunk, Document, Hit

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

NAMESPACE = uuid.UUID("5f0e7a8e-3f0b-5c1e-9a7d-6d6573736c61")
UPSERT_BATCH = 256
QUERY_BATCH = 128


def memory() -> "QdrantClient":
    """Qdrant's local mode in this process's memory."""
    from qdrant_client import QdrantClient

    return QdrantClient(":memory:")


def path(folder: str) -> "QdrantClient":
    """Qdrant's local mode on disk; one process at a time may hold the folder."""
    from qdrant_client import QdrantClient

    try:
        return QdrantClient(path=folder)
    except (RuntimeError, OSError) as error:
        raise InputError(
            f"index.folder={folder}: {error}; choose another folder or end the process that uses it"
        ) from error


def server() -> "QdrantClient":
    """A Qdrant server at QDRANT_URL, with QDRANT_API_KEY if it is set: secrets stay out of the configuration."""
    from qdrant_client import QdrantClient

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
    return client


def collection_name(*parts: str) -> str:
    """Names a collection by all that its vectors depend on, so that two models never meet in one collection."""
    return f"messlatte_{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]}"


def point_id(chunk_id: str) -> str:
    """The same chunk has the same point id in every collection and process."""
    return str(uuid.uuid5(NAMESPACE, chunk_id))


class Index:
    """One collection. Build it with `Index.build`; chunks come back from it as the records that went in."""

    def __init__(self, client: "QdrantClient", collection: str, chunks: Sequence[Chunk]) -> None:
        self.client = client
        self.collection = collection
        self.chunks: Mapping[str, Chunk] = {point_id(chunk.id): chunk for chunk in chunks}

    @classmethod
    def build(
        cls,
        client: "QdrantClient",
        collection: str,
        chunks: Sequence[Chunk],
        vectors: np.ndarray,
        documents: Mapping[str, Document],
    ) -> "Index":
        """Replace `collection` by one that holds `chunks` with `vectors`, shape (len(chunks), dimension), cosine."""
        from qdrant_client import models

        if client.collection_exists(collection):
            client.delete_collection(collection)
        size = models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        client.create_collection(collection, vectors_config=size)
        for start in range(0, len(chunks), UPSERT_BATCH):
            batch = slice(start, start + UPSERT_BATCH)
            points = [
                models.PointStruct(
                    id=point_id(chunk.id), vector=vector.tolist(), payload=_payload(chunk, documents[chunk.document])
                )
                for chunk, vector in zip(chunks[batch], vectors[batch], strict=True)
            ]
            client.upsert(collection, points, wait=True)
        return cls(client, collection, chunks)

    def search(self, vectors: np.ndarray, groups: Sequence[Sequence[str]], limit: int) -> list[list[Hit]]:
        """The `limit` best passages for each query vector that its groups may read, by exact search."""
        from qdrant_client import models

        found: list[list[Hit]] = []
        exact = models.SearchParams(exact=True)
        for start in range(0, len(vectors), QUERY_BATCH):
            batch = slice(start, start + QUERY_BATCH)
            requests = [
                models.QueryRequest(query=vector.tolist(), filter=_readable_by(own), limit=limit, params=exact)
                for vector, own in zip(vectors[batch], groups[batch], strict=True)
            ]
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Local mode performs exact")
                responses = self.client.query_batch_points(self.collection, requests)
            for response in responses:
                found.append(
                    [Hit(self.chunks[str(p.id)], rank, p.score) for rank, p in enumerate(response.points, start=1)]
                )
        return found


def _payload(chunk: Chunk, document: Document) -> dict[str, object]:
    return {
        "document": chunk.document,
        "section": chunk.section,
        "title": document.title,
        "url": document.url,
        "groups": list(document.groups),
        "start": chunk.start,
        "end": chunk.end,
    }


def _readable_by(groups: Sequence[str]) -> "models.Filter":
    """Passages without groups are public; the others need one of the person's groups."""
    from qdrant_client import models

    public = models.IsEmptyCondition(is_empty=models.PayloadField(key="groups"))
    member = models.FieldCondition(key="groups", match=models.MatchAny(any=list(groups)))
    return models.Filter(should=[public, member] if groups else [public])
