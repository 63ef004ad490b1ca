"""What holds for chunks whatever cut them."""

from itertools import pairwise

from counting import HuggingFace, Words, single_bytes, word_pieces

from rag.chunking import Tokenizer
from rag.corpus.sections import sections
from rag.records import Chunk, Document

TOKENIZERS = {"words": Words, "word pieces": word_pieces, "bytes": single_bytes}


def markdown(text: str) -> Document:
    return Document("d", "Titel", text, sections("d", text))


def tokenizer(name: str) -> Words | HuggingFace:
    return TOKENIZERS[name]()


def check_chunks(document: Document, chunks: list[Chunk], tokenizer: Tokenizer, size: int) -> None:
    text = document.text
    tokens = [(start, end) for start, end in tokenizer.offsets(text) if start < end]
    assert all(text[chunk.start : chunk.end] == chunk.text and chunk.text.strip() for chunk in chunks)
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(spans)), "each reaches further"
    first = 0
    for start, end in spans:
        while first < len(tokens) and tokens[first][1] <= start:
            first += 1
        within = []
        for token in tokens[first:]:
            if token[0] >= end:
                break
            within.append(token)
        assert all(start <= a and b <= end for a, b in within), "no token is divided"
        assert len(within) <= size or _one_piece(within)
    position = 0
    for start, end in tokens:
        if text[start:end].strip():
            while position < len(spans) and spans[position][1] < end:
                position += 1
            assert position < len(spans), "every token is in a chunk"
            assert spans[position][0] <= start
    for chunk in chunks:
        overlaps = {s.id: min(s.end, chunk.end) - max(s.start, chunk.start) for s in document.sections}
        assert chunk.section == next(name for name, shared in overlaps.items() if shared == max(overlaps.values()))


def _one_piece(tokens: list[tuple[int, int]]) -> bool:
    return all(b[0] < max(end for _, end in tokens[: n + 1]) for n, b in enumerate(tokens[1:]))
