"""The pieces of a text that no cut may divide."""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from rag.chunking.chunker import Tokenizer


@dataclass(frozen=True, slots=True)
class Atoms:
    """Tokens of a text, those whose spans overlap taken together (byte-level tokens of one emoji).

    Characters that the tokenizer drops right after a token (an accent of decomposed text) belong to it.
    Cuts are numbers of atoms: cut k lies before atom k. `heads` are the first characters that are not whitespace,
    `tokens[k]` is the number of tokens before cut k.
    """

    starts: list[int]
    ends: list[int]
    heads: list[int]
    tokens: list[int]

    def __len__(self) -> int:
        return len(self.starts)

    def cut(self, position: int) -> int:
        """The cut before the first atom that begins at or after a position, leading whitespace of atoms aside."""
        return bisect_left(self.heads, position)

    def count(self, first: int, last: int) -> int:
        """Tokens between two cuts."""
        return self.tokens[last] - self.tokens[first]


def atoms_of(text: str, tokenizer: Tokenizer) -> Atoms:
    starts: list[int] = []
    ends: list[int] = []
    counts: list[int] = []
    for start, end in tokenizer.offsets(text):
        if start == end:
            continue
        if ends and start < ends[-1]:
            ends[-1] = max(ends[-1], end)
            counts[-1] += 1
        else:
            starts.append(start)
            ends.append(end)
            counts.append(1)
    limits = [*starts[1:], len(text)]
    for k in range(len(ends)):
        while ends[k] < limits[k] and not text[ends[k]].isspace():
            ends[k] += 1
    heads = [end - len(text[start:end].lstrip()) for start, end in zip(starts, ends, strict=True)]
    return Atoms(starts, ends, heads, list(accumulate(counts, initial=0)))
