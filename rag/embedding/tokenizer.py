"""A model's own tokenizer, without its weights."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

REMEMBERED = 50_000  # texts whose tokens are counted once


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
        self._counts: dict[str, int] = {}
        self.offsets = lru_cache(maxsize=128)(self._offsets)  # every chunking of a sweep reads the same documents

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """The character span of every token of the whole text, without special tokens; spans are never empty.

        A span never ends between a letter and its combining marks. Tokens of one character share its span.
        """
        encoding = self._fast.encode(text, add_special_tokens=False)
        return [(start, _past_marks(text, end)) for start, end in encoding.offsets if start < end]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of every text as the model sees it, special tokens included, never cut."""
        return [len(encoding) for encoding in self._fast.encode_batch_fast(list(texts))]

    def pair_lengths(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """Tokens of every pair of texts as the model sees it, special tokens included, never cut.

        Both texts are tokenised on their own, so a text of many pairs is read once.
        """
        if len(self._counts) > REMEMBERED:
            self._counts.clear()
        fresh = list(dict.fromkeys(text for text in chain.from_iterable(pairs) if text not in self._counts))
        encoded = self._fast.encode_batch_fast(fresh, add_special_tokens=False)
        self._counts.update((text, len(encoding)) for text, encoding in zip(fresh, encoded, strict=True))
        special = self._fast.num_special_tokens_to_add(is_pair=True)
        return [self._counts[first] + self._counts[second] + special for first, second in pairs]


@lru_cache(maxsize=8)
def tokenizer_of(folder: Path) -> Tokenizer:
    """The tokenizer of a model's folder, shared by all that read it: reading it may take a second."""
    return Tokenizer(folder / "tokenizer.json")


def _past_marks(text: str, position: int) -> int:
    while position < len(text) and unicodedata.combining(text[position]):
        position += 1
    return position
