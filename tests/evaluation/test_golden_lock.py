"""The lock notices when the text behind a question changes."""

from dataclasses import replace
from pathlib import Path

import pytest
from golden_samples import document

from evaluation.evidence import resolve
from evaluation.golden.lock import Locked, compare, locked_texts, read_lock, write_lock
from evaluation.records import Question, Reference
from rag.errors import InputError
from rag.records import Document

SECTION = Question("a", "?", "x", (Reference("d", "s1"),), metadata=(("last_validated", "2024-01-01"),))
QUOTE = Question("b", "?", "x", (Reference("d", quote="30 Tage"),))
UNLOCKED = Question("c", "?", "x")
QUESTIONS = [SECTION, QUOTE, UNLOCKED]


def handbook(first: str = "Fünf Euro.\n", second: str = "Es sind 30 Tage.\n") -> Document:
    return document("d", ("x", "# X", first), ("y", "# Y", second))


def lock(text: Document, questions: list[Question] = QUESTIONS) -> dict[str, Locked]:
    return locked_texts(questions, resolve(questions, [text]), [text])


def test_only_questions_with_evidence_are_locked() -> None:
    assert list(lock(handbook())) == ["a", "b"]


def test_changed_section_is_stale_until_it_is_validated() -> None:
    before, after = lock(handbook()), handbook(first="Sechs Euro.\n")
    assert compare(lock(after), before).stale == ("a",)
    validated = replace(SECTION, metadata=(("last_validated", "2025-01-01"),))
    compared = compare(lock(after, [validated, QUOTE]), before)
    assert (compared.stale, compared.revalidated) == ((), ("a",))


def test_a_quote_is_stale_when_its_section_changes_around_it() -> None:
    assert compare(lock(handbook(second="Es sind nicht mehr 30 Tage.\n")), lock(handbook())).stale == ("b",)


def test_blanks_unicode_form_and_other_sections_do_not_matter() -> None:
    again = handbook(first="Fu\u0308nf\n\nEuro. \n")
    assert compare(lock(again), lock(handbook())).stale == ()


def test_lock_file_goes_around(tmp_path: Path) -> None:
    golden = str(tmp_path / "gold.json")
    assert read_lock(golden) == {}
    assert write_lock(golden, lock(handbook())) == golden + ".lock.json"
    assert read_lock(golden) == lock(handbook())
    assert compare(lock(handbook()), {}).unlocked == ("a", "b")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a": 1}', b'{"a": {"text": "x"}}', b'{"a": []}', b"\xff"])
def test_damaged_lock_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "gold.json.lock.json").write_bytes(data)
    with pytest.raises(InputError, match=r"gold\.json\.lock\.json"):
        read_lock(str(tmp_path / "gold.json"))
