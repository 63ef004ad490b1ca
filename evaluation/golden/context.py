"""The text that a piece of evidence is read in."""

from evaluation.records import Evidence
from rag.records import Document


def context(piece: Evidence, document: Document) -> str:
    """The sections that the evidence lies in, whole; the evidence itself where there are no sections."""
    touched = [section for section in document.sections if section.start < piece.end and piece.start < section.end]
    start = min([piece.start, *(section.start for section in touched)])
    end = max([piece.end, *(section.end for section in touched)])
    return document.text[start:end]
