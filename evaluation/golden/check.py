"""What there is to say about a golden set before anything is measured with it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.evidence import try_resolve
from evaluation.golden.collect import GoldenSet
from evaluation.golden.context import context
from evaluation.golden.copied import copies
from evaluation.golden.lock import Locked, Staleness, compare, locked_texts
from evaluation.golden.near import NearDuplicate, near_duplicates
from evaluation.golden.precision import detectable_difference, margin_of_error
from evaluation.golden.version import golden_hash
from evaluation.records import Evidence, Question
from rag.findings import Finding, stop_on
from rag.records import Document

DISCORDANT = 0.2


@dataclass(frozen=True, slots=True)
class Report:
    """The check report; tuples of strings hold question ids, counts go by value ("" where a question names none).

    questions: usable ones. findings: records and references that are not. unreferenced: answerable ones without
    evidence. forbidden: answerable ones whose groups may not read a document that they refer to. copied: those worded
    like the sections of their evidence, among the `compared` ones that have evidence. margins: p -> half width of its
    95 % interval. detectable: smallest significant difference of two configurations that disagree on the share
    `discordant` of the questions.
    """

    version: str
    questions: int
    findings: tuple[Finding, ...]
    categories: dict[str, int]
    difficulties: dict[str, int]
    groups: dict[str, int]
    unanswerable: tuple[str, ...]
    unreferenced: tuple[str, ...]
    near_duplicates: tuple[NearDuplicate, ...]
    forbidden: tuple[str, ...]
    lock: Staleness
    copied: tuple[str, ...]
    compared: int
    margins: dict[float, float]
    detectable: float
    discordant: float


def check(golden: GoldenSet, documents: Sequence[Document], lock: Mapping[str, Locked]) -> Report:
    """Check a golden set against the documents it refers to and its lock ({}: none yet).

    Raises InputError when not one question can be used.
    """
    resolution = try_resolve(golden.questions, documents)
    by_id = {document.id: document for document in documents}
    usable = [question for question in golden.questions if question.id in resolution.evidence]
    evidence = {question.id: resolution.evidence[question.id] for question in usable}
    if not usable:
        stop_on(resolution.findings, "golden set")
    return Report(
        version=golden_hash(golden.questions),
        questions=len(usable),
        findings=(*golden.findings, *resolution.findings),
        categories=_counts(question.category for question in usable),
        difficulties=_counts(question.difficulty for question in usable),
        groups=_counts(group for question in usable for group in question.groups or ("",)),
        unanswerable=tuple(question.id for question in usable if not question.answerable),
        unreferenced=tuple(question.id for question in usable if question.answerable and not evidence[question.id]),
        near_duplicates=near_duplicates(usable),
        forbidden=tuple(q.id for q in usable if q.answerable and not _may_read(q, evidence[q.id], by_id)),
        lock=compare(locked_texts(usable, evidence, documents), lock),
        copied=tuple(q.id for q in usable if _copied(q, evidence[q.id], by_id)),
        compared=sum(bool(pieces) for pieces in evidence.values()),
        margins={share: margin_of_error(share, len(usable)) for share in (0.5, 0.8)},
        detectable=detectable_difference(DISCORDANT, len(usable)),
        discordant=DISCORDANT,
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(Counter(values).most_common())


def _may_read(question: Question, evidence: Iterable[Evidence], documents: Mapping[str, Document]) -> bool:
    allowed = (set(documents[piece.document].groups) for piece in evidence)
    return all(not groups or groups & set(question.groups) for groups in allowed)


def _copied(question: Question, evidence: Iterable[Evidence], documents: Mapping[str, Document]) -> bool:
    return any(copies(question.question, context(piece, documents[piece.document])) for piece in evidence)
