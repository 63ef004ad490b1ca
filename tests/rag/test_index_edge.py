"""Qdrant's engine in this process against its local mode, and what it leaves behind."""

import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from rag.errors import InputError
from rag.index import Index, edge, memory
from rag.records import Chunk, Document

GROUPS = [(), ("a",), ("b", "c"), ("c",)]
ASKING = [(), ("a",), ("c", "x"), ("nobody",)]


def passages(n: int) -> tuple[list[Chunk], dict[str, Document]]:
    documents = {
        f"d{i}": Document(f"d{i}", "", f"Text {i}", (), groups=GROUPS[i % len(GROUPS)]) for i in range(-(-n // 3))
    }
    return [Chunk(f"d{i // 3}", i % 3, 6, "Text", f"d{i // 3}#s0") for i in range(n)], documents


def unit(n: int, dimension: int = 48, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def ids(index: Index, asked: np.ndarray, groups: list[tuple[str, ...]], limit: int) -> list[list[str]]:
    return [[hit.chunk.id for hit in hits] for hits in index.search(asked, groups, limit)]


def test_same_hits_as_local_mode_and_as_arithmetic() -> None:
    chunks, documents = passages(600)
    vectors, asked = unit(600), unit(40, seed=1)
    groups = [ASKING[i % len(ASKING)] for i in range(40)]
    one = edge().build("c", chunks, vectors, documents).search(asked, groups, 50)
    two = memory().build("c", chunks, vectors, documents).search(asked, groups, 50)
    cosine = asked @ vectors.T
    for i, (ours, theirs) in enumerate(zip(one, two, strict=True)):
        open_ = np.array([documents[chunk.document].readable_by(groups[i]) for chunk in chunks])
        best = np.argsort(-np.where(open_, cosine[i], -np.inf), kind="stable")[:50]
        assert [hit.chunk for hit in ours] == [hit.chunk for hit in theirs] == [chunks[j] for j in best]
        assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], abs=1e-6)
        assert [hit.score for hit in ours] == pytest.approx(cosine[i, best], abs=1e-6)
        assert [hit.rank for hit in ours] == list(range(1, 51))


@pytest.mark.parametrize("place", [edge, memory])
@pytest.mark.parametrize("limit", [1, 10, 299, 300, 301, 1000])
def test_equal_scores_stand_in_the_order_of_the_chunks(place, limit) -> None:
    chunks, documents = passages(900)
    vectors = np.zeros((900, 4), np.float32)
    vectors[np.arange(900), np.arange(900) % 3] = 1  # every third passage is the same
    index = place().build("c", chunks, vectors, documents)
    readable = [c for c in chunks if documents[c.document].readable_by(("a", "b"))]
    equal = {k: [c.id for c in readable if chunks.index(c) % 3 == k] for k in range(3)}
    (found,) = ids(index, vectors[:1], [("a", "b")], limit)
    rest = sorted(equal[1] + equal[2], key=[c.id for c in chunks].index)
    assert found == (equal[0] + rest)[:limit]


@pytest.mark.parametrize("place", [edge, memory])
def test_nothing_readable_is_nothing_found(place) -> None:
    chunks, _ = passages(6)
    closed = {chunk.document: Document(chunk.document, "", "", (), groups=("a",)) for chunk in chunks}
    index = place().build("c", chunks, unit(6), closed)
    assert ids(index, unit(3), [(), ("b",), ("a",)], 2)[:2] == [[], []]
    assert len(ids(index, unit(1), [("a",)], 10)[0]) == 6


def files(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_every_collection_has_its_own_files_and_takes_them_along(tmp_path: Path) -> None:
    chunks, documents = passages(30)
    place = edge(str(tmp_path))
    assert files(tmp_path) == []  # nothing is left of the look whether it can be written
    first = place.build("c", chunks, unit(30), documents)
    again = place.build("c", chunks[:3], unit(30)[:3], documents)  # the same name, while the first is still in use
    assert len(files(tmp_path)) == 2
    assert len(ids(again, unit(1), [("a", "b")], 50)[0]) == 3
    del again
    gc.collect()
    assert len(files(tmp_path)) == 1
    assert len(ids(first, unit(1), [("a", "b")], 50)[0]) == len(
        [c for c in chunks if documents[c.document].readable_by(("a", "b"))]
    )
    del first
    gc.collect()
    assert files(tmp_path) == []


SCRIPT = """
import sys, numpy as np
from rag.index import edge
from rag.records import Chunk, Document
chunks = [Chunk("d", i, i + 1, "x", "d#s0") for i in range(500)]
vectors = np.random.default_rng(int(sys.argv[2])).normal(size=(500, 16)).astype("f4")
index = edge(sys.argv[1]).build("same", chunks, vectors, {"d": Document("d", "", "x" * 500, ())})
for _ in range(50):
    found = index.search(vectors, [()] * 500, 3)
    assert [hits[0].chunk.start for hits in found] == list(range(500))
if sys.argv[3] == "fails":
    raise SystemExit(7)
import os
if os.fork() == 0:
    sys.exit()
os.wait()
assert index.search(vectors[:1], [()], 1)[0][0].chunk.start == 0
"""


def test_processes_share_a_folder_and_leave_it_empty(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    started = [subprocess.Popen([*command, str(seed), end]) for seed, end in ((1, "ends"), (2, "ends"), (3, "fails"))]
    assert [process.wait(120) for process in started] == [0, 0, 7]
    assert files(tmp_path) == []


@pytest.mark.parametrize("folder", ["nirgends", "file"])
def test_a_folder_that_cannot_be_written(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=rf"index=edge: .*{folder}: .*; set index.folder") as caught:
        edge(str(tmp_path / folder))
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_told_before_the_files_are_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunks, documents = passages(3)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: type("Usage", (), {"free": 1000}))
    with pytest.raises(InputError, match="MB free, the index needs"):
        edge(str(tmp_path)).build("c", chunks, unit(3), documents)
    assert files(tmp_path) == []


def test_no_temporary_folder_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nirgends")
    with pytest.raises(InputError, match="the system's folder for temporary files"):
        edge()


def test_the_engine_is_loaded_with_the_index_and_not_before() -> None:
    code = "import sys, rag.index as i; i.edge(); assert not {'qdrant_edge', 'qdrant_client'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("wrong", [{"hnsw_m": 1}, {"ef_construct": 3}, {"hnsw_ef": 0}, {"hnsw_m": 10**20}])
def test_a_graph_that_cannot_be(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=rf"index\.{name}="):
        edge(exact=False, **wrong)


def test_local_mode_knows_no_graph() -> None:
    with pytest.raises(InputError, match=r"index=memory index\.exact=false: .* take index=edge"):
        memory(exact=False)


def test_a_graph_misses_what_exact_search_finds_and_can_be_overruled() -> None:
    chunks, documents = passages(3000)
    vectors, asked = unit(3000), unit(100, seed=1)
    groups = [("a", "b", "c")] * 100
    poor = edge(exact=False, hnsw_m=2, ef_construct=4, hnsw_ef=1).build("c", chunks, vectors, documents)
    good = edge(exact=False).build("c", chunks, vectors, documents)
    truth = edge().build("c", chunks, vectors, documents).search(asked, groups, 10)
    assert poor.search(asked, groups, 10, exact=True) == truth

    def recall(index: Index) -> float:
        found = index.search(asked, groups, 10)
        pairs = zip(found, truth, strict=True)
        return float(np.mean([len({h.chunk for h in a} & {h.chunk for h in b}) / 10 for a, b in pairs]))

    assert recall(poor) < 0.9 < recall(good)
