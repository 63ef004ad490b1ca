"""One label for every golden question."""

from collections.abc import Collection, Sequence

from evaluation.judges import Judge
from evaluation.records import Evidence, Label, Question
from rag.records import Answer


def label(
    question: Question, answer: Answer, cited_documents: Collection[str], evidence: Sequence[Evidence], judge: Judge
) -> Label:
    """Unanswerable: correct when declined, else wrong. Answerable: declined, or what the judge says of the answer.

    A right answer that cites none of the documents in which the answer stands is at most partly right. An answerable
    question without an expected answer is judged by its citations alone.
    """
    if not question.answerable:
        return "correct" if answer.declined else "wrong"
    if answer.declined:
        return "declined"
    cites_evidence = any(unit.document in cited_documents for unit in evidence)
    if not question.expected_answer:
        return "correct" if cites_evidence else "wrong"
    verdict = judge(question.question, question.expected_answer, answer.text)
    return "partly" if verdict == "correct" and evidence and not cites_evidence else verdict
