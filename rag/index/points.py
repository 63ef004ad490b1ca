"""What every location does alike: names and ids, payloads, and an order of hits that is the same everywhere."""

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from rag.records import Chunk, Document, Hit

NAMESPACE = uuid.UUID("5f0e7a8e-3f0b-5c1e-9a7d-6d6573736c61")
BATCH = 64

Request = TypeVar("Request")
Scored = list[tuple[int, float]]
"""Positions of chunks with their scores, best first."""


def collection_name(*parts: str) -> str:
    """Names a collection by all that its vectors depend on, so that two models never meet in one collection."""
    return f"messlatte_{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]}"


def point_id(chunk_id: str) -> str:
    """The same chunk has the same point id in every collection and process."""
    return str(uuid.uuid5(NAMESPACE, chunk_id))


def payload(chunk: Chunk, document: Document) -> dict[str, object]:
    return {
        "document": chunk.document,
        "section": chunk.section,
        "title": document.title,
        "url": document.url,
        "groups": list(document.groups),
        "start": chunk.start,
        "end": chunk.end,
    }


def search(
    ask: Callable[[list[Request]], list[Scored]],
    request: Callable[[int, int, float | None], Request],
    questions: int,
    chunks: Sequence[Chunk],
    limit: int,
    exact: bool,
) -> list[list[Hit]]:
    """The `limit` best hits of each question, equal scores in the order of the chunks.

    `request(question, limit, threshold)`: only scores above the threshold. Engines order equal scores as they like, so
    one hit more than `limit` is asked for; where equal scores go on beyond it, exact search asks for all of them.
    """
    found = []
    for start in range(0, questions, BATCH):
        batch = range(start, min(start + BATCH, questions))
        for question, own in zip(batch, ask([request(number, limit + 1, None) for number in batch]), strict=True):
            if exact and len(own) > limit and own[limit - 1][1] == own[limit][1]:
                below = float(np.nextafter(np.float32(own[limit][1]), np.float32(-np.inf)))
                (own,) = ask([request(question, len(chunks), below)])
            ordered = sorted(own, key=lambda scored: (-scored[1], scored[0]))[:limit]
            found.append([Hit(chunks[position], rank, score) for rank, (position, score) in enumerate(ordered, 1)])
    return found
