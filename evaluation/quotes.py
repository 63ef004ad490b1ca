"""Where a quote stands in a text, whatever its white space and Unicode form."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

Form = Literal["NFD", "NFKD"]


def places(text: str, quote: str) -> list[tuple[int, int]]:
    """Half-open spans of `text` that are the quote; those equal but for white space and NFC/NFD if none is exact."""
    return [(at, at + len(quote)) for at in _occurrences(text, quote)] or _folded_places(text, quote, "NFD")


def loose_places(text: str, quote: str) -> list[tuple[int, int]]:
    """Spans equal to the quote but for case and compatibility characters (ligatures, ½) too: hints, not evidence."""
    return _folded_places(text, quote, "NFKD")


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _folded_places(text: str, quote: str, form: Form) -> list[tuple[int, int]]:
    folded, starts, ends = _fold(text, form)
    wanted = _fold(quote, form)[0].strip()
    if not wanted:
        return []
    found = []
    for first in _occurrences(folded, wanted):
        last = first + len(wanted) - 1
        whole_from = first == 0 or starts[first - 1] != starts[first]
        whole_to = last + 1 == len(folded) or ends[last + 1] != ends[last]
        if whole_from and whole_to:  # "u" is not the first half of "ü"
            found.append((starts[first], ends[last]))
    return found


@lru_cache(maxsize=8)
def _fold(text: str, form: Form) -> tuple[str, list[int], list[int]]:
    """The text in normal form, white space as single blanks; for each character where in `text` it starts and ends."""
    pieces, starts, ends = [], [], []
    start = 0
    while start < len(text):
        end = start + 1
        if text[start].isspace():
            while end < len(text) and text[end].isspace():
                end += 1
            piece = " "
        else:
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            piece = unicodedata.normalize(form, text[start:end])
            if form == "NFKD":
                piece = piece.casefold()
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
        start = end
    return "".join(pieces), starts, ends
