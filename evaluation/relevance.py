"""When a ranking has found a piece of evidence, and which of its chunks are hits: spans against spans, never chunk ids.

A *unit* is one distinct piece of evidence. A section or document is found by a chunk that lies in it. A quote or span
is found when the first chunks together cover at least the share tau of its characters. docs/measures.md has the rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.records import Evidence
from rag.records import Chunk

Span = tuple[str, int, int]
"""Document id, start, end."""

TAU = 0.8


@dataclass(frozen=True, slots=True)
class Relevance:
    """How a ranking meets the evidence; ranks count from 1, None means never.

    `found[i]`: the rank at which the i-th distinct unit is found.
    `hit_from[j]`: the smallest k at which the j-th chunk counts as a hit among the first k; never below its own rank.
    """

    found: tuple[int | None, ...]
    hit_from: tuple[int | None, ...]


def relevance(evidence: Iterable[Evidence], chunks: Sequence[Chunk], tau: float = TAU) -> Relevance:
    """Judge a ranking (chunks, best first) by the evidence of its question; repeated evidence is one unit.

    A chunk is a hit from the rank on at which its unit is found, if it lies in the unit or is a piece the unit needs.
    A chunk that the ranking repeats is a hit the first time only.
    """
    units = tuple(dict.fromkeys(evidence))
    found = tuple(found_rank(unit, chunks, tau) for unit in units)
    hit_from: list[int | None] = [None] * len(chunks)
    for unit, found_at in zip(units, found, strict=True):
        if found_at is None:
            continue
        pieces = _needed_pieces(unit, chunks[:found_at], tau)
        for position, chunk in enumerate(chunks):
            # The documents are compared first, as most chunks are of others and a call takes longer.
            if chunk.document == unit.document and (position in pieces or lies_in(chunk, unit)):
                since = max(position + 1, found_at)
                hit_from[position] = min(hit_from[position] or since, since)
    seen: set[Span] = set()
    for position, chunk in enumerate(chunks):
        if hit_from[position] is not None:
            if _span(chunk) in seen:
                hit_from[position] = None
            seen.add(_span(chunk))
    return Relevance(found, tuple(hit_from))


def found_rank(unit: Evidence, chunks: Iterable[Chunk], tau: float = TAU) -> int | None:
    """The smallest k for which the first k chunks find the unit, or None."""
    parts: list[Span] = []
    for rank, chunk in enumerate(chunks, start=1):
        if chunk.document != unit.document or not _overlap(chunk, unit):
            continue
        parts.append(_part(chunk, unit))
        if lies_in(chunk, unit) if _is_whole(unit) else _covers(parts, unit, tau):
            return rank
    return None


def lies_in(chunk: Chunk, unit: Evidence) -> bool:
    """Whether the chunk and the unit share at least half of the chunk or half of the unit."""
    shared = _overlap(chunk, unit)
    return shared > 0 and 2 * shared >= min(chunk.end - chunk.start, unit.end - unit.start)


def unreachable(evidence: Iterable[Evidence], chunks: Iterable[Chunk], tau: float = TAU) -> set[Evidence]:
    """The units that even a ranking of all chunks would not find. They stay in every denominator, as missed."""
    in_document = _by_document(chunks)
    return {unit for unit in evidence if found_rank(unit, in_document[unit.document], tau) is None}


def cut_apart(evidence: Iterable[Evidence], chunks: Iterable[Chunk], tau: float = TAU) -> set[Evidence]:
    """The units that no single chunk finds, though several together may: all the unreachable ones and more."""
    in_document = _by_document(chunks)
    return {unit for unit in evidence if not any(found_rank(unit, [c], tau) for c in in_document[unit.document])}


def union_length(spans: Iterable[Span]) -> int:
    """The number of characters that the spans cover, overlaps counted once."""
    total = 0
    document, reached = "", 0
    for name, start, end in sorted(spans):
        if name != document:
            document, reached = name, start
        if end > reached:
            total += end - max(start, reached)
            reached = end
    return total


def _needed_pieces(unit: Evidence, chunks: Sequence[Chunk], tau: float) -> set[int]:
    """Positions of a smallest cover of a quote: from the last rank up, a chunk without which the rest suffices goes."""
    if _is_whole(unit):
        return set()
    pieces = {
        position: _part(chunk, unit)
        for position, chunk in enumerate(chunks)
        if chunk.document == unit.document and _overlap(chunk, unit)
    }
    for position in reversed(list(pieces)):
        rest = {other: part for other, part in pieces.items() if other != position}
        if _covers(rest.values(), unit, tau):
            pieces = rest
    return set(pieces)


def _is_whole(unit: Evidence) -> bool:
    return unit.kind in ("section", "document")


def _covers(parts: Iterable[Span], unit: Evidence, tau: float) -> bool:
    # Divided, not multiplied: 55 / 100 >= 0.55 holds, 55 >= 0.55 * 100 does not.
    return union_length(parts) / (unit.end - unit.start) >= tau


def _overlap(chunk: Chunk, unit: Evidence) -> int:
    if chunk.document != unit.document:
        return 0
    return max(0, min(chunk.end, unit.end) - max(chunk.start, unit.start))


def _part(chunk: Chunk, unit: Evidence) -> Span:
    return unit.document, max(chunk.start, unit.start), min(chunk.end, unit.end)


def _span(chunk: Chunk) -> Span:
    return chunk.document, chunk.start, chunk.end


def _by_document(chunks: Iterable[Chunk]) -> dict[str, list[Chunk]]:
    grouped: dict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        grouped[chunk.document].append(chunk)
    return grouped
