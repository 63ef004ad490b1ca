"""The questions of a BEIR folder: queries.jsonl, judged by qrels/<split>.tsv or qrels.jsonl."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from evaluation.golden.collect import GoldenSet, collect
from rag.errors import InputError
from rag.findings import Finding, brief
from rag.jsontext import json_lines, lines, read_text

_QRELS_KEYS = (
    ("query-id", "query_id", "qid"),
    ("corpus-id", "corpus_id", "doc_id", "docid", "did"),
    ("score", "relevance", "grade", "label"),
)


@dataclass(slots=True)
class _Judged:
    """What the qrels say about one query: document -> grade, and what is wrong with them."""

    grades: dict[str, float] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_beir(path: str, split: str = "test") -> GoldenSet:
    """The queries that the split's qrels judge; documents with a grade above 0 are their references.

    Queries that only other splits judge are not in the set. A query with a faulty qrels line is a finding, as its
    references are not known. Raises InputError.
    """
    queries = read_text(str(Path(path) / "queries.jsonl"))
    judged: dict[str, _Judged] = {}
    findings = []
    for where, cells in _qrels(Path(path), split):
        if not (isinstance(cells, tuple) and all(isinstance(cell, str) and cell for cell in cells[:2])):
            remedy = "expected query-id, corpus-id, score"
            findings.append(Finding(where, f"{brief(cells)} is no judgement", remedy, "malformed qrels"))
            continue
        query, document, grade = cells
        _judge(judged.setdefault(str(query), _Judged()), str(document), grade, where)
    records = [*_records(queries, judged), *((finding.record, finding) for finding in findings)]
    return collect(records, f"{path} (split {split})")


def _judge(judged: _Judged, document: str, grade: object, where: str) -> None:
    try:
        value = float(str(grade))
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        judged.problems.append(f"{where}: grade {brief(grade)} is not a number")
    elif judged.grades.setdefault(document, value) != value:
        judged.problems.append(f"{where}: document {brief(document)} is graded twice and differently")


def _records(queries: str, judged: dict[str, _Judged]) -> Iterator[tuple[str, object]]:
    known = set()
    for where, record in json_lines(queries):
        place = f"queries.jsonl, {where}"
        query = record.get("_id") if isinstance(record, dict) else None
        if isinstance(record, Finding):
            yield place, Finding(place, record.problem, record.remedy, record.kind)
        elif not (isinstance(record, dict) and isinstance(query, str) and query):
            problem = f"no query: {brief(record)}"
            yield place, Finding(place, problem, 'expected {"_id": "...", "text": "..."}', "malformed record")
        elif query in judged:
            known.add(query)
            yield place, _record(record, query, judged[query], place)
    for query in (query for query in judged if query not in known):
        remedy = "add the query or take its lines out"
        yield "qrels", Finding("qrels", f"query {brief(query)} is not in queries.jsonl", remedy, "unknown query")


def _record(record: dict[str, object], query: str, judged: _Judged, place: str) -> object:
    relevant = [document for document, grade in judged.grades.items() if grade > 0]
    if judged.problems:
        return Finding(f"{place} ({query})", judged.problems[0], "correct the qrels", "malformed qrels")
    if not relevant:
        problem = "no document is graded above 0"
        return Finding(f"{place} ({query})", problem, "judge the query or take it out", "nothing relevant")
    references = [{"document": document} for document in relevant]  # BEIR ids may contain "#"
    return {"id": query, "question": record.get("text"), "references": references}


def _qrels(folder: Path, split: str) -> Iterator[tuple[str, object]]:
    """(where, (query, document, grade)); what is no judgement comes as it stands."""
    if (folder / "qrels").is_dir():
        file = folder / "qrels" / f"{split}.tsv"
        if not file.is_file():
            splits = ", ".join(sorted(other.stem for other in (folder / "qrels").glob("*.tsv"))) or "none"
            raise InputError(f"{folder}: no split {split!r} in qrels/; there are {splits}")
        for number, line in lines(read_text(str(file))):
            cells = tuple(cell.strip(" ") for cell in line.split("\t"))
            if number > 1 or cells != ("query-id", "corpus-id", "score"):
                yield f"qrels/{file.name}, line {number}", cells if len(cells) == 3 else line
    else:
        for where, record in json_lines(read_text(str(folder / "qrels.jsonl"))):
            place = f"qrels.jsonl, {where}"
            if isinstance(record, dict):
                yield place, tuple(next((record[key] for key in keys if key in record), None) for keys in _QRELS_KEYS)
            else:
                yield place, record
