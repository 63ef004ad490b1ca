"""XQuAD (de, en) as a golden set."""

from pathlib import Path

import pytest

from evaluation.evidence import resolve
from evaluation.golden import load
from rag.corpus.squad import load_squad

XQUAD = Path("../shared/data/xquad")


@pytest.mark.skipif(not XQUAD.exists(), reason="../shared/data/xquad is not there")
@pytest.mark.parametrize(("language", "repeated"), [("de", 119), ("en", 127)])
def test_every_span_is_exact(language: str, repeated: int) -> None:
    path = str(XQUAD / f"xquad.{language}.json")
    documents = {document.id: document for document in load_squad(path)}
    questions = load(path)
    evidence = resolve(questions, documents.values())
    assert (len(documents), len(questions)) == (240, 1190)
    for question in questions:
        (piece,) = evidence[question.id]
        assert piece.kind == "span"
        assert documents[piece.document].text[piece.start : piece.end] == question.references[0].quote
    texts = [(documents[question.references[0].document].text, question.references[0].quote) for question in questions]
    assert sum(text.count(quote) > 1 for text, quote in texts) == repeated  # counted in its README
