"""The example is a golden set as one should be."""

from collections import Counter

import pytest

from evaluation.golden import try_load
from evaluation.golden.check import Report, check
from evaluation.golden.lock import read_lock
from evaluation.golden.report import GOOD_SHARE
from rag.corpus import load_folder
from rag.records import Document

FILE = "examples/tannhoff/fragen.jsonl"


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return load_folder("examples/tannhoff/wissen")


@pytest.fixture(scope="module")
def report(documents: list[Document]) -> Report:
    return check(try_load(FILE), documents, read_lock(FILE))


def test_size(documents: list[Document], report: Report) -> None:
    assert len(documents) >= 60
    assert report.questions >= 200
    assert 0.12 <= len(report.unanswerable) / report.questions <= GOOD_SHARE[1]


def test_every_category_and_difficulty_is_there(report: Report) -> None:
    assert report.categories.keys() == {
        *("fristen", "betraege", "vorschriften", "ablaeufe", "technische_daten", "stoerungen", "zustaendigkeit"),
        *("mehrere_stellen", "ohne_antwort"),
    }
    assert min(report.categories.values()) >= 10  # a margin of error of 30 points at most
    assert report.difficulties.keys() == {"leicht", "mittel", "schwer"}


def test_all_references_resolve_and_may_be_read(report: Report) -> None:
    assert (report.findings, report.unreferenced, report.forbidden) == ((), (), ())


def test_some_documents_are_closed_to_most_people(documents: list[Document], report: Report) -> None:
    restricted = Counter(group for document in documents for group in document.groups)
    assert len(restricted) >= 3
    assert restricted.keys() <= report.groups.keys()  # somebody asks who may read them


def test_questions_are_not_worded_like_their_evidence(report: Report) -> None:
    assert report.copied == ()
    assert report.compared == report.questions - len(report.unanswerable)
    assert report.near_duplicates == ()


def test_the_lock_is_fresh(report: Report) -> None:
    assert report.lock.stale == report.lock.revalidated == report.lock.unlocked == ()
