"""Retrieval measures of one question. Formulas, conventions and a worked example: docs/measures.md.

Order-based measures follow trec_eval, where one chunk finds one unit; ir_measures agrees to the last digits.
Character-level measures: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import log2

from evaluation.records import Evidence
from evaluation.relevance import TAU, Relevance, relevance, union_length
from rag.errors import InputError
from rag.records import Chunk, Hit

KS = (1, 3, 5, 8, 10)
TOKEN_BUDGETS = (500, 1000, 2000, 4000)


def question_measures(
    evidence: Sequence[Evidence],
    ranking: Sequence[Hit],
    tokens: Sequence[int],
    *,
    ks: Sequence[int] = KS,
    budgets: Sequence[int] = TOKEN_BUDGETS,
    tau: float = TAU,
    judged: Relevance | None = None,
) -> dict[str, float]:
    """Every retrieval measure of one question, by a name that MLflow takes (`recall_at_8`, `mrr`, ...).

    `ranking` is best first; `tokens[i]` is what its i-th chunk costs in the generator's context. `judged`: its
    relevance, where that is known. All values lie in [0, 1] and an empty ranking has zeros.

    Raises InputError without evidence: such a question has no recall.
    """
    if not evidence:
        raise InputError("a question without evidence has no recall: measure only questions that have references")
    if any(k < 1 for k in ks) or not 0 < tau <= 1:
        raise InputError(f"ks must be 1 or more and tau in (0, 1]; got ks={list(ks)}, tau={tau}")
    if len(tokens) != len(ranking):
        raise ValueError(f"{len(tokens)} token counts for a ranking of {len(ranking)}")
    chunks = [hit.chunk for hit in ranking]
    judged = judged or relevance(evidence, chunks, tau)
    found, units = _ranks(judged.found), len(judged.found)
    totals = list(accumulate(tokens))
    return {
        "mrr": 1 / found[0] if found else 0.0,
        "map": average_precision(found, units),
        **cutoff_measures(evidence, chunks, judged, ks),
        **{f"recall_at_{budget}_tokens": _within(found, _within(totals, budget)) / units for budget in budgets},
    }


def cutoff_measures(
    evidence: Sequence[Evidence], chunks: Sequence[Chunk], judged: Relevance, ks: Sequence[int]
) -> dict[str, float]:
    """The measures that look at the first k chunks. `judged`: the relevance of these chunks, and of any after them."""
    found, hits, units = _ranks(judged.found), _ranks(judged.hit_from), len(judged.found)
    values = {}
    for k in ks:
        values[f"recall_at_{k}"] = _within(found, k) / units
        values[f"precision_at_{k}"] = _share(_within(hits, k), len(chunks[:k]))
        values[f"hit_rate_at_{k}"] = float(_within(found, k) > 0)
        values[f"ndcg_at_{k}"] = ndcg(found, units, k)
        recall, precision, iou = character_measures(evidence, chunks[:k])
        values[f"char_recall_at_{k}"] = recall
        values[f"char_precision_at_{k}"] = precision
        values[f"char_iou_at_{k}"] = iou
    return values


def ndcg(found: Sequence[int], units: int, k: int) -> float:
    """Binary nDCG at k over units: each unit gains once, at the rank that finds it. `found`: sorted ranks.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (TOIS 2002), log base 2.
    """
    gained = sum(1 / log2(rank + 1) for rank in _one_a_rank(found) if rank <= k)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(units, k) + 1))
    return gained / ideal


def average_precision(found: Sequence[int], units: int) -> float:
    """Mean over all units of (units found so far) / (rank that finds the unit); an unfound unit adds 0."""
    return sum(count / rank for count, rank in enumerate(_one_a_rank(found), start=1)) / units


def character_measures(evidence: Sequence[Evidence], chunks: Sequence[Chunk]) -> tuple[float, float, float]:
    """Recall, precision and intersection over union of retrieved and gold characters, each counted once."""
    gold = [(unit.document, unit.start, unit.end) for unit in evidence]
    retrieved = [(chunk.document, chunk.start, chunk.end) for chunk in chunks]
    n_gold, n_retrieved, n_either = union_length(gold), union_length(retrieved), union_length(gold + retrieved)
    n_both = n_gold + n_retrieved - n_either
    return _share(n_both, n_gold), _share(n_both, n_retrieved), _share(n_both, n_either)


def _one_a_rank(found: Sequence[int]) -> list[int]:
    # A chunk may find several units at once; the j-th unit then counts at rank j at best, as in the ideal ranking.
    return [max(rank, count) for count, rank in enumerate(found, start=1)]


def _ranks(ranks: Sequence[int | None]) -> list[int]:
    """Those that are not never, in order."""
    return sorted(rank for rank in ranks if rank is not None)


def _within(numbers: Sequence[int], most: int) -> int:
    """How many of these numbers, in order, are not above it."""
    return bisect_right(numbers, most)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
