"""The corpus of a BEIR folder (Thakur et al. 2021, arXiv:2104.08663)."""

from pathlib import Path

from rag.corpus.passages import passage
from rag.findings import Finding, brief, stop_on
from rag.jsontext import json_lines, read_text
from rag.records import Document


def load_beir(path: str) -> list[Document]:
    """The documents of `<path>/corpus.jsonl` (`_id`, `title`, `text`); a document without text has its title as text.

    Raises InputError that lists the lines that are not such records and the ids that occur twice.
    """
    file = str(Path(path) / "corpus.jsonl")
    documents: dict[str, Document] = {}
    findings = []
    for where, record in json_lines(read_text(file)):
        if isinstance(record, Finding):
            findings.append(record)
            continue
        fields = record if isinstance(record, dict) else {}
        document_id, text, title = fields.get("_id"), fields.get("text"), fields.get("title") or ""
        if not (isinstance(document_id, str) and document_id and isinstance(text, str) and isinstance(title, str)):
            remedy = 'expected {"_id": "...", "title": "...", "text": "..."}'
            findings.append(Finding(where, f"no document: {brief(record)}", remedy, "malformed record"))
            continue
        document = passage(document_id, text if text.strip() else title, title, file)
        if documents.setdefault(document.id, document) is not document:
            problem = f"document {brief(document_id)} occurs again"
            findings.append(Finding(where, problem, "keep one of them", "repeated id"))
    stop_on(findings, file)
    return list(documents.values())
