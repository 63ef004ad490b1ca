import pytest

from evaluation.records import Evidence
from evaluation.relevance import cut_apart, found_rank, lies_in, relevance, union_length, unreachable
from rag.records import Chunk


def chunk(start: int, end: int, document: str = "urlaub") -> Chunk:
    return Chunk(document, start, end, "x" * (end - start), f"{document}#s1")


def section(start: int, end: int, document: str = "urlaub") -> Evidence:
    return Evidence(document, start, end, "section")


def quote(start: int, end: int, document: str = "urlaub") -> Evidence:
    return Evidence(document, start, end, "quote")


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        (100, 200, True),  # the section itself
        (120, 130, True),  # a small chunk inside it
        (0, 1000, True),  # a large chunk around it: all of the section
        (150, 1000, True),  # 50 of the section's 100 characters
        (151, 1000, False),  # 49 of 100, and 49 of the chunk's 849
        (190, 210, True),  # 10 of the chunk's 20
        (189, 212, False),  # 11 of 23 and 11 of 100
        (200, 210, False),  # touches only
        (150, 150, False),  # an empty chunk holds nothing
    ],
)
def test_a_chunk_lies_in_a_section_by_half_of_either(start: int, end: int, inside: bool) -> None:
    assert lies_in(chunk(start, end), section(100, 200)) is inside
    assert not lies_in(chunk(start, end, "anderes"), section(100, 200))


def test_a_quote_is_found_by_the_union_of_the_first_chunks() -> None:
    ranking = [chunk(0, 50), chunk(0, 50), chunk(40, 79), chunk(70, 80), chunk(0, 100)]
    assert found_rank(quote(0, 100), ranking) == 4  # 50, 50, 79, then 80 of 100 characters
    assert found_rank(quote(0, 100), ranking, tau=0.5) == 1
    assert found_rank(quote(0, 100), ranking, tau=0.81) == 5
    assert found_rank(quote(0, 100, "anderes"), ranking) is None


def test_a_share_of_exactly_tau_is_enough_whatever_floats_do() -> None:
    assert 0.55 * 100 > 55
    assert found_rank(quote(0, 100), [chunk(0, 55)], tau=0.55) == 1


def test_sections_are_never_put_together_from_small_touches() -> None:
    touches = [chunk(0, 120), chunk(180, 300)]  # 20 of 100 at either end
    assert found_rank(section(100, 200), touches) is None
    assert relevance([section(100, 200)], touches).hit_from == (None, None)


def test_pieces_of_a_quote_are_hits_once_the_quote_is_found() -> None:
    # 30 + 70 of 100 characters; either chunk is mostly other text.
    judged = relevance([quote(1000, 1100)], [chunk(0, 1030), chunk(5000, 5100), chunk(1030, 2000)])
    assert judged.found == (3,)
    assert judged.hit_from == (3, None, 3)


def test_a_chunk_that_touches_one_character_is_no_hit() -> None:
    judged = relevance([quote(1000, 1100)], [chunk(0, 1001), chunk(1001, 2000)])
    assert judged.found == (2,)
    assert judged.hit_from == (None, 2)


def test_of_two_pieces_with_the_same_characters_the_earlier_is_needed() -> None:
    judged = relevance([quote(1000, 1100)], [chunk(0, 1045), chunk(500, 1044), chunk(1045, 2000)])
    assert judged.hit_from == (3, None, 3)


def test_a_chunk_is_a_hit_of_the_unit_found_first() -> None:
    # The chunk lies in both; the quote is complete at rank 2 only, the section is found at once.
    judged = relevance([quote(0, 100), section(0, 60)], [chunk(0, 60), chunk(60, 100)])
    assert judged.found == (2, 1)
    assert judged.hit_from == (1, 2)


def test_repeated_evidence_is_one_unit_and_a_repeated_chunk_one_hit() -> None:
    judged = relevance([section(0, 10), section(0, 10)], [chunk(0, 10), chunk(0, 10)])
    assert judged.found == (1,)
    assert judged.hit_from == (1, None)


@pytest.mark.parametrize("kind", ["document", "section", "quote", "span"])
def test_empty_evidence_is_unreachable(kind: str) -> None:
    empty = Evidence("leer", 0, 0, kind)  # type: ignore[arg-type]
    assert unreachable([empty], [chunk(0, 10, "leer"), chunk(0, 0, "leer")]) == {empty}


def test_unreachable_is_stricter_than_cut_apart() -> None:
    whole, halved, gone = quote(0, 50), quote(80, 120), quote(290, 330)
    chunks = [chunk(0, 100), chunk(100, 200), chunk(200, 300)]  # nothing from 300 on: 10 of 40 characters left
    assert cut_apart([whole, halved, gone], chunks) == {halved, gone}
    assert unreachable([whole, halved, gone], chunks) == {gone}


def test_union_length_counts_overlaps_once_and_keeps_documents_apart() -> None:
    assert union_length([("b", 0, 5), ("a", 0, 10), ("a", 5, 15), ("a", 2, 3), ("a", 20, 25)]) == 15 + 5 + 5
    assert union_length([]) == 0
