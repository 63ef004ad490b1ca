from chunk_checks import markdown
from counting import Words, word_pieces

from rag.chunking import Recursive


def cut(text: str, size: int, overlap: int = 0) -> list[str]:
    return [chunk.text for chunk in Recursive(size, overlap)(markdown(text), Words())]


def test_paragraphs_are_packed_while_they_fit() -> None:
    assert cut("a b\n\nc d\n \ne f\n\ng", 4) == ["a b\n\nc d", "e f\n\ng"]


def test_lines_where_no_paragraph_ends_within_reach() -> None:
    assert cut("a b\nc d\ne f", 5) == ["a b\nc d", "e f"]


def test_a_short_paragraph_is_not_filled_up_with_the_next() -> None:
    assert cut("a\n\nb c\nd e", 3) == ["a", "b c", "d e"]


def test_sentences_but_no_abbreviations_dates_or_references() -> None:
    assert cut("Er kam an. Sie ging. Es blieb", 4) == ["Er kam an.", "Sie ging. Es blieb"]
    assert cut("Das gilt z. B. Am 3. Oktober", 5) == ["Das gilt z. B. Am", "3. Oktober"]
    assert cut("Nach § 5 Abs. 2 Satz", 5) == ["Nach § 5 Abs. 2", "Satz"]
    assert cut("Sie rief: „Halt!“ Danach ging er", 5) == ["Sie rief: „Halt!“", "Danach ging er"]


def test_words_then_tokens() -> None:
    assert cut("a b c d e", 2) == ["a b", "c d", "e"]
    tokens = [chunk.text for chunk in Recursive(2, 0)(markdown("Xylophonquatsch"), word_pieces())]
    assert len(tokens) > 1
    assert "".join(tokens) == "Xylophonquatsch"


def test_overlap_begins_at_the_coarsest_boundary_that_keeps_half_of_it() -> None:
    # Four tokens may be repeated: "d e f g"; from the line at "f" on it is two of four, so "f g" is repeated.
    assert cut("a b c d e\nf g\nh i j k l", 7, 4) == ["a b c d e\nf g", "f g\nh i j k l"]
    # From the line at "g" on it would be one of four: the sentence at "E" keeps three.
    assert cut("a b cc dd. E f\ng\n\nh i j", 7, 4) == ["a b cc dd. E f\ng", "E f\ng\n\nh i j"]


def test_context_is_empty() -> None:
    assert {chunk.context for chunk in Recursive(2, 1)(markdown("# A\nb c d"), Words())} == {""}


def test_long_blank_stretches_take_no_quadratic_time() -> None:
    assert cut("Er kam an." + " " * 200_000 + "dann.", 3) == ["Er kam an.", "dann."]
