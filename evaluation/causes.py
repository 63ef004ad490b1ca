"""Why a question failed: the first stage at which evidence that it needed was lost."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluation.records import Evidence, Label
from evaluation.relevance import TAU, found_rank
from rag.records import Hit

Cause = Literal[
    "document_missing",
    "cut_apart",
    "not_a_candidate",
    "lost_in_fusion",
    "lost_by_reranker",
    "cut_by_top_k",
    "answered_badly",
    "should_have_declined",
]
TopCause = Literal[
    "document_missing_or_outdated", "retrieval_missed", "had_the_passage_answered_badly", "should_have_declined"
]

STAGES: tuple[Cause, ...] = (
    "document_missing",
    "cut_apart",
    "not_a_candidate",
    "lost_in_fusion",
    "lost_by_reranker",
    "cut_by_top_k",
)
"""The causes that lose evidence, in the order in which a question walks down them."""

TOP_CAUSE: dict[Cause, TopCause] = {
    "document_missing": "document_missing_or_outdated",
    "cut_apart": "retrieval_missed",
    "not_a_candidate": "retrieval_missed",
    "lost_in_fusion": "retrieval_missed",
    "lost_by_reranker": "retrieval_missed",
    "cut_by_top_k": "retrieval_missed",
    "answered_badly": "had_the_passage_answered_badly",
    "should_have_declined": "should_have_declined",
}

REMEDY: dict[Cause, str] = {
    "document_missing": "Add or update the document, and check that the asking person's groups may read it.",
    "cut_apart": "Cut at headings, use larger chunks or more overlap, and keep tables whole.",
    "not_a_candidate": "Compare another embedding model and BM25 analysis (stems, compounds), check that query and "
    "passage get the prefixes the model wants, and only then raise the depth.",
    "lost_in_fusion": "Weigh the list that had the passage more, or let more fused candidates through.",
    "lost_by_reranker": "Blend the reranker's score with the dense score, try another reranker, or leave it out.",
    "cut_by_top_k": "Raise top_k or the reranker's depth, or add a reranker that lifts the passage.",
    "answered_badly": "The passage was there: change the prompt, the generator or the threshold for declining, or cut "
    "the noise around the passage.",
    "should_have_declined": "Raise the threshold below which the system declines, and tell the generator to decline "
    "when the passages do not answer.",
}


@dataclass(frozen=True, slots=True)
class Stages:
    """What retrieval handed on for one question, every list best first.

    `lists`: the first-stage lists (dense, BM25, or both). `candidates`: the fused list, cut to its depth; with one list
    only, that list. `reranked`: the order after the reranker, None without one. The best `top_k` went on.
    """

    lists: tuple[Sequence[Hit], ...]
    candidates: Sequence[Hit]
    reranked: Sequence[Hit] | None
    top_k: int

    @property
    def final(self) -> Sequence[Hit]:
        return (self.candidates if self.reranked is None else self.reranked)[: self.top_k]


def lost_evidence(
    evidence: Iterable[Evidence],
    stages: Stages,
    readable: Collection[str],
    cut_apart: Collection[Evidence],
    tau: float = TAU,
) -> dict[Evidence, Cause | None]:
    """For each distinct unit the stage that lost it, None where the final top k find it in a current document.

    `readable`: ids of the documents in the corpus that are up to date and that the asking person may read.
    `cut_apart`: units that no single chunk of the index finds (`relevance.cut_apart`).
    """
    return {unit: _lost_at(unit, stages, readable, cut_apart, tau) for unit in evidence}


def failure_cause(answerable: bool, label: Label, lost: dict[Evidence, Cause | None]) -> Cause | None:
    """The one cause of a question's failure, None for a `correct` one. `lost`: what `lost_evidence` returned.

    Of several lost units the one lost earliest decides. An answerable question whose references were dropped as
    unresolvable has no evidence: its document counts as missing.
    """
    if label == "correct":
        return None
    if not answerable:
        return "should_have_declined"
    if not lost:
        return "document_missing"
    causes = set(lost.values())
    return next((stage for stage in STAGES if stage in causes), "answered_badly")


def count_causes(causes: Iterable[Cause | None]) -> list[tuple[Cause, int]]:
    """Failures per cause, the most frequent first; ties in the order of the stages."""
    counts = Counter(cause for cause in causes if cause is not None)
    return sorted(((cause, counts[cause]) for cause in TOP_CAUSE if cause in counts), key=lambda pair: -pair[1])


def waterfall(lost: Iterable[dict[Evidence, Cause | None]]) -> list[tuple[Cause | None, int]]:
    """Units of evidence left after each stage, starting with all of them (stage None), over all questions given.

    Unlike `count_causes` this counts evidence, also that of questions answered correctly without some of it.
    """
    losses = Counter(cause for of_question in lost for cause in of_question.values())
    left = losses.total()
    steps: list[tuple[Cause | None, int]] = [(None, left)]
    for stage in STAGES:
        left -= losses[stage]
        steps.append((stage, left))
    return steps


def _lost_at(
    unit: Evidence, stages: Stages, readable: Collection[str], cut_apart: Collection[Evidence], tau: float
) -> Cause | None:
    def finds(hits: Iterable[Hit]) -> bool:
        return found_rank(unit, (hit.chunk for hit in hits), tau) is not None

    # First, as an outdated document may well be retrieved.
    if unit.document not in readable:
        return "document_missing"
    if finds(stages.final):
        return None
    if unit in cut_apart:
        return "cut_apart"
    if not finds(hit for hits in stages.lists for hit in hits):
        return "not_a_candidate"
    if not finds(stages.candidates):
        return "lost_in_fusion"
    if finds(stages.candidates[: stages.top_k]):
        return "lost_by_reranker"
    return "cut_by_top_k"
