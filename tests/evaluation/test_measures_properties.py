"""What must hold for any text, any chunking and any evidence."""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.measures import question_measures
from evaluation.records import Evidence
from evaluation.relevance import relevance, unreachable
from rag.records import Chunk, Hit

unhurried = settings(deadline=None)  # a busy machine is no failure

KS = (1, 2, 3, 5, 8)
TEXTS = {"urlaub": 300, "reise": 40, "wartung": 1}


@st.composite
def evidence(draw: st.DrawFn) -> list[Evidence]:
    units = []
    for _ in range(draw(st.integers(1, 4))):
        document = draw(st.sampled_from(sorted(TEXTS)))
        start = draw(st.integers(0, TEXTS[document] - 1))
        end = draw(st.integers(start + 1, TEXTS[document]))
        units.append(Evidence(document, start, end, draw(st.sampled_from(["document", "section", "quote", "span"]))))
    return units


@st.composite
def chunking(draw: st.DrawFn) -> list[Chunk]:
    """Chunks of all texts without gaps, overlapping at random."""
    chunks = []
    for document, length in TEXTS.items():
        cuts = sorted({0, length, *draw(st.lists(st.integers(0, length), max_size=12))})
        for start, end in pairwise(cuts):
            first = max(0, start - draw(st.integers(0, 20)))
            chunks.append(Chunk(document, first, end, "x" * (end - first), f"{document}#s1"))
    return chunks


@st.composite
def rankings(draw: st.DrawFn) -> list[Hit]:
    chunks = draw(st.permutations(draw(chunking())))
    return as_ranking(chunks[: draw(st.integers(0, len(chunks)))])


def as_ranking(chunks: list[Chunk]) -> list[Hit]:
    return [Hit(chunk, rank, -rank) for rank, chunk in enumerate(chunks, start=1)]


def measures(units: list[Evidence], ranking: list[Hit], tau: float = 0.8) -> dict[str, float]:
    return question_measures(units, ranking, [100] * len(ranking), ks=KS, budgets=(150, 350, 1000), tau=tau)


@unhurried
@given(evidence(), rankings(), rankings())
def test_rechunking_changes_no_denominator(units: list[Evidence], one: list[Hit], other: list[Hit]) -> None:
    n = len(set(units))
    for values in (measures(units, one), measures(units, other)):
        for name, value in values.items():
            if name.startswith("recall"):
                assert value * n == pytest.approx(round(value * n), abs=1e-12)
    n_gold = len({(unit.document, at) for unit in units for at in range(unit.start, unit.end)})
    for ranking in (one, other):
        got = {(hit.chunk.document, at) for hit in ranking[:8] for at in range(hit.chunk.start, hit.chunk.end)}
        gold = {(unit.document, at) for unit in units for at in range(unit.start, unit.end)}
        values = measures(units, ranking)
        assert values["char_recall_at_8"] == len(got & gold) / n_gold
        assert values["char_precision_at_8"] == (len(got & gold) / len(got) if got else 0)
        assert values["char_iou_at_8"] == len(got & gold) / len(got | gold)


@unhurried
@given(evidence(), chunking())
def test_chunks_without_gaps_reach_everything(units: list[Evidence], chunks: list[Chunk]) -> None:
    assert unreachable(units, chunks, tau=1.0) == set()
    everything = question_measures(units, as_ranking(chunks), [1] * len(chunks), ks=(len(chunks),), tau=1.0)
    assert everything[f"recall_at_{len(chunks)}"] == 1


@unhurried
@given(evidence(), rankings(), st.floats(0.05, 1))
def test_recall_and_hit_rate_grow_with_k_and_everything_lies_in_the_unit_interval(
    units: list[Evidence], ranking: list[Hit], tau: float
) -> None:
    values = measures(units, ranking, tau)
    assert all(0 <= value <= 1 for value in values.values())
    for smaller, larger in pairwise(KS):
        for name in ("recall", "hit_rate", "char_recall"):
            assert values[f"{name}_at_{smaller}"] <= values[f"{name}_at_{larger}"]
    assert values["recall_at_150_tokens"] <= values["recall_at_350_tokens"] <= values["recall_at_1000_tokens"]


@unhurried
@given(evidence(), rankings(), st.floats(0.05, 1))
def test_the_measures_agree_on_whether_there_was_a_hit(units: list[Evidence], ranking: list[Hit], tau: float) -> None:
    values = measures(units, ranking, tau)
    for k in KS:
        hit = values[f"hit_rate_at_{k}"] == 1
        assert (values[f"recall_at_{k}"] > 0) is hit
        assert (values[f"precision_at_{k}"] > 0) is hit
        assert (values[f"ndcg_at_{k}"] > 0) is hit
        assert (values["mrr"] >= 1 / k) is hit


@unhurried
@given(evidence(), rankings(), st.data())
def test_duplicates_never_count_twice(units: list[Evidence], ranking: list[Hit], data: st.DataObject) -> None:
    assume(ranking)
    chunks = [hit.chunk for hit in ranking]
    repeated = data.draw(st.integers(0, len(chunks) - 1))
    longer = [*chunks, chunks[repeated]]
    k = len(longer)
    alone = question_measures(units, ranking, [1] * len(chunks), ks=(k,), budgets=())
    doubled = question_measures([*units, units[0]], as_ranking(longer), [1] * k, ks=(k,), budgets=())
    assert doubled.pop(f"precision_at_{k}") == pytest.approx(alone.pop(f"precision_at_{k}") * len(chunks) / k)
    assert doubled == alone


@unhurried
@given(evidence(), rankings())
def test_a_chunk_never_hits_before_it_is_there(units: list[Evidence], ranking: list[Hit]) -> None:
    judged = relevance(units, [hit.chunk for hit in ranking])
    assert all(since is None or since >= rank for rank, since in enumerate(judged.hit_from, start=1))
