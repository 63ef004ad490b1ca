"""Golden questions and the evidence that answers them."""

from dataclasses import dataclass
from typing import Literal

Label = Literal["correct", "partly", "wrong", "declined"]
EvidenceKind = Literal["document", "section", "quote", "span"]


@dataclass(frozen=True, slots=True)
class Reference:
    """Where an answer stands, as the golden set says it: a whole document, a section, a quote or a character span.

    `section` is a section id's part after `#` (`s3`) or a heading slug; `quote` is text; `start`/`end` are code points.
    """

    document: str
    section: str = ""
    quote: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One golden question. `groups` are those of the asking person; `metadata` is kept and never interpreted."""

    id: str
    question: str
    expected_answer: str = ""
    references: tuple[Reference, ...] = ()
    category: str = ""
    difficulty: str = ""
    groups: tuple[str, ...] = ()
    answerable: bool = True
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reference resolved to the half-open span `document.text[start:end]`. Relevance is always derived from it."""

    document: str
    start: int
    end: int
    kind: EvidenceKind
