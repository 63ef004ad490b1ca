"""Documents from anything that the `datasets` library loads."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rag.corpus.passages import passage, passage_id
from rag.errors import InputError
from rag.findings import brief
from rag.records import Document

_BUILDERS = {".parquet": "parquet", ".json": "json", ".jsonl": "json", ".csv": "csv"}


def load_datasets(path: str, columns: Mapping[str, str], split: str = "train", name: str = "") -> list[Document]:
    """Documents from the columns that `columns` names: `text`, and `id` and `title` where there are any.

    Without an `id` column the id is `passage_id(text)`, which the golden side finds again by the passage alone.
    Rows that repeat a document (question data sets repeat the passage) make one document. Raises InputError.
    """
    documents: dict[str, Document] = {}
    for number, row in enumerate(read_rows(path, columns, ("text", "id", "title"), ("text",), split, name), 1):
        where = f"{path}, row {number}"
        text, title = row["text"], row.get("title") or ""
        if not (isinstance(text, str) and text.strip() and isinstance(title, str)):
            raise InputError(f"{where}: no text in column {columns['text']!r}; map the column that holds the text")
        document_id = str(row["id"]) if row.get("id") not in (None, "") else passage_id(text)
        document = passage(document_id, text, title, path)
        if documents.setdefault(document.id, document).text != document.text:
            raise InputError(f"{where}: document {brief(document_id)} occurs with two texts; make the ids unique")
    return list(documents.values())


def read_rows(
    path: str, columns: Mapping[str, str], known: Sequence[str], needed: Sequence[str], split: str, name: str
) -> Iterable[dict[str, object]]:
    """Rows as {field: value}. `path` is a Hub id, a folder, or a Parquet, JSON, JSON Lines or CSV file.

    `columns` maps fields to columns. A local file is one split, whatever it is called. Raises InputError.
    """
    if wrong := [field for field in columns if field not in known] + [
        field for field in needed if field not in columns
    ]:
        needs = f"needs {', '.join(needed)} and may have {', '.join(known)}"
        raise InputError(f"{path}: the column mapping {needs}; see {', '.join(wrong)}")
    local = Path(path).is_file()
    if local and Path(path).suffix.lower() not in _BUILDERS:
        raise InputError(f"{path}: unknown file ending; known: {', '.join(_BUILDERS)}")

    from datasets import load_dataset

    try:
        if local:
            builder = _BUILDERS[Path(path).suffix.lower()]
            data = load_dataset(builder, data_files={split: path}, split=split)
        else:
            data = load_dataset(path, name or None, split=split)
    except Exception as error:  # the builders let through whatever their parsers raise
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{path}: datasets cannot load split {split!r}: {reason}; check both") from None
    if absent := sorted(set(columns.values()) - set(data.column_names)):
        raise InputError(f"{path}: no column {', '.join(absent)}; there are {', '.join(data.column_names)}")
    return ({field: row[column] for field, column in columns.items()} for row in data)
