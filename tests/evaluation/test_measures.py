from math import log2

import pytest

from evaluation.measures import question_measures
from evaluation.records import Evidence
from rag.errors import InputError
from rag.records import Chunk, Hit

SECTION = Evidence("urlaub", 0, 100, "section")
OTHER_SECTION = Evidence("urlaub", 100, 200, "section")


def ranking(*spans: tuple[int, int]) -> list[Hit]:
    chunks = [Chunk("urlaub", start, end, "x" * (end - start), "urlaub#s1") for start, end in spans]
    return [Hit(chunk, rank, -rank) for rank, chunk in enumerate(chunks, start=1)]


def measures(
    evidence: list[Evidence], hits: list[Hit], ks: tuple[int, ...] = (1, 2, 4), tokens: int = 100
) -> dict[str, float]:
    return question_measures(evidence, hits, [tokens] * len(hits), ks=ks, budgets=(250, 1000))


def test_one_of_two_sections_found_at_rank_two() -> None:
    values = measures([SECTION, OTHER_SECTION], ranking((300, 400), (0, 100), (400, 500), (500, 600)))
    assert values["recall_at_1"] == 0
    assert values["recall_at_2"] == values["recall_at_4"] == 1 / 2
    assert values["precision_at_2"] == 1 / 2
    assert values["precision_at_4"] == 1 / 4
    assert (values["hit_rate_at_1"], values["hit_rate_at_2"]) == (0, 1)
    assert values["mrr"] == 1 / 2
    assert values["map"] == (1 / 2 + 0) / 2
    assert values["ndcg_at_4"] == pytest.approx((1 / log2(2 + 1)) / (1 / log2(1 + 1) + 1 / log2(2 + 1)), abs=1e-15)
    assert values["recall_at_250_tokens"] == 1 / 2  # two chunks of 100 tokens fit


def test_precision_divides_by_the_chunks_returned_not_by_k() -> None:
    values = measures([SECTION], ranking((0, 100), (300, 400)), ks=(2, 8))
    assert values["precision_at_2"] == 1 / 2
    assert values["precision_at_8"] == 1 / 2  # trec_eval and ir_measures say 1 / 8


def test_an_empty_ranking_is_zero_everywhere() -> None:
    assert set(measures([SECTION], []).values()) == {0.0}


def test_characters_that_several_chunks_share_count_once() -> None:
    # Retrieved: [50, 150) and [100, 250), together 200 characters, of which [50, 100) are gold.
    values = measures([SECTION], ranking((50, 150), (100, 250)), ks=(2,))
    assert values["char_recall_at_2"] == 50 / 100
    assert values["char_precision_at_2"] == 50 / 200
    assert values["char_iou_at_2"] == 50 / 250


def test_gold_characters_that_two_references_share_count_once() -> None:
    inside = Evidence("urlaub", 20, 60, "quote")
    values = measures([SECTION, inside], ranking((0, 50)), ks=(1,))
    assert values["char_recall_at_1"] == 50 / 100


def test_a_budget_takes_chunks_in_order_and_stops_at_the_first_that_does_not_fit() -> None:
    hits = ranking((300, 400), (400, 500), (0, 100))
    values = question_measures([SECTION], hits, [200, 900, 100], budgets=(500, 1199, 1200))
    assert values["recall_at_500_tokens"] == 0  # 200, then 1100 > 500: the third is not reached
    assert values["recall_at_1199_tokens"] == 0
    assert values["recall_at_1200_tokens"] == 1  # 200 + 900 + 100


def test_chunks_of_one_section_find_it_once() -> None:
    values = measures([SECTION, OTHER_SECTION], ranking((0, 50), (25, 75), (50, 100), (100, 200)))
    assert values["recall_at_2"] == 1 / 2
    assert values["precision_at_4"] == 4 / 4  # precision asks each chunk, not each unit
    assert values["map"] == (1 / 1 + 2 / 4) / 2
    assert values["ndcg_at_4"] == pytest.approx((1 + 1 / log2(4 + 1)) / (1 + 1 / log2(2 + 1)), abs=1e-15)


def test_a_chunk_that_finds_all_units_at_once_is_a_perfect_ranking() -> None:
    values = measures([SECTION, OTHER_SECTION], ranking((0, 200), (300, 400)))
    assert {values[name] for name in ("recall_at_1", "mrr", "map", "ndcg_at_1", "ndcg_at_2", "ndcg_at_4")} == {1.0}


def test_half_a_quote_is_no_hit_until_the_other_half_comes() -> None:
    values = measures([Evidence("urlaub", 80, 120, "quote")], ranking((0, 100), (300, 400), (100, 200)), ks=(1, 3))
    assert (values["precision_at_1"], values["hit_rate_at_1"], values["recall_at_1"]) == (0, 0, 0)
    assert (values["precision_at_3"], values["hit_rate_at_3"], values["recall_at_3"]) == (2 / 3, 1, 1)
    assert values["mrr"] == 1 / 3


def test_a_question_without_evidence_is_refused() -> None:
    with pytest.raises(InputError, match="without evidence"):
        question_measures([], ranking((0, 100)), [10])


@pytest.mark.parametrize(("ks", "tau"), [((0, 1), 0.8), ((1,), 0.0), ((1,), 1.1)])
def test_senseless_settings_are_refused(ks: tuple[int, ...], tau: float) -> None:
    with pytest.raises(InputError, match="tau in"):
        question_measures([SECTION], [], [], ks=ks, tau=tau)


def test_a_token_count_for_every_chunk_is_required() -> None:
    with pytest.raises(ValueError, match="1 token counts for a ranking of 2"):
        question_measures([SECTION], ranking((0, 100), (100, 200)), [10])


def test_the_worked_example_of_the_docs() -> None:
    hits = ranking((300, 400), (0, 100), (100, 200), (50, 150), (200, 300))
    values = measures([SECTION, Evidence("urlaub", 180, 220, "quote")], hits, ks=(2, 3, 5))
    assert (values["recall_at_2"], values["recall_at_3"], values["recall_at_5"]) == (1 / 2, 1 / 2, 2 / 2)
    assert (values["mrr"], values["recall_at_250_tokens"]) == (1 / 2, 1 / 2)
    assert (values["precision_at_3"], values["precision_at_5"]) == (1 / 3, 4 / 5)
    assert values["map"] == (1 / 2 + 2 / 5) / 2
    assert values["ndcg_at_5"] == pytest.approx((1 / log2(3) + 1 / log2(6)) / (1 + 1 / log2(3)), abs=1e-15)
    assert values["char_recall_at_2"] == 100 / 140
    assert values["char_precision_at_2"] == 100 / 200
    assert values["char_iou_at_2"] == 100 / 240
