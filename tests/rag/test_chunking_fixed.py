from chunk_checks import markdown
from counting import Words, single_bytes, word_pieces

from rag.chunking import Fixed, Tokenizer


def cut(text: str, size: int, overlap: int, tokenizer: Tokenizer | None = None) -> list[str]:
    return [chunk.text for chunk in Fixed(size, overlap)(markdown(text), tokenizer or Words())]


def test_windows_step_by_size_less_overlap() -> None:
    # Starts 0, 0 + (4 - 1), 3 + (4 - 1); the third window ends the text, a fourth would lie inside it.
    assert cut(" a b  c d e f g h i j\n", 4, 1) == ["a b  c d", "d e f g", "g h i j"]
    assert cut("a b c d e", 4, 3) == ["a b c d", "b c d e"]
    assert cut("a b c d e", 2, 0) == ["a b", "c d", "e"]
    assert cut("a b", 4, 3) == ["a b"]


def test_a_window_is_never_empty_nor_blank() -> None:
    assert cut(" \n ", 4, 1) == []
    assert cut("a" + " " * 6 + "b", 2, 0, single_bytes()) == ["a ", " b"]


def test_a_character_of_several_tokens_is_not_divided() -> None:
    # "ä" is two bytes, an emoji four: more than the size, so it stands alone.
    assert cut("aäb🙂c", 3, 0, single_bytes()) == ["aä", "b", "🙂", "c"]
    assert cut("äää", 4, 3, single_bytes()) == ["ää", "ää"]


def test_accents_that_the_tokenizer_drops_stay_with_their_letter() -> None:
    assert cut("ade\u0301", 3, 0, word_pieces()) == ["ade\u0301"]
    assert cut("cafe\u0301 so", 1, 0, word_pieces()) == ["cafe\u0301", "so"]


def test_context_is_empty_and_section_is_the_one_with_most_of_the_chunk() -> None:
    document = markdown("# A\nab\n# B\nabcdef")
    (chunk,) = Fixed(9, 0)(document, Words())
    assert (chunk.section, chunk.context) == ("d#s2", "")
    tie = markdown("# A\nab\n# B\nab\n")
    # Token spans end before the last line end: 7 characters of #s1 against 6 of #s2; cutting "# A" off makes 3 of 9.
    chunks = Fixed(3, 2)(tie, Words())
    assert [(c.text, c.section) for c in chunks[:2]] == [("# A\nab", "d#s1"), ("A\nab\n#", "d#s1")]
