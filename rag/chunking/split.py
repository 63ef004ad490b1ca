"""Windows over a text's atoms that end and begin at the coarsest boundary within reach."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rag.chunking.atoms import Atoms

Levels = Sequence[Sequence[int]]


def split(atoms: Atoms, first: int, last: int, levels: Levels, size: int, overlap: int) -> list[tuple[int, int]]:
    """Cuts (first, last) of the windows that cover the atoms between two cuts, each reaching beyond the one before.

    `levels` holds allowed cuts, sorted, from the coarsest kind (paragraphs) to the finest. A window ends at the last
    cut of the coarsest kind that it can reach. The next one begins at most `overlap` tokens before that end, at the
    first cut of the coarsest kind that keeps half of what could be repeated. Only where `size` reaches no allowed
    cut, a window ends anywhere.
    """
    windows: list[tuple[int, int]] = []
    start, end = first, first
    while end < last:
        reach = bisect_right(atoms.tokens, atoms.tokens[start] + size) - 1
        end = _last_cut(levels, end, min(max(reach, end + 1), last), last)
        windows.append((start, end))
        if end < last:
            start = _next_start(atoms, levels, start, end, last, size, overlap)
    return windows


def _last_cut(levels: Levels, after: int, reach: int, last: int) -> int:
    if reach == last:
        return last
    for cuts in levels:
        k = bisect_right(cuts, reach) - 1
        if k >= 0 and cuts[k] > after:
            return cuts[k]
    return reach


def _next_start(atoms: Atoms, levels: Levels, start: int, end: int, last: int, size: int, overlap: int) -> int:
    # An overlap that leaves no room up to the next allowed cut would yield a window inside the one before.
    following = bisect_right(levels[-1], end)
    room_to = levels[-1][following] if following < len(levels[-1]) else last
    least = max(atoms.tokens[end] - overlap, atoms.tokens[min(room_to, last)] - size)
    earliest = max(bisect_left(atoms.tokens, least), start + 1)
    for cuts in levels:
        k = bisect_left(cuts, earliest)
        if k < len(cuts) and cuts[k] < end and 2 * atoms.count(cuts[k], end) >= atoms.count(earliest, end):
            return cuts[k]
    return end
