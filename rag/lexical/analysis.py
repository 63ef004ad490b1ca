"""How a text becomes the terms that BM25 counts: the same way for passages and for questions."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.errors import InputError
from rag.lexical.compounds import split_compound

WORD = re.compile(r"\w+")
CODE = re.compile(r"\b([^\W\d_]{1,4})-(\d+)\b|\b(\d+)er\b")  # KP-350; "die 350er"
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Unicode words, NFC, case and ß folded; then, as asked for, codes joined, compounds split, stems, umlauts folded.

    A compound keeps its own term and adds those of its parts, so that `Druckbehälterprüfung` is found by `Prüfung`.
    `Prüfung`, `PRUEFUNG` and `pruefung` become one term. Codes are found however they are written: `KP-350`, `KP 350`
    and `kp350` have a term in common, as have `die 350er` and `KP-350`.
    """

    language: Literal["german", "english", "none"] = "german"
    stemming: bool = True
    umlauts: bool = True
    compounds: bool = True
    stop_words: bool = True
    codes: bool = True

    def __post_init__(self) -> None:
        if self.language not in ("german", "english", "none"):
            raise InputError(f"lexical.language={self.language}: must be german, english or none")

    def __call__(self, text: str) -> list[str]:
        folded = unicodedata.normalize("NFC", text).casefold()
        words = WORD.findall(folded)
        if self.codes:
            words += ["".join(parts) for parts in CODE.findall(folded)]
        if self.stop_words and self.language != "none":
            stop = _stop_words(self.language)
            words = [word for word in words if word not in stop]
        if self.compounds and self.language == "german":
            words = [term for word in words for term in (word, *split_compound(word))]
        if self.stemming and self.language != "none":
            stem = _stemmer(self.language)
            words = [stem(word) for word in words]
        return [word.translate(UMLAUTS) for word in words] if self.umlauts else words


@lru_cache
def _stemmer(language: str) -> Callable[[str], str]:
    import snowballstemmer

    return lru_cache(maxsize=200_000)(snowballstemmer.stemmer(language).stemWord)


@lru_cache
def _stop_words(language: str) -> frozenset[str]:
    from stop_words import get_stop_words

    return frozenset(word.casefold() for word in get_stop_words(language))
