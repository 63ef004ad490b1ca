from hypothesis import given, settings
from nasty import texts

from rag.corpus.markdown import parse
from rag.corpus.sections import sections


def outline(text: str) -> list[tuple[str, str, tuple[str, ...], str]]:
    """Id part, slug, path and first line of each section."""
    return [(s.id[2:], s.slug, s.path, text[s.start : s.end].split("\n")[0]) for s in sections("d", text)]


def test_a_section_ends_at_the_next_heading_of_any_level() -> None:
    text = "Vorab.\n\n# Urlaub\nText\n## Antrag\n### Frist\nText\n## Antrag\n"
    assert outline(text) == [
        ("s0", "", (), "Vorab."),
        ("s1", "urlaub", ("Urlaub",), "# Urlaub"),
        ("s2", "antrag", ("Urlaub", "Antrag"), "## Antrag"),
        ("s3", "frist", ("Urlaub", "Antrag", "Frist"), "### Frist"),
        ("s4", "antrag-1", ("Urlaub", "Antrag"), "## Antrag"),
    ]


def test_blank_text_before_the_first_heading_is_no_section() -> None:
    (only,) = sections("d", "\n \n# Urlaub\n")
    assert (only.id, only.start, only.end) == ("d#s1", 3, 12)


def test_text_without_headings_is_one_section() -> None:
    (only,) = sections("d", "\nNur Text.\n")
    assert (only.id, only.path, only.start, only.end) == ("d#s0", (), 0, 11)


def test_only_top_level_headings_open_sections() -> None:
    text = "# A\n```\n# Code\n```\n> # Zitat\n\n- # Punkt\n\n    # Code\n\nB\n===\nB2\nB3\n---\n***\nkein\n\n---\n"
    assert [s.path for s in sections("d", text)] == [("A",), ("B",), ("B", "B2 B3")]


def test_titles_lose_markup_and_pandoc_attributes() -> None:
    text = "# `Code` *fett* [Ziel](u) ![Bild](u) <b>x</b> &amp; {#sec-x .y} #\n## Nutzer{-}\n## {innen}\n"
    assert [s.title for s in sections("d", text)] == ["Code fett Ziel Bild x &", "Nutzer", "{innen}"]


def test_slugs_are_those_of_github() -> None:
    # Expected values: github-slugger's rules by hand (§ and & go, their spaces stay; a taken slug is passed over).
    titles = ["§ 1 Zweck", "Daten & Metadaten", "Größe_2: Maße?", "A", "A-1", "A", "A", "?!", "?"]
    text = "".join(f"# {title}\n" for title in titles)
    slugs = [s.slug for s in sections("d", text)]
    assert slugs == ["-1-zweck", "daten--metadaten", "größe_2-maße", "a", "a-1", "a-2", "a-3", "", "-1"]


def test_decomposed_headings_keep_their_form_but_have_composed_slugs() -> None:
    (section,) = sections("d", "# U\u0308ber\n")
    assert (section.title, section.slug) == ("U\u0308ber", "über")


def test_other_line_separators_do_not_shift_spans() -> None:
    for separator in "\u0085\u2028\u2029\x0b\x0c\x1c\x1d\x1e":
        text = f"eins{separator}zwei{separator}\n# Titel\n"
        assert [text[s.start : s.end] for s in sections("d", text)] == [text[:-8], "# Titel\n"]


@settings(max_examples=150, deadline=None)
@given(texts)
def test_sections_cover_the_text_and_begin_at_headings(text: str) -> None:
    found = sections("d", text)
    edges = [section.start for section in found] + [len(text)]
    assert not text[: edges[0]].strip()
    assert [section.end for section in found] == edges[1:]
    assert len({section.slug for section in found if section.path}) == len([s for s in found if s.path])
    for section in found:
        assert section.start == 0 or text[section.start - 1] == "\n"
        assert section.start < section.end
        if section.id != "d#s0":
            assert parse(text[section.start :])[0].type == "heading_open"
