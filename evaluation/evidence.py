"""References resolved to character spans, once, before anything is indexed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.catalogue import Catalogue
from evaluation.quotes import loose_places, places
from evaluation.records import Evidence, EvidenceKind, Question, Reference
from rag.findings import Finding, RecordError, brief, stop_on
from rag.records import Document


@dataclass(frozen=True, slots=True)
class Resolution:
    """Evidence by question id, for the questions all of whose references resolve; a finding for each that does not."""

    evidence: dict[str, tuple[Evidence, ...]]
    findings: tuple[Finding, ...]


def resolve(questions: Sequence[Question], documents: Iterable[Document]) -> dict[str, tuple[Evidence, ...]]:
    """Evidence by question id, in the order of the references, the same span once; () for a question without any.

    Raises InputError that lists the references that do not resolve, with the nearest ids or places.
    """
    resolution = try_resolve(questions, documents)
    stop_on(resolution.findings, "references of the golden set")
    return resolution.evidence


def try_resolve(questions: Sequence[Question], documents: Iterable[Document]) -> Resolution:
    """Like `resolve`, with findings in place of an error.

    A question with one unresolvable reference is left out whole: without it, recall would have another denominator.
    """
    catalogue = Catalogue(documents)
    evidence = {}
    findings = []
    for question in questions:
        spans: dict[tuple[str, int, int], Evidence] = {}
        complete = True
        for reference in question.references:
            try:
                piece = _evidence(reference, catalogue)
            except RecordError as refused:
                findings.append(refused.at(f"question {question.id}"))
                complete = False
            else:
                spans.setdefault((piece.document, piece.start, piece.end), piece)
        if complete:
            evidence[question.id] = tuple(spans.values())
    return Resolution(evidence, tuple(findings))


def _evidence(reference: Reference, catalogue: Catalogue) -> Evidence:
    document = catalogue.document(reference.document)
    kind: EvidenceKind
    if reference.start is not None and reference.end is not None:
        kind, (start, end) = "span", _span(reference.start, reference.end, reference.quote, document)
    elif reference.quote:
        kind, (start, end) = "quote", _quote(reference.quote, document)
    elif reference.section:
        section = catalogue.section(document, reference.section)
        kind, start, end = "section", section.start, section.end
    else:
        kind, start, end = "document", 0, len(document.text)
        if not document.text.strip():
            problem = f"document {document.id!r} has no text"
            raise RecordError("empty document", problem, "take the reference out or load the document's text")
    return Evidence(document.id, start, end, kind)


def _quote(quote: str, document: Document) -> tuple[int, int]:
    found = places(document.text, quote)
    if len(found) > 1:
        problem = f"{brief(quote)} stands {len(found)} times in {document.id!r}, at {_shown(found, document)}"
        raise RecordError("ambiguous quote", problem, "lengthen the quote or give start and end")
    if not found:
        problem = f"{brief(quote)} does not stand in {document.id!r}"
        raise RecordError("unknown quote", problem, _hint(quote, document) or "copy the quote from the document")
    return found[0]


def _span(start: int, end: int, quote: str, document: Document) -> tuple[int, int]:
    length = len(document.text)
    if end > length and not quote:
        problem = f"span {start}-{end} ends behind the {length} characters of {document.id!r}"
        raise RecordError("span outside", problem, "count code points of the text as it is loaded")
    held = document.text[start:end]
    if quote and held != quote:
        problem = f"span {start}-{end} of {document.id!r} holds {brief(held)}, not {brief(quote)}"
        found = sorted(places(document.text, quote), key=lambda place: abs(place[0] - start))
        if found:
            at = f"it stands at {found[0][0]}-{found[0][1]}, {found[0][0] - start:+d} characters off"
            raise RecordError("span off", problem, at)
        raise RecordError("span off", problem, _hint(quote, document) or "it does not stand in the document")
    return start, end


def _hint(quote: str, document: Document) -> str:
    found = loose_places(document.text, quote)
    return f"but for case or ligatures it stands at {_shown(found, document)}" if found else ""


def _shown(found: list[tuple[int, int]], document: Document) -> str:
    shown = []
    for start, end in found[:5]:
        section = next((s.id.rpartition("#")[2] for s in document.sections if s.start <= start < s.end), "")
        shown.append(f"{start}-{end}" + (f" ({section})" if section else ""))
    return ", ".join(shown) + (", ..." if len(found) > 5 else "")
