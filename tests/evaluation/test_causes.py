from typing import get_args

import pytest

from evaluation.causes import (
    REMEDY,
    STAGES,
    TOP_CAUSE,
    Cause,
    Stages,
    TopCause,
    count_causes,
    failure_cause,
    lost_evidence,
    waterfall,
)
from evaluation.records import Evidence
from rag.records import Chunk, Hit

READABLE = {"urlaub"}
UNIT = Evidence("urlaub", 0, 100, "section")
OTHER = Evidence("urlaub", 100, 200, "section")
GOLD = Chunk("urlaub", 0, 100, "", "urlaub#s1")
OTHER_GOLD = Chunk("urlaub", 100, 200, "", "urlaub#s2")
NOISE = [Chunk("urlaub", at, at + 100, "", "urlaub#s3") for at in range(300, 900, 100)]


def hits(*chunks: Chunk) -> list[Hit]:
    return [Hit(chunk, rank, -rank) for rank, chunk in enumerate(chunks, start=1)]


def stages(
    dense: list[Chunk], bm25: list[Chunk], fused: list[Chunk], reranked: list[Chunk] | None, top_k: int = 2
) -> Stages:
    return Stages((hits(*dense), hits(*bm25)), hits(*fused), None if reranked is None else hits(*reranked), top_k)


A, B, C, *_ = NOISE
NEVER = stages([A, B], [C], [A, B, C], None)
FUSED_AWAY = stages([A, GOLD], [B, C], [A, B, C], None)
RERANKED_DOWN = stages([GOLD], [A], [GOLD, A, B, C], [A, B, GOLD, C])
BELOW_TOP_K = stages([GOLD], [A], [A, B, C, GOLD], [A, B, GOLD, C])
BELOW_RERANKER_DEPTH = stages([GOLD], [A], [A, B, C, GOLD], [C, A, B])
KEPT = stages([GOLD], [A], [A, GOLD], None)
LIFTED = stages([GOLD], [A], [A, B, C, GOLD], [GOLD, A, B, C])


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        (NEVER, "not_a_candidate"),
        (FUSED_AWAY, "lost_in_fusion"),
        (RERANKED_DOWN, "lost_by_reranker"),
        (BELOW_TOP_K, "cut_by_top_k"),
        (BELOW_RERANKER_DEPTH, "cut_by_top_k"),
        (stages([GOLD], [A], [A, B, C, GOLD], None), "cut_by_top_k"),
        (Stages((hits(A, B, GOLD),), hits(A, B, GOLD), None, 2), "cut_by_top_k"),  # dense only
        (Stages((hits(A, B),), hits(A, B), hits(B, A), 2), "not_a_candidate"),
        (KEPT, None),
        (LIFTED, None),
    ],
)
def test_the_first_stage_that_loses_the_evidence(path: Stages, cause: Cause | None) -> None:
    assert lost_evidence([UNIT], path, READABLE, set()) == {UNIT: cause}
    assert failure_cause(True, "wrong", {UNIT: cause}) == (cause or "answered_badly")


def test_missing_outdated_and_unreadable_documents_come_before_everything() -> None:
    # An outdated document is still retrieved: KEPT holds the passage.
    assert lost_evidence([UNIT], KEPT, set(), {UNIT}) == {UNIT: "document_missing"}


def test_cut_apart_matters_only_where_the_evidence_did_not_arrive() -> None:
    quote = Evidence("urlaub", 80, 120, "quote")  # half in GOLD, half in OTHER_GOLD
    one_half = Stages((hits(GOLD, A),), hits(GOLD, A), None, 2)
    both_halves = Stages((hits(GOLD, OTHER_GOLD),), hits(GOLD, OTHER_GOLD), None, 2)
    assert lost_evidence([quote], one_half, READABLE, {quote}) == {quote: "cut_apart"}
    assert lost_evidence([quote], both_halves, READABLE, {quote}) == {quote: None}


def test_a_quote_may_be_put_together_from_both_lists() -> None:
    quote = Evidence("urlaub", 80, 120, "quote")
    path = stages([GOLD], [OTHER_GOLD], [GOLD, A, B], None)
    assert lost_evidence([quote], path, READABLE, set()) == {quote: "lost_in_fusion"}


def test_of_two_lost_pieces_the_one_lost_earliest_decides() -> None:
    lost = lost_evidence([UNIT, OTHER], BELOW_TOP_K, READABLE, set())
    assert lost == {UNIT: "cut_by_top_k", OTHER: "not_a_candidate"}
    assert failure_cause(True, "partly", lost) == "not_a_candidate"
    assert failure_cause(True, "partly", {UNIT: None, OTHER: "cut_by_top_k"}) == "cut_by_top_k"


def test_questions_without_a_failure_and_without_an_answer() -> None:
    assert failure_cause(True, "correct", {UNIT: "not_a_candidate"}) is None
    assert failure_cause(False, "correct", {}) is None
    assert failure_cause(False, "wrong", {}) == "should_have_declined"
    assert failure_cause(True, "declined", {UNIT: None}) == "answered_badly"
    assert failure_cause(True, "wrong", {}) == "document_missing"


def test_counts_are_sorted_by_size() -> None:
    causes: list[Cause | None] = ["answered_badly", None, "cut_apart", "answered_badly", "document_missing"]
    assert count_causes(causes) == [("answered_badly", 2), ("document_missing", 1), ("cut_apart", 1)]


def test_the_waterfall_counts_evidence_down_to_what_arrived() -> None:
    steps = waterfall([{UNIT: None, OTHER: "cut_apart"}, {UNIT: "cut_by_top_k"}, {UNIT: "cut_apart"}, {}])
    assert steps == [
        (None, 4),
        ("document_missing", 4),
        ("cut_apart", 4 - 2),
        ("not_a_candidate", 2),
        ("lost_in_fusion", 2),
        ("lost_by_reranker", 2),
        ("cut_by_top_k", 2 - 1),
    ]


def test_every_cause_has_a_top_level_and_a_remedy() -> None:
    assert set(TOP_CAUSE) == set(REMEDY) == set(get_args(Cause))
    assert set(TOP_CAUSE.values()) == set(get_args(TopCause))
    assert set(get_args(Cause)) - set(STAGES) == {"answered_badly", "should_have_declined"}
