from pathlib import Path

import pytest
from chunk_checks import TOKENIZERS, check_chunks, markdown, tokenizer
from counting import word_pieces
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty import texts

from rag.chunking import Chunker, Fixed, Recursive, Structure, chunk_corpus
from rag.corpus.folder import load_folder
from rag.errors import InputError

SHARED = Path(__file__).parents[3] / "shared" / "data"
STRATEGIES = [Fixed, Recursive, Structure]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=60, deadline=None)
@given(
    text=texts.filter(str.strip),
    sizes=st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))),
)
def test_chunks_of_nasty_texts(strategy: type, name: str, text: str, sizes: tuple[int, int]) -> None:
    document = markdown(text)
    chunker: Chunker = strategy(*sizes)
    check_chunks(document, chunker(document, tokenizer(name)), tokenizer(name), sizes[0])


@pytest.mark.skipif(not SHARED.is_dir(), reason="public texts of ../shared/data are absent")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("folder", ["handbuch-it-bibliotheken", "gesetze"])
def test_chunks_of_real_texts(strategy: type, folder: str) -> None:
    documents = [document for document in load_folder(str(SHARED / folder)) if len(document.text) < 100_000]
    chunks = chunk_corpus(documents, strategy(128, 24), word_pieces())
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for document in documents:
        own = [chunk for chunk in chunks if chunk.document == document.id]
        check_chunks(document, own, word_pieces(), 128)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("size", "overlap", "complaint"),
    [
        (0, 0, "chunking.size=0 must be at least 1"),
        (64, -1, "chunking.overlap=-1 must be at least 0"),
        (64, 64, "chunking.overlap=64 must be smaller than chunking.size=64"),
    ],
)
def test_sizes_that_cannot_be(strategy: type, size: int, overlap: int, complaint: str) -> None:
    with pytest.raises(InputError, match=f"^{complaint}$"):
        strategy(size, overlap)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_text_without_tokens_has_no_chunks(strategy: type) -> None:
    # The word pieces drop control characters.
    document = markdown("\u200b\u200b")
    assert strategy(8, 2)(document, word_pieces()) == []
