"""SQuAD, BEIR and datasets as corpora."""

import json
import unicodedata
from pathlib import Path

import pytest

from rag.corpus.beir import load_beir
from rag.corpus.hashing import corpus_hash
from rag.corpus.hub import load_datasets
from rag.corpus.squad import load_squad
from rag.errors import InputError


def squad(tmp_path: Path, *articles: object) -> str:
    (tmp_path / "squad.json").write_text(json.dumps({"data": articles}), encoding="utf-8")
    return str(tmp_path / "squad.json")


def article(title: str, *contexts: str) -> dict[str, object]:
    return {"title": title, "paragraphs": [{"context": context, "qas": []} for context in contexts]}


def test_squad_paragraphs_are_documents(tmp_path: Path) -> None:
    path = squad(
        tmp_path, article("Super_Bowl_50", " Erster", "Zweiter"), article("Straße & Weg", "a"), article("", "b")
    )
    documents = load_squad(path)
    assert [d.id for d in documents] == ["super-bowl-50-1", "super-bowl-50-2", "strasse-weg-1", "article-1"]
    assert (documents[0].text, documents[0].title) == (" Erster", "Super Bowl 50")
    (section,) = documents[0].sections
    assert (section.id, section.start, section.end) == ("super-bowl-50-1#s0", 0, 7)


def test_an_nfd_copy_is_the_same_corpus(tmp_path: Path) -> None:
    copies = []
    for form in ("NFC", "NFD"):
        name, text = (unicodedata.normalize(form, words) for words in ("Müll", "Die Gebühr beträgt 2 Å."))
        folder = tmp_path / form
        folder.mkdir()
        (folder / "corpus.jsonl").write_text(json.dumps({"_id": name, "title": name, "text": text}), encoding="utf-8")
        (folder / "rows.jsonl").write_text(json.dumps({"t": text}), encoding="utf-8")
        copies.append(
            (
                load_squad(squad(folder, article(name, text))),
                load_beir(str(folder)),
                load_datasets(str(folder / "rows.jsonl"), {"text": "t"}),
            )
        )
    for one, two in zip(*copies, strict=True):
        assert corpus_hash(one) == corpus_hash(two)
        assert one[0].text == unicodedata.normalize("NFC", "Die Gebühr beträgt 2 Å.")


def test_ids_that_differ_in_their_unicode_form_only_are_one_id(tmp_path: Path) -> None:
    lines = [json.dumps({"_id": unicodedata.normalize(form, "Müll"), "text": form}) for form in ("NFC", "NFD")]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: document .* occurs again"):
        load_beir(str(tmp_path))


def test_articles_of_one_title_go_on_counting(tmp_path: Path) -> None:
    path = squad(tmp_path, article("A", "x"), article("a", "y"), article("A 1", "z"))
    assert [d.id for d in load_squad(path)] == ["a-1", "a-2", "a-1-1"]


@pytest.mark.parametrize("data", ["[]", '{"data": []}', '{"data": [{"title": "x"}]}', "{", '{"data": 1}'])
def test_other_json_is_not_squad(tmp_path: Path, data: str) -> None:
    (tmp_path / "s.json").write_text(data, encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.json: not"):
        load_squad(str(tmp_path / "s.json"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (1, "article 2: no list of paragraphs"),
        ({"title": 1, "paragraphs": []}, "article 2: the title is not text"),
        ({"title": "x", "paragraphs": [{"context": ""}]}, "article 2, paragraph 1: no context"),
        ({"title": "x", "paragraphs": [{"context": "y", "qas": 1}]}, "article 2, paragraph 1: qas is not a list"),
    ],
)
def test_malformed_squad(tmp_path: Path, wrong: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_squad(squad(tmp_path, article("A", "x"), wrong))


def test_beir_corpus(tmp_path: Path) -> None:
    lines = [
        '\ufeff{"_id": "1", "title": "Titel", "text": "a\u0085b"}',
        '{"_id": "2", "title": "Nur", "text": ""}',
        '{"_id": "3", "text": ""}',
    ]
    (tmp_path / "corpus.jsonl").write_bytes("\r\n".join(lines).encode())
    first, second, third = load_beir(str(tmp_path))
    assert (first.id, first.title, first.text) == ("1", "Titel", "a\u0085b")
    assert second.text == "Nur"
    assert (third.text, third.sections) == ("", ())


def test_beir_corpus_lists_all_its_faults(tmp_path: Path) -> None:
    good = '{"_id": "1", "text": "a"}'
    (tmp_path / "corpus.jsonl").write_text(f'{good}\n{good}\n{{"_id": 2, "text": "b"}}\n[]\n{{\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"4 unusable \(2 x malformed record, 1 x repeated id, 1 x not JSON\): line 2"):
        load_beir(str(tmp_path))
    with pytest.raises(InputError, match="cannot be read"):
        load_beir(str(tmp_path / "nirgends"))
