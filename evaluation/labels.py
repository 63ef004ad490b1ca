"""One label for every golden question."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from evaluation.judges import Case, Judge, Judgement
from evaluation.records import Evidence, Question
from rag.cached import Progress
from rag.records import Answer


def label_all(
    questions: Sequence[Question],
    answers: Sequence[Answer],
    cited_documents: Sequence[Collection[str]],
    evidence: Mapping[str, Sequence[Evidence]],
    judge: Judge,
    progress: Progress | None = None,
) -> list[Judgement]:
    """A label for every question, in order; none where the answer or its judging failed.

    Unanswerable: correct when declined, else wrong. Answerable: declined, or what the judge says of the answer. A right
    answer that cites none of the documents in which the answer stands is at most partly right. An answerable question
    without an expected answer is judged by its citations alone. `evidence` by question id.
    """
    cites = [
        any(unit.document in documents for unit in evidence[question.id])
        for question, documents in zip(questions, cited_documents, strict=True)
    ]
    labels = [_by_rule(*case) for case in zip(questions, answers, cites, strict=True)]
    asked = [i for i, judgement in enumerate(labels) if judgement is None]
    cases = [Case(questions[i].question, questions[i].expected_answer, answers[i].text) for i in asked]
    for i, judgement in zip(asked, judge(cases, progress), strict=True):
        uncited = judgement.label == "correct" and evidence[questions[i].id] and not cites[i]
        labels[i] = replace(judgement, label="partly") if uncited else judgement
    return [judgement for judgement in labels if judgement]


def is_judged(question: Question, answer: Answer) -> bool:
    """Whether the label is the judge's to give."""
    return _by_rule(question, answer, cites_evidence=False) is None


def _by_rule(question: Question, answer: Answer, cites_evidence: bool) -> Judgement | None:
    if answer.error:
        return Judgement(None, error=answer.error)
    if not question.answerable:
        return Judgement("correct" if answer.declined else "wrong")
    if answer.declined:
        return Judgement("declined")
    if not question.expected_answer:
        return Judgement("correct" if cites_evidence else "wrong")
    return None
