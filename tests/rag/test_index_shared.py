"""A collection that several workers search. The double is qdrant-client's local mode in the place of a server."""

import numpy as np
import pytest

from rag.index import Client, memory
from rag.records import Chunk, Document

DOCUMENTS = {d: Document(d, d.upper(), f"Text {d}", ()) for d in "abc"}
CHUNKS = [Chunk(d, 0, 6, f"Text {d}", f"{d}#s0") for d in DOCUMENTS]
VECTORS = np.eye(3, dtype=np.float32)


@pytest.fixture
def upserts(monkeypatch: pytest.MonkeyPatch) -> tuple[Client, list[int]]:
    """A shared place, and the number of points of each write to it."""
    client, sizes = memory().client, list[int]()
    real = client.upsert

    def upsert(name: str, points: list, wait: bool) -> object:
        sizes.append(len(points))
        return real(name, points, wait=wait)

    monkeypatch.setattr(client, "upsert", upsert)
    return Client(client, shared=True), sizes


def test_a_complete_collection_is_used_as_it_is(upserts: tuple[Client, list[int]]) -> None:
    place, sizes = upserts
    found = [place.build("name", CHUNKS, VECTORS, DOCUMENTS).search(VECTORS, [()] * 3, 1) for _ in range(2)]
    assert sizes == [3]
    assert found[0] == found[1]
    assert [hits[0].chunk.document for hits in found[1]] == ["a", "b", "c"]


def test_one_that_a_dead_worker_left_half_full_is_made_anew(upserts: tuple[Client, list[int]]) -> None:
    place, sizes = upserts
    place.build("name", CHUNKS[:2], VECTORS[:2], DOCUMENTS)
    place.build("name", CHUNKS, VECTORS, DOCUMENTS)
    assert sizes == [2, 3]


def test_what_one_process_owns_is_replaced(upserts: tuple[Client, list[int]]) -> None:
    place, sizes = upserts
    for _ in range(2):
        Client(place.client).build("name", CHUNKS, VECTORS, DOCUMENTS)
    assert sizes == [3, 3]
