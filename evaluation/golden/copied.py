"""Questions worded like their evidence, which flatter every lexical retriever."""

import re
import unicodedata
from functools import cache

RUN = 3


def copies(question: str, evidence: str) -> bool:
    """Whether the two share three consecutive content words, German and English stop words left out."""
    return not _runs(question).isdisjoint(_runs(evidence))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold())
    content = [word for word in words if word not in _stop_words()]
    return set(zip(*(content[shift:] for shift in range(RUN)), strict=False))


@cache
def _stop_words() -> frozenset[str]:
    from stop_words import get_stop_words

    return frozenset(word.casefold() for language in ("de", "en") for word in get_stop_words(language))
