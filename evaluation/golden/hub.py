"""Questions from anything that the `datasets` library loads."""

from collections.abc import Iterable, Iterator, Mapping

from evaluation.golden.collect import GoldenSet, collect
from evaluation.golden.fields import NAMES
from evaluation.golden.squad import answer_fields
from rag.corpus.hub import read_rows
from rag.corpus.passages import passage_id
from rag.findings import RecordError, brief


def read_datasets(path: str, columns: Mapping[str, str], split: str = "test", name: str = "") -> GoldenSet:
    """Questions from the columns that `columns` maps from the fields of a question, for example `question: frage`.

    `context` maps the column with the passage that answers; its document is the one that `rag.corpus.hub` makes of
    the same passage. An `expected_answer` column may hold SQuAD answers, `{"text": [...], "answer_start": [...]}`:
    the first is a span reference, none is an unanswerable question. Raises InputError.
    """
    rows = read_rows(path, columns, (*NAMES, "context"), ("question",), split, name)
    return collect(_records(rows), path)


def _records(rows: Iterable[dict[str, object]]) -> Iterator[tuple[str, object]]:
    for number, row in enumerate(rows, 1):
        try:
            yield f"row {number}", _record(row)
        except RecordError as refused:
            yield f"row {number}", refused.at(f"row {number}")


def _record(row: dict[str, object]) -> object:
    record = {field: value for field, value in row.items() if field != "context"}
    context, answers = row.get("context"), row.get("expected_answer")
    if "context" not in row:
        return record
    if not isinstance(context, str):
        raise RecordError("no context", f"context is {brief(context)}", "map the column with the passage")
    document = passage_id(context)
    if not isinstance(answers, dict):
        return {**record, "references": [{"document": document}]}
    texts, starts = answers.get("text"), answers.get("answer_start")
    if not (isinstance(texts, list) and isinstance(starts, list)):
        raise RecordError("no answer", f"{brief(answers)} are no answers", "expected lists text and answer_start")
    if not texts:
        return {**record, "expected_answer": None, "answerable": False}
    return {**record, **answer_fields({"text": texts[0], "answer_start": [*starts, None][0]}, document, context)}
