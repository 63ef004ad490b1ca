from pathlib import Path

from rag.corpus import corpus_hash, load_folder
from rag.corpus.snapshot import load_snapshot, write_snapshot
from rag.records import Document

ROOT = Path(__file__).parent.parent.parent


def test_the_documents_come_back_as_they_were(tmp_path: Path) -> None:
    documents = load_folder(str(ROOT / "examples" / "tannhoff" / "wissen"))
    # Characters that some readers take for line ends.
    documents.append(Document("nasty", "t", "a\u2028b\x85c\x0bd\r\ne", (), groups=("g",)))
    write_snapshot(documents, tmp_path / "d.jsonl")
    again = load_snapshot(str(tmp_path / "d.jsonl"))
    assert again == documents
    assert corpus_hash(again) == corpus_hash(documents)
