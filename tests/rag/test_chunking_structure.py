from chunk_checks import markdown
from counting import Words
from hypothesis import given, settings
from nasty import texts

from rag.chunking import Structure
from rag.chunking.blocks import Kind, blocks
from rag.corpus.sections import plain_section
from rag.records import Chunk, Document

TABLE = "| Ort | km |\n|---|---|\n| Ulm | 1 |\n| Bonn | 2 |\n| Köln | 3 |\n"
GRID = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+\n"


def chunks(text: str, size: int, overlap: int = 0) -> list[Chunk]:
    return Structure(size, overlap)(markdown(text), Words())


def cut(text: str, size: int, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in chunks(text, size, overlap)]


def test_no_chunk_crosses_a_heading() -> None:
    assert cut("vor\n# A\na\n## B\nb\n# C\nc\n", 99) == ["vor", "# A\na", "## B\nb", "# C\nc"]


def test_bare_headings_join_the_section_that_follows() -> None:
    found = chunks("# A\n\n## B\n\nb b b b b b b\n\n# C\nc\n# D\n## Ende\n", 99)
    assert [chunk.text for chunk in found] == ["# A\n\n## B\n\nb b b b b b b", "# C\nc", "# D\n## Ende"]
    assert [chunk.section for chunk in found] == ["d#s2", "d#s3", "d#s5"]


def test_a_heading_stays_with_what_it_heads() -> None:
    assert cut("# A\n\na b c d e\n", 4) == ["# A\n\na b", "c d e"]
    # The table is 21 words long with its bars: it fits alone, not together with the heading.
    assert cut(f"# A\n\n{TABLE}", 22) == ["# A", TABLE.strip()]
    assert cut(f"# A\n\n{TABLE}", 23) == [f"# A\n\n{TABLE}".strip()]


def test_context_is_title_and_heading_path_without_the_repeated_title() -> None:
    found = chunks("vor\n# Titel\na\n## B\nb\n## \nc\n# C\nc\n", 99)
    assert [chunk.context for chunk in found] == ["Titel", "Titel", "Titel > B", "Titel", "Titel > C"]


def test_tables_and_code_stay_whole_where_they_fit() -> None:
    code = "```\na b\n\nc d\n```"
    multiline = "-------\nA   B\n--- ---\n1   2\n\n3   4\n-------"
    for block, size in ((TABLE.strip(), 21), (GRID.strip(), 19), (code, 6), (multiline, 10)):
        text = f"a b c\n\n{block}\n\nd e f\n"
        assert len(Words().offsets(block)) / 2 == size
        assert cut(text, size) == ["a b c", block, "d e f"]
        # An overlap of three would leave no room for the whole block.
        assert cut(text, size, 3) == ["a b c", block, "d e f"]


def test_a_larger_table_is_cut_between_rows_and_repeats_its_header() -> None:
    # Header 5 words, ruler 1, rows 5 each: 5 + 1 + 5 = 11.
    first, *rest = chunks(f"# A\n\nx\n\n{TABLE}\nund nach", 11)[1:]
    assert first.text == "| Ort | km |\n|---|---|\n| Ulm | 1 |"
    assert [chunk.text for chunk in rest] == ["| Bonn | 2 |\n| Köln | 3 |", "und nach"]
    assert [chunk.context for chunk in rest] == ["Titel > A\n| Ort | km |\n|---|---|", "Titel > A"]
    assert first.context == "Titel > A"


def test_an_indented_table_does_not_repeat_its_header_over_the_header() -> None:
    indented = "".join(f"  {line}\n" for line in TABLE.splitlines())
    contexts = [chunk.context for chunk in chunks(indented, 11)]
    assert contexts == ["Titel", "Titel\n  | Ort | km |\n  |---|---|"]


def test_overlap_repeats_rows_only_whole() -> None:
    # Five words may be repeated, a row is five: the row of Köln, but no row of four.
    table = TABLE + "| Mainz | 4 |\n"
    assert [text.split("\n")[0] for text in cut(table, 11, 5)] == ["| Ort | km |", "| Bonn | 2 |", "| Köln | 3 |"]
    assert [text.split("\n")[0] for text in cut(table, 11, 4)] == ["| Ort | km |", "| Bonn | 2 |", "| Mainz | 4 |"]


def test_a_row_larger_than_a_chunk_is_cut_like_prose() -> None:
    found = chunks("| A |\n|---|\n| eins zwei drei vier |\n", 4)
    assert [chunk.text for chunk in found] == ["| A |\n|---|", "| eins zwei drei", "vier |"]
    assert [chunk.context for chunk in found] == ["Titel", *["Titel\n| A |\n|---|"] * 2]


def test_a_larger_grid_table_is_cut_between_rows() -> None:
    # Rulers 1 word, rows 5: 1 + 5 + 1 + 5 + 1 = 13.
    first, second = chunks(GRID, 13)
    assert first.text == "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+"
    assert second.text == "| 3 | 4 |\n+---+---+"
    assert second.context == "Titel\n+---+---+\n| a | b |\n+===+===+"


def test_larger_prose_is_cut_as_by_recursive_with_overlap() -> None:
    assert cut("# A\nEr kam an. Sie ging weg. Es blieb", 8, 3) == [
        "# A\nEr kam an. Sie ging weg.",
        "Sie ging weg. Es blieb",
    ]


def test_plain_text_has_no_headings() -> None:
    text = "a\n# b\nc\n"
    document = Document("d", "Titel", text, (plain_section("d", text),))
    assert [chunk.text for chunk in Structure(99, 0)(document, Words())] == ["a\n# b\nc"]


@settings(max_examples=100, deadline=None)
@given(texts.filter(str.strip))
def test_no_chunk_of_a_nasty_text_crosses_a_heading_or_divides_what_fits(text: str) -> None:
    document = markdown(text)
    headings = {section.start: section for section in document.sections}
    kept = [
        (block.start, block.end)
        for block in blocks(text)
        if block.kind in (Kind.TABLE, Kind.FENCE) and len(text[block.start : block.end].split()) <= 12
    ]
    for chunk in Structure(12, 5)(document, Words()):
        crossed = [start for start in headings if chunk.start < start < chunk.end]
        for start in crossed:
            # All that stands before the heading is headings with nothing below them.
            assert {block.kind for block in blocks(text) if chunk.start < block.end <= start} <= {Kind.HEADING}
        for start, end in kept:
            inside = text[max(start, chunk.start) : min(end, chunk.end)].split()
            assert not inside or inside == text[start:end].split()
