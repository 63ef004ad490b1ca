"""The questions of a SQuAD file; answers are character spans."""

import unicodedata
from collections.abc import Iterator

from evaluation.golden.collect import GoldenSet, collect
from rag.corpus.squad import paragraphs
from rag.findings import RecordError, brief


def read_squad(value: object, source: str) -> GoldenSet:
    """The questions of a parsed SQuAD file (1.1 or 2.0), referring to the documents of `rag.corpus.squad`.

    The answers of one question are several people's answers to it, not several pieces of evidence: the first counts.
    Raises InputError.
    """
    return collect(_records(value, source), source)


def _records(value: object, source: str) -> Iterator[tuple[str, object]]:
    for paragraph in paragraphs(value, source):
        for number, entry in enumerate(paragraph.questions, 1):
            where = f"{paragraph.document}, question {number}"
            try:
                yield where, _record(entry, paragraph.document, paragraph.context)
            except RecordError as refused:
                yield where, refused.at(where)


def _record(entry: object, document: str, context: str) -> object:
    if not isinstance(entry, dict):
        raise RecordError("not a record", f"{brief(entry)} is not a record", "expected an object with a question")
    record = {"id": entry.get("id"), "question": entry.get("question")}
    if entry.get("is_impossible"):
        return {**record, "answerable": False}
    answers = entry.get("answers")
    if not (isinstance(answers, list) and answers):
        raise RecordError("no answer", "no answers and not is_impossible", "give an answer or set is_impossible")
    return {**record, **answer_fields(answers[0], document, context), "answerable": True}


def answer_fields(answer: object, document: str, context: str) -> dict[str, object]:
    """Expected answer and span reference from `{"text": ..., "answer_start": ...}`. Raises RecordError.

    `answer_start` counts code points of `context` as it is written, the reference those of its NFC form.
    """
    text, start = (answer.get("text"), answer.get("answer_start")) if isinstance(answer, dict) else (None, None)
    if not (isinstance(text, str) and text.strip() and type(start) is int):
        raise RecordError("no answer", f"{brief(answer)} is not an answer", "expected text and answer_start")
    text = unicodedata.normalize("NFC", text)
    if start > 0:
        start += len(unicodedata.normalize("NFC", context[:start])) - len(context[:start])
    reference = {"document": document, "quote": text, "start": start, "end": start + len(text)}
    return {"expected_answer": text, "references": [reference]}
