"""From records of any format to a golden set."""

import unicodedata
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

    Each record gives one question or one finding. A record without an id is `q001` ... by its position.
    Raises InputError when no record gives a question, or none says what is expected.
    """
    questions: dict[str, Question] = {}
    asked: dict[object, str] = {}
    findings = []
    for position, (where, record) in enumerate(records, 1):
        try:
            if isinstance(record, Finding):
                findings.append(record)
                continue
            question = question_from(record, default_id=f"q{position:03d}")
            _refuse_repetition(question, questions, asked)
        except RecordError as refused:
            findings.append(refused.at(where))
        except RecursionError:
            findings.append(Finding(where, "nested too deeply", "give plain fields", "not a record"))
        else:
            questions[question.id] = question
            asked[_content(question)] = question.id
    if not questions:
        stop_on(findings, source)
        raise InputError(f"{source}: no record in it; a golden set needs at least one question")
    if not any(q.expected_answer or q.references for q in questions.values()):
        fields = ", ".join((*NAMES["expected_answer"], *NAMES["references"]))
        raise InputError(f"{source}: no record has an expected answer or a reference; name the fields one of {fields}")
    return GoldenSet(tuple(questions.values()), tuple(findings))


def _refuse_repetition(question: Question, questions: dict[str, Question], asked: dict[object, str]) -> None:
    if (first := questions.get(question.id)) is not None:
        conflict = "another" if first != question else "the same"
        kind = "conflicting id" if first != question else "repeated record"
        problem = f"id {question.id!r} occurs again with {conflict} content"
        raise RecordError(kind, problem, "give each question an id of its own")
    if (same := asked.get(_content(question))) is not None:
        problem = f"asks what {same!r} asks, for the same groups and of the same place"
        raise RecordError("repeated question", problem, "keep one of them")


def _content(question: Question) -> tuple[str, frozenset[str], frozenset[Reference]]:
    text = " ".join(unicodedata.normalize("NFC", question.question).casefold().split())
    return text, frozenset(question.groups), frozenset(question.references)
