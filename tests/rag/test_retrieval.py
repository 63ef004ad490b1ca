import numpy as np
import pytest

from rag.errors import InputError
from rag.index import Client, memory, path, point_id, server
from rag.lexical import Analyzer
from rag.records import Chunk, Document, Hit
from rag.retrieval import LexicalIndex, Retrieval, reciprocal_rank_fusion, retrieve

TEXTS = {"a": "Druckbehälterprüfung alle fünf Jahre", "b": "Urlaub beantragen", "c": "Gehalt und Urlaub der Leitung"}
GROUPS = {"c": ("leitung", "personal")}
DOCUMENTS = {d: Document(d, d.upper(), text, (), groups=GROUPS.get(d, ())) for d, text in TEXTS.items()}
CHUNKS = [Chunk(d, 0, len(text), text, f"{d}#s0") for d, text in TEXTS.items()]
VECTORS = np.array([[1, 0, 0], [0, 1, 0], [0, 0.8, 0.6]], np.float32)


def ranking(*ids: str) -> list[Hit]:
    chunks = {chunk.document: chunk for chunk in CHUNKS}
    return [Hit(chunks[d], rank, 1.0 / rank) for rank, d in enumerate(ids, start=1)]


def documents(hits: list[Hit]) -> list[str]:
    return [hit.chunk.document for hit in hits]


@pytest.fixture
def index():
    return memory().build("test", CHUNKS, VECTORS, DOCUMENTS)


def test_fusion_by_hand():
    fused = reciprocal_rank_fusion([ranking("a", "b", "c"), ranking("c", "a")], [1, 1], k=60)
    assert documents(fused) == ["a", "c", "b"]
    assert [hit.score for hit in fused] == pytest.approx(
        [1 / (60 + 1) + 1 / (60 + 2), 1 / (60 + 3) + 1 / (60 + 1), 1 / (60 + 2)]
    )
    assert [hit.rank for hit in fused] == [1, 2, 3]


def test_fusion_weights_and_depth_by_hand():
    fused = reciprocal_rank_fusion([ranking("a", "b"), ranking("b")], [3, 1], k=1, depth=1)
    assert documents(fused) == ["a"]  # 3 / 2 = 1.5 against 3 / 3 + 1 / 2 = 1.5: the tie keeps the first list's order
    assert fused[0].score == pytest.approx(3 / 2)


def test_dense_search_is_exact_cosine(index):
    (hits,) = index.search(np.array([[0, 2, 0]], np.float32), [("leitung",)], 3)
    assert documents(hits) == ["b", "c", "a"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.8, 0.0], abs=1e-6)
    assert hits[0].chunk is CHUNKS[1]


@pytest.mark.parametrize(
    ("groups", "seen"), [((), {"a", "b"}), (("vertrieb",), {"a", "b"}), (("personal", "x"), {"a", "b", "c"})]
)
def test_groups_filter_before_ranking(index, groups, seen):
    (hits,) = index.search(VECTORS[2:], [groups], 3)
    assert set(documents(hits)) == seen
    lexical = LexicalIndex(CHUNKS, DOCUMENTS, Analyzer())
    (hits,) = lexical.search(["Urlaub Leitung Gehalt"], [groups], 1)
    assert documents(hits) == (["c"] if "c" in seen else ["b"])  # the limit counts only what may be read


def test_payload_says_where_a_passage_comes_from(index):
    (point,) = index.client.retrieve("test", [point_id(CHUNKS[2].id)])
    assert point.payload == {
        "document": "c", "section": "c#s0", "title": "C", "url": "", "groups": ["leitung", "personal"],
        "start": 0, "end": len(TEXTS["c"]),
    }  # fmt: skip


def test_rebuilding_leaves_nothing_of_the_old_collection(index):
    again = Client(index.client).build("test", CHUNKS[:1], VECTORS[:1], DOCUMENTS)
    assert index.client.count("test").count == 1
    assert documents(again.search(VECTORS[:1], [()], 5)[0]) == ["a"]


def test_index_on_disk_gives_the_same_hits(index, tmp_path):
    client = path(str(tmp_path))
    on_disk = client.build("test", CHUNKS, VECTORS, DOCUMENTS)
    assert on_disk.search(VECTORS, [()] * 3, 3) == index.search(VECTORS, [()] * 3, 3)
    with pytest.raises(InputError, match="already accessed"):
        path(str(tmp_path))
    client.client.close()


def test_a_passage_without_a_shared_term_never_enters_the_fusion(index):
    lexical = LexicalIndex(CHUNKS, DOCUMENTS, Analyzer())
    (found,) = retrieve(["Prüfung"], VECTORS[:1], [()], index, lexical, Retrieval(dense_weight=0, depth=3, top_k=3))
    assert documents(found.fused) == ["a"]
    assert found.dense is None


@pytest.mark.parametrize("limit", [1, 3, 50, 5000])
@pytest.mark.parametrize("distinct", [2, 40, 10_000])
def test_the_best_of_many_are_those_of_a_sort(limit: int, distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    texts = [f"pumpe {'wort ' * n}" for n in rng.integers(0, min(distinct, 400), 4000)]  # many scores are equal
    texts = [text if rng.random() < 0.6 else "urlaub" for text in texts]
    documents = {str(i): Document(str(i), "", text, (), groups=("x",) if i % 3 else ()) for i, text in enumerate(texts)}
    chunks = [Chunk(str(i), 0, len(text), text, f"{i}#s0") for i, text in enumerate(texts)]
    lexical = LexicalIndex(chunks, documents, Analyzer())
    (hits,) = lexical.search(["Pumpe"], [()], limit)
    scores = lexical.bm25.scores(["pump"])
    readable = [i for i in range(len(texts)) if i % 3 == 0 and texts[i] != "urlaub"]
    expected = sorted(readable, key=lambda i: (-scores[i], i))[:limit]
    assert [int(hit.chunk.document) for hit in hits] == expected
    assert [hit.score for hit in hits] == scores[expected].tolist()


def test_hybrid_holds_both_lists(index):
    lexical = LexicalIndex(CHUNKS, DOCUMENTS, Analyzer())
    (found,) = retrieve(["Urlaub"], VECTORS[:1], [()], index, lexical, Retrieval(depth=3, top_k=3))
    assert documents(found.dense) == ["a", "b"]
    assert documents(found.bm25) == ["b"]
    # b: 1 / (60 + 2) + 1 / (60 + 1); a: 1 / (60 + 1)
    assert documents(found.fused) == ["b", "a"]
    assert found.fused[0].score == pytest.approx(1 / 62 + 1 / 61)


@pytest.mark.parametrize(
    "settings", [{"top_k": 0}, {"top_k": 51}, {"rrf_k": 0}, {"dense_weight": -1}, {"dense_weight": 0, "bm25_weight": 0}]
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(InputError, match=r"retrieval\."):
        Retrieval(**settings)


def test_a_server_needs_an_address_that_answers(monkeypatch):
    monkeypatch.delenv("QDRANT_URL", raising=False)
    with pytest.raises(InputError, match="QDRANT_URL"):
        server()
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:1")
    with pytest.raises(InputError, match="no Qdrant answers"):
        server()
