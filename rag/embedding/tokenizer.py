"""A model's own tokenizer, without its weights."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path


class Tokenizer:
    """Token spans and counts, from a `tokenizer.json`.

    Text is brought to Unicode's composed form (NFC) inside, so that an "ä" of two characters gives the same tokens as
    one of one character; spans always refer to the text as it was given.
    """

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer as FastTokenizer
        from tokenizers import normalizers

        self._fast = FastTokenizer.from_file(str(file))
        self._fast.no_truncation()
        self._fast.no_padding()
        own = [self._fast.normalizer] if self._fast.normalizer else []
        self._fast.normalizer = normalizers.Sequence([normalizers.NFC(), *own])
        self.offsets = lru_cache(maxsize=128)(self._offsets)  # every chunking of a sweep reads the same documents

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """The character span of every token of the whole text, without special tokens; spans are never empty.

        A span never ends between a letter and its combining marks. Tokens of one character share its span.
        """
        encoding = self._fast.encode(text, add_special_tokens=False)
        return [(start, _past_marks(text, end)) for start, end in encoding.offsets if start < end]

    def lengths(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> list[int]:
        """Tokens of every text or pair of texts as the model sees them, special tokens included, never cut."""
        return [len(encoding) for encoding in self._fast.encode_batch_fast(list(texts))]


def _past_marks(text: str, position: int) -> int:
    while position < len(text) and unicodedata.combining(text[position]):
        position += 1
    return position
