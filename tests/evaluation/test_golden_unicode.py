"""A golden set in NFD is the golden set in NFC."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from evaluation.evidence import try_resolve
from evaluation.golden import GoldenSet, golden_hash, try_load
from evaluation.golden.hub import read_datasets
from rag.corpus.hub import load_datasets
from rag.corpus.squad import load_squad
from rag.records import Document

CONTEXT, ANSWER = "Für Büros gilt: die Gebühr beträgt 2 Ångström.", "Gebühr beträgt"
COLUMNS = {"question": "question", "context": "context", "expected_answer": "answers"}


def nf(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)


def as_squad(file: Path, form: str, off: int) -> tuple[GoldenSet, list[Document]]:
    context, answer = nf(form, CONTEXT), nf(form, ANSWER)
    qa: dict[str, Any] = {"id": "a", "question": nf(form, "Wie hoch?")}
    qa["answers"] = [{"text": answer, "answer_start": context.index(answer) + off}]
    article = {"title": "Büro", "paragraphs": [{"context": context, "qas": [qa]}]}
    file.write_text(json.dumps({"data": [article]}), encoding="utf-8")
    return try_load(str(file)), load_squad(str(file))


def as_rows(file: Path, form: str, off: int) -> tuple[GoldenSet, list[Document]]:
    context, answer = nf(form, CONTEXT), nf(form, ANSWER)
    row = {"question": nf(form, "Wie hoch?"), "context": context}
    row = {**row, "answers": {"text": [answer], "answer_start": [context.index(answer) + off]}}
    file.write_text(json.dumps(row), encoding="utf-8")
    return read_datasets(str(file), COLUMNS), load_datasets(str(file), {"text": "context"})


@pytest.mark.parametrize("reading", [as_squad, as_rows])
def test_answer_offsets_of_nfd_contexts_are_counted_in_nfc(tmp_path: Path, reading: Any) -> None:
    versions = set()
    for form in ("NFC", "NFD"):
        golden, documents = reading(tmp_path / f"{form}.json", form, off=0)
        resolution = try_resolve(golden.questions, documents)
        ((piece,),) = resolution.evidence.values()
        assert (piece.start, piece.end) == (len("Für Büros gilt: die "), len("Für Büros gilt: die Gebühr beträgt"))
        assert documents[0].text[piece.start : piece.end] == golden.questions[0].expected_answer == ANSWER
        versions.add(golden_hash(golden.questions))
    assert len(versions) == 1


@pytest.mark.parametrize("reading", [as_squad, as_rows])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("off", [-1, 1, 2])
def test_offsets_that_are_off_stay_findings(tmp_path: Path, reading: Any, form: str, off: int) -> None:
    golden, documents = reading(tmp_path / "golden.json", form, off)
    (finding,) = try_resolve(golden.questions, documents).findings
    assert finding.kind == "span off"


def test_every_field_is_nfc(tmp_path: Path) -> None:
    reference = {"document": "Büro", "quote": "Gebühr"}
    record = {"id": "ä", "question": "ö?", "expected": "ü", "category": "Ä", "groups": ["Ö"], "difficulty": "Ü"}
    texts = [json.dumps({**record, "references": [reference, "Büro#Gebühr"]}, ensure_ascii=False)]
    texts.append(nf("NFD", texts[0]))
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text, encoding="utf-8")
    one, two = (try_load(str(tmp_path / str(number))).questions for number in range(2))
    assert one == two
    assert texts[0] != texts[1]
