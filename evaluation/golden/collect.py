"""From records of any format to a golden set."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.golden.fields import NAMES, question_from
from evaluation.records import Question, Reference
from rag.errors import InputError
from rag.findings import Finding, RecordError, stop_on


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The questions that can be used, at least one, and a finding for each record that cannot."""

    questions: tuple[Question, ...]
    findings: tuple[Finding, ...]


def collect(records: Iterable[tuple[str, object]], source: str) -> GoldenSet:
    """A golden set from (where it stands, record); a record may be a Finding already.

    Each record gives one question or one finding. A record without an id is `q001` ... by its position. Questions that
    repeat others under ids of their own are kept: the check report lists them.
    Raises InputError when no record gives a question, or none says what is expected.
    """
    questions: dict[str, Question] = {}
    asked: dict[object, Question] = {}
    findings = []
    for position, (where, record) in enumerate(records, 1):
        if isinstance(record, Finding):
            findings.append(record)
            continue
        try:
            question = question_from(record, default_id=f"q{position:03d}")
            _refuse_repetition(question, questions, asked)
        except RecordError as refused:
            findings.append(refused.at(where))
        except RecursionError:
            findings.append(Finding(where, "nested too deeply", "give plain fields", "nested too deeply"))
        else:
            questions[question.id] = question
            asked.setdefault(_place(question), question)
    if not questions:
        stop_on(findings, source)
        raise InputError(f"{source}: no record in it; a golden set needs at least one question")
    if not any(q.expected_answer or q.references for q in questions.values()):
        fields = ", ".join((*NAMES["expected_answer"], *NAMES["references"]))
        raise InputError(
            f"{source}: no record has an expected answer or a reference; name one field of {fields},"
            " or add questions that have an answer"
        )
    return GoldenSet(tuple(questions.values()), tuple(findings))


def _refuse_repetition(question: Question, questions: dict[str, Question], asked: dict[object, Question]) -> None:
    if (first := questions.get(question.id)) is not None:
        same = first == question
        problem = f"id {question.id!r} occurs again with {'the same' if same else 'other'} content"
        kind = "repeated record" if same else "conflicting id"
        raise RecordError(kind, problem, "give each question an id of its own")
    other = asked.get(_place(question), question)
    if (other.expected_answer, other.answerable) != (question.expected_answer, question.answerable):
        problem = f"expects another answer than {other.id!r}, which asks the same of the same place for the same groups"
        raise RecordError("contradiction", problem, "keep the right one")


def _place(question: Question) -> tuple[str, frozenset[str], frozenset[Reference]]:
    text = " ".join(question.question.casefold().split())
    return text, frozenset(question.groups), frozenset(question.references)
