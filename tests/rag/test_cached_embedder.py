import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag.cache import Cache
from rag.embedding import CachedEmbedder, SentenceTransformerEmbedder


class Lengths(SentenceTransformerEmbedder):
    """Embeds a text as its length and remembers what it was asked for."""

    dimension, max_tokens, revision = 2, 8, "1"

    def __init__(self, query_prefix: str = "", passage_prefix: str = "") -> None:
        super().__init__("minilm", query_prefix, passage_prefix)
        self.asked: list[str] = []

    def _embed(self, prefix: str, texts: Sequence[str]) -> np.ndarray:
        self.asked += [prefix + text for text in texts]
        return np.array([[len(prefix + text), 1] for text in texts], np.float32)


def test_only_distinct_missing_texts_are_embedded(tmp_path: Path) -> None:
    inner, done = Lengths(), []
    embedder = CachedEmbedder(inner, Cache(tmp_path / "c"))
    assert embedder.embed_passages(["ab", "abc", "ab"], done.append).tolist() == [[2, 1], [3, 1], [2, 1]]
    assert embedder.embed_passages(["abc", "x"]).tolist() == [[3, 1], [1, 1]]
    assert inner.asked == ["abc", "ab", "x"]
    assert sum(done) == 3
    assert embedder.embed_passages([]).shape == (0, 2)


def test_texts_of_like_length_are_embedded_together(tmp_path: Path) -> None:
    inner, texts = Lengths(), ["a" * (1 + 37 * n % 300) for n in range(300)]  # 37 and 300 share no factor: all lengths
    vectors = CachedEmbedder(inner, Cache(tmp_path / "c")).embed_passages(texts)
    assert vectors[:, 0].tolist() == [len(text) for text in texts]
    assert [len(text) for text in inner.asked] == list(range(300, 0, -1))


def test_a_decomposed_text_has_the_same_entry(tmp_path: Path) -> None:
    inner = Lengths()
    embedder = CachedEmbedder(inner, Cache(tmp_path / "c"))
    first = embedder.embed_passages(["Grüße"])
    assert np.array_equal(embedder.embed_passages([unicodedata.normalize("NFD", "Grüße")]), first)
    assert inner.asked == ["Grüße"]


def test_all_that_determines_a_vector_is_in_the_key(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    base = CachedEmbedder(Lengths("q: ", "p: "), cache)
    base.embed_passages(["a"])
    base.embed_queries(["a"])
    for change in ({"revision": "2"}, {"max_tokens": 9}, {"passage_prefix": "q: "}):
        other = Lengths("q: ", "p: ")
        vars(other).update(change)
        CachedEmbedder(other, cache).embed_passages(["a"])
        assert len(other.asked) == 1, change


def test_no_model_is_loaded_when_everything_is_cached(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    minilm = SentenceTransformerEmbedder("minilm")
    stand_in = Lengths()
    vars(stand_in).update(revision=minilm.revision, max_tokens=minilm.max_tokens)
    CachedEmbedder(stand_in, cache).embed_passages(["a", "b"])
    assert CachedEmbedder(minilm, cache).embed_passages(["b", "a"]).shape == (2, 2)
    assert "_model" not in vars(minilm)
