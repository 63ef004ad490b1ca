"""What the stages hand to one another: small frozen records, half-open character spans throughout."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the text below it, up to the next heading of any level: sections never overlap.

    `id` is `<document id>#s<n>`, n counting headings from 1 (`#s0`: text before the first heading).
    `path` holds the headings from the outermost to this one.
    """

    id: str
    slug: str
    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is searched. `groups` empty: everybody may read it; otherwise members of any of the groups."""

    id: str
    title: str
    text: str
    sections: tuple[Section, ...]
    source: str = ""
    url: str = ""
    groups: tuple[str, ...] = ()

    def readable_by(self, groups: Collection[str]) -> bool:
        """Whether a person in these groups may read it."""
        return not self.groups or not set(self.groups).isdisjoint(groups)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document: `document.text[start:end] == text`.

    `context` (title, heading path, repeated table header) stands in front of the text where it is embedded and
    ranked; it is never part of the span. `section` is the id of the section that holds most of the chunk.
    """

    document: str
    start: int
    end: int
    text: str
    section: str
    context: str = ""
    id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", f"{self.document}:{self.start}-{self.end}")  # asked for again and again

    @property
    def ranked_text(self) -> str:
        return f"{self.context}\n{self.text}" if self.context else self.text


class Hit(NamedTuple):
    """A chunk in a ranking; `rank` counts from 1. Scores order one ranking and mean nothing across rankings."""

    chunk: Chunk
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a language model read and wrote, as it counts them."""

    input_tokens: int
    output_tokens: int


NO_CALL = Usage(0, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """`citations` are 1-based positions in the ranking given to the generator; empty when `declined`.

    `error`: why there is no answer at all; such an answer is neither given nor declined. `usage` None: not known.
    """

    text: str
    citations: tuple[int, ...]
    declined: bool
    error: str = ""
    usage: Usage | None = NO_CALL
