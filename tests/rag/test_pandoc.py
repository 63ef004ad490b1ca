from rag.corpus.markdown import parse
from rag.corpus.sections import sections

GRID = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n|   | 5 |\n+---+---+\n"
MULTILINE = "  ---------\n  A    B\n       C\n  ---- ----\n  1    2\n\n  3    4\n  ---------\n: Titel\n"


def table(text: str) -> tuple[list[int] | None, dict[str, object]]:
    (token,) = [token for token in parse(text) if token.type == "pandoc_table"]
    return token.map, token.meta


def test_grid_table() -> None:
    # Lines 0 to 7; the body starts below ===, the second row below the ruler in line 4.
    assert table(GRID) == ([0, 8], {"body": 3, "rows": [5]})


def test_grid_table_without_header() -> None:
    assert table(GRID.replace("=", "-")) == ([0, 8], {"body": 0, "rows": [3, 5]})


def test_multiline_table_is_no_heading() -> None:
    text = f"Text\n\n{MULTILINE}\n# Titel\n"
    assert table(text) == ([2, 10], {"body": 6, "rows": [8]})
    assert [section.title for section in sections("d", text)] == ["", "Titel"]


def test_what_only_looks_like_a_table_stays_commonmark() -> None:
    unfinished = "+---+\n| a |\n"
    ruler_then_setext = "---\nTitel\n---\n"
    open_ended = "----\nA B\n-- --\n1 2\n\n# Titel\n"
    in_list = "- " + GRID.replace("\n", "\n  ")
    indented = "    " + GRID.replace("\n", "\n    ")
    for text in (unfinished, ruler_then_setext, open_ended, in_list, indented, "---\n", "---\n\nA\n"):
        assert "pandoc_table" not in {token.type for token in parse(text)}
    assert [section.title for section in sections("d", ruler_then_setext)] == ["", "Titel"]
