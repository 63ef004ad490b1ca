from dataclasses import replace

from rag.corpus.hashing import corpus_hash
from rag.corpus.sections import sections
from rag.records import Document


def document(identity: str) -> Document:
    text = "# Titel\nText"
    return Document(identity, "Titel", text, sections(identity, text), groups=("a", "b"))


def test_order_of_documents_and_groups_does_not_matter() -> None:
    a, b = document("a"), document("b")
    assert corpus_hash([a, b]) == corpus_hash([b, replace(a, groups=("b", "a"))])
    assert len(corpus_hash([a])) == 256 / 4


def test_everything_answers_depend_on_matters() -> None:
    a = document("a")
    changed = [
        replace(a, id="b"),
        replace(a, title="x"),
        replace(a, text="# Titel\nTexte"),
        replace(a, url="x"),
        replace(a, groups=()),
        replace(a, groups=("a",)),
        replace(a, sections=sections("a", "x\n# Titel")),
    ]
    hashes = {corpus_hash([other]) for other in [a, *changed]} | {corpus_hash([a, document("b")]), corpus_hash([])}
    assert len(hashes) == 1 + len(changed) + 2
