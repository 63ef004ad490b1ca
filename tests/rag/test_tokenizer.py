import unicodedata
from typing import Any

import pytest

from rag.embedding import SentenceTransformerEmbedder, Tokenizer
from rag.reranking import CrossEncoderReranker

TEXT = "Äußerst  schöne Grüße\u00ad aus München — §\u00a05 Abs.\n２ „Überblick“ ﬁne ½ 10 km² Ǻ \u200bfoo 😀 "


@pytest.fixture(scope="module", params=["e5-small", "minilm"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return SentenceTransformerEmbedder(request.param).tokenizer


@pytest.mark.model
def test_spans_cover_the_text_but_white_space(tokenizer: Tokenizer) -> None:
    spans = tokenizer.offsets(TEXT)
    assert all(0 <= start < end <= len(TEXT) for start, end in spans)
    assert spans == sorted(spans)
    uncovered = set(range(len(TEXT))) - {position for start, end in spans for position in range(start, end)}
    # white space, the zero-width space and the soft hyphen, which one of the tokenizers drops
    assert {TEXT[position] for position in uncovered} <= set(" \n\u00a0\u200b\u00ad")


@pytest.mark.model
def test_a_decomposed_text_is_cut_at_the_same_places(tokenizer: Tokenizer) -> None:
    decomposed = unicodedata.normalize("NFD", TEXT)
    assert decomposed != TEXT
    pieces = [unicodedata.normalize("NFC", decomposed[start:end]) for start, end in tokenizer.offsets(decomposed)]
    assert pieces == [TEXT[start:end] for start, end in tokenizer.offsets(TEXT)]


@pytest.mark.model
def test_the_whole_text_is_tokenised_without_a_warning(
    tokenizer: Tokenizer, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    text = "Hund " * 2000
    assert tokenizer.offsets(text)[-1][1] == len(text.rstrip())
    assert tokenizer.lengths([text, "Hund"])[0] > 2000
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


@pytest.mark.model
def test_lengths_count_special_tokens() -> None:
    tokenizer = SentenceTransformerEmbedder("e5-small").tokenizer
    words = len(tokenizer.offsets("Hund"))
    assert tokenizer.lengths(["Hund"]) == [words + 2]  # <s> Hund </s>
    assert tokenizer.pair_lengths([("Hund", "Hund"), ("Hund", "Hund")]) == [2 * words + 4] * 2
    assert tokenizer.pair_lengths([("Hund", "Hund")]) == [2 * words + 4]  # <s> Hund </s></s> Hund </s>


@pytest.mark.model
@pytest.mark.parametrize(
    ("kind", "model"),
    [
        (SentenceTransformerEmbedder, "e5-small"),
        (SentenceTransformerEmbedder, "minilm"),
        (CrossEncoderReranker, "reranker-de"),
    ],
)
def test_a_pair_is_as_long_as_its_own_tokenizer_makes_it(kind: Any, model: str) -> None:
    """The authority: the pair encoded as a whole, as the model reads it."""
    tokenizer = kind(model).tokenizer
    special = ["▁", "</s> [SEP]", unicodedata.normalize("NFD", TEXT)]
    texts = [TEXT, "", " ", "Hund", " Hund", "Hund ", "\n", "ab" * 99, *special]
    pairs = [(first, second) for first in texts for second in texts]
    whole = [len(tokenizer._fast.encode(*pair)) for pair in pairs]
    assert tokenizer.pair_lengths(pairs) == whole
    assert tokenizer.pair_lengths(pairs[::-1]) == whole[::-1]
