import logging
import os
from pathlib import Path

import pytest

from rag.corpus.folder import load_folder
from rag.errors import InputError

HANDBUCH = str(Path(__file__).parent / "data" / "handbuch")
SHARED = Path(__file__).parents[3] / "shared" / "data"


def test_documents_of_a_folder() -> None:
    protokoll, kosten, urlaub = load_folder(HANDBUCH)
    assert (urlaub.id, urlaub.title, urlaub.url) == ("urlaub", "Urlaub", "https://intranet.example/urlaub")
    assert (urlaub.groups, urlaub.source) == (("personal", "leitung"), "urlaub.md")
    assert urlaub.text.startswith("Stand: Januar 2026.\n\n# Urlaub\n")
    assert [s.id for s in urlaub.sections] == [f"urlaub#s{n}" for n in range(5)]
    assert (kosten.id, kosten.title, kosten.source) == ("kosten", "Reisekosten 2026", "reisen/kosten.html")
    assert [s.path for s in kosten.sections] == [("Reisekosten",), ("Reisekosten", "Tagegeld")]
    assert (protokoll.id, protokoll.title, protokoll.groups) == ("protokoll", "protokoll", ())
    assert [(s.id, s.start, s.end) for s in protokoll.sections] == [("protokoll#s0", 0, len(protokoll.text))]


def test_text_is_kept_but_for_byte_order_mark_line_ends_and_normal_form(tmp_path: Path) -> None:
    (tmp_path / "a.MD").write_bytes("\ufeff# U\u0308ber\r\neins\rzwei\u2028drei\u0085\x0c\n".encode())
    (document,) = load_folder(str(tmp_path))
    assert document.text == "# \u00dcber\neins\nzwei\u2028drei\u0085\x0c\n"
    assert document.title == "\u00dcber"


def test_names_of_files_and_references_in_html_become_nfc(tmp_path: Path) -> None:
    (tmp_path / "u\u0308ber.html").write_text("<title>U&#776;ber</title><p>scho&#776;n")
    (document,) = load_folder(str(tmp_path))
    assert (document.id, document.title, document.text.strip()) == ("\u00fcber", "\u00dcber", "sch\u00f6n")


def test_carriage_returns_written_as_references_are_line_ends_too(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<pre>eins&#13;zwei</pre><h1>Titel</h1>")
    (document,) = load_folder(str(tmp_path))
    (section,) = document.sections[1:]
    assert "\r" not in document.text
    assert document.text[section.start :].startswith("# Titel")


def test_hidden_files_are_left_out_and_other_kinds_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in (".git/a.md", ".b.md", "c.md", *(f"{n}.pdf" for n in range(6))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Text")
    with caplog.at_level(logging.WARNING):
        assert [document.id for document in load_folder(str(tmp_path))] == ["c"]
    (message,) = caplog.messages
    assert message.endswith(
        "left out 6 of a kind other than .md, .txt, .html, .htm: 0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf, ..."
    )


def test_all_problems_of_a_folder_are_reported_a_line_each(tmp_path: Path) -> None:
    (tmp_path / "unter").mkdir()
    (tmp_path / "a.md").write_text("Text")
    (tmp_path / "b.md").write_bytes("Größe".encode("latin-1"))
    (tmp_path / "c.md").write_text("---\ntitle: C\n---\n \n")
    (tmp_path / "d.html").write_text("<html><title>D</title><script>x</script></html>")
    (tmp_path / "e.txt").write_text("---\nid: [x]\n---\nText")
    (tmp_path / "unter" / "a.txt").write_text("Text")
    with pytest.raises(InputError) as error:
        load_folder(str(tmp_path))
    assert [line.removeprefix(f"{tmp_path}/") for line in str(error.value).split("\n")] == [
        "b.md: is not UTF-8 (byte 2); save it as UTF-8",
        "c.md: has no text; fill it or remove it",
        "d.html: has no text; fill it or remove it",
        "e.txt: front matter 'id' must be text; give it a value or leave the key out",
        f"unter/a.txt: id 'a' is also that of {tmp_path}/a.md; give one of them another 'id' in its front matter",
    ]


@pytest.mark.parametrize(
    ("name", "complaint"), [("fehlt", "does not exist"), ("datei.md", "is a file"), ("leer", "holds no .md")]
)
def test_a_folder_that_cannot_be_used(tmp_path: Path, name: str, complaint: str) -> None:
    (tmp_path / "leer").mkdir()
    (tmp_path / "datei.md").write_text("Text")
    with pytest.raises(InputError, match=complaint) as error:
        load_folder(str(tmp_path / name))
    assert str(error.value).startswith(str(tmp_path / name))


@pytest.mark.skipif(not SHARED.is_dir(), reason="public texts of ../shared/data are absent")
@pytest.mark.parametrize("folder", ["handbuch-it-bibliotheken", "gesetze"])
def test_real_documents_have_no_headings_but_those_marked_by_hashes(folder: str) -> None:
    # The handbook's multiline tables end in a ruler that CommonMark takes for a heading's underline.
    for document in load_folder(str(SHARED / folder)):
        hashes = [line for line in document.text.split("\n") if line.startswith("#")]
        headings = [document.text[s.start : s.end].split("\n")[0] for s in document.sections if s.path]
        assert headings == (hashes if document.source.endswith(".md") else [])
        assert not any("{#" in section.title for section in document.sections)


@pytest.mark.parametrize("name", [b"\xff.md", b"a\nb.md", b"\xff/a.md", b"a\x1bb.md"])
def test_names_that_no_store_or_terminal_can_hold_are_refused_in_one_line(tmp_path: Path, name: bytes) -> None:
    file = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    file.parent.mkdir(exist_ok=True)
    file.write_text("Text")
    with pytest.raises(InputError, match="rename it") as raised:
        load_folder(str(tmp_path))
    assert "\n" not in str(raised.value)


def test_links_that_are_not_followed_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.md").write_text("Text")
    for name, target in {"b.md": "a.md", "ordner": ".", "leer.md": "nichts", "kreis.md": "kreis.md"}.items():
        (tmp_path / name).symlink_to(target)
    with caplog.at_level(logging.WARNING):
        assert [document.id for document in load_folder(str(tmp_path))] == ["a", "b"]
    (message,) = caplog.messages
    assert message.endswith("left out 3 links to folders or to nothing: kreis.md, leer.md, ordner")


def test_html_of_any_depth_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<div>" * 3000 + "Text")
    with pytest.raises(InputError, match=r"a\.html: its elements are nested too deeply"):
        load_folder(str(tmp_path))
