"""All numbers of one point: per question, as means, and as the stages at which evidence was lost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from omegaconf import DictConfig

from evaluation.causes import REMEDY, TOP_CAUSE, Cause, Stages, count_causes, failure_cause, lost_evidence, waterfall
from evaluation.judging.ragas import summary
from evaluation.means import Mean, mean_measures
from evaluation.measures import cutoff_measures, question_measures
from evaluation.pictures import waterfall_figure
from evaluation.reading import reading
from evaluation.records import Evidence, Label, Question
from evaluation.relevance import Relevance, cut_apart, relevance, unreachable
from pipelines import guide, judging, lengths, stages
from pipelines.cost import cost
from pipelines.index_recall import index_recall
from pipelines.memo import stage
from rag.records import Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = ("correct", "partly", "wrong", "declined")
OVERALL_ONLY = ("char_", "map")  # not repeated for every category, where they would crowd the rest out


@dataclass(frozen=True, slots=True)
class Measured:
    """Metrics of a point, one row a question, and the two things that a person looks at first."""

    metrics: dict[str, float]
    rows: list[dict[str, Any]]
    waterfall: "Figure"
    note: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One question: `values` are its retrieval measures, empty where it has no evidence to find.

    `label` None: it failed, its row says why.
    """

    question: Question
    label: Label | None
    cause: Cause | None
    lost: dict[Evidence, Cause | None]
    values: dict[str, float]
    context_tokens: int
    row: dict[str, Any]


def measure(cfg: DictConfig) -> Measured:
    """Measure retrieval and answers of a point."""
    split, missed = _cut_units(cfg)
    outcomes = _outcomes(cfg, split)
    causes = [outcome.cause for outcome in outcomes]
    counted, steps = count_causes(causes), waterfall(outcome.lost for outcome in outcomes)
    groups = Counter(TOP_CAUSE[cause] for cause in causes if cause)
    reranker_score = stages.reranker_score_at_top_k(cfg)
    scores = judging.scores(cfg)
    n_failed = sum(bool(outcome.row["error"]) for outcome in outcomes)
    metrics = {
        **_flat(mean_measures([(o.question, o.values) for o in outcomes if o.values]), "n_retrieval"),
        **_flat(mean_measures([(o.question, _indicators(o.label)) for o in outcomes if o.label]), "n_labels"),
        "n_failed": float(n_failed),
        "coverage": 1 - n_failed / len(outcomes),
        **({} if scores is None else summary(stages.golden(cfg).questions, scores)),
        **_flat(mean_measures(judging.passage_relevance(cfg)), "n_passage_relevance"),
        **cost(cfg, stages.answers(cfg), judging.labels(cfg)),
        "context_tokens": sum(outcome.context_tokens for outcome in outcomes) / len(outcomes),
        **index_recall(cfg),
        "chunks": float(len(stages.chunks(cfg))),
        "chunks_truncated": float(lengths.truncated_chunks(cfg)),
        "pairs_truncated": float(lengths.truncated_pairs(cfg)),
        "units_unreachable": float(len(missed)),
        "golden_skipped": float(stages.golden(cfg).skipped),
        "decline_threshold": stages.threshold(cfg),
        **{f"failures.{group}": float(groups[group]) for group in TOP_CAUSE.values()},
        **{f"cause.{cause}": float(n) for cause, n in counted},
        **{f"evidence_left.{stage or 'all'}": float(left) for stage, left in steps},
        **({} if reranker_score is None else {"reranker_score_at_top_k": reranker_score}),
    }
    return Measured(
        metrics, [outcome.row for outcome in outcomes], waterfall_figure(steps), _note(metrics, outcomes, counted)
    )


@stage(*stages.CUT, "golden", "measures")
def _cut_units(cfg: DictConfig) -> tuple[set[Evidence], set[Evidence]]:
    """The units of evidence that no single chunk finds, and those that not even all chunks find together."""
    units = {unit for evidence in stages.golden(cfg).evidence.values() for unit in evidence}
    chunks, tau = stages.chunks(cfg), cfg.measures.tau
    return cut_apart(units, chunks, tau), unreachable(units, chunks, tau)


def _outcomes(cfg: DictConfig, split_units: set[Evidence]) -> list[_Outcome]:
    golden, documents = stages.golden(cfg), stages.corpus(cfg).documents
    top_k, tau, tokens = cfg.retrieval.top_k, cfg.measures.tau, lengths.context_tokens(cfg)
    at_top_k = {} if top_k in cfg.measures.ks else _at_top_k(cfg)
    reranks = stages.reranker(cfg) is not None
    judged, columns, measured = judging.labels(cfg), judging.columns(cfg), retrieval_measures(cfg)
    readable = {groups: _readable(documents, groups) for groups in {question.groups for question in golden.questions}}
    parts = (golden.questions, stages.candidates(cfg), stages.rankings(cfg), stages.answers(cfg), judged, columns)
    outcomes = []
    for question, found, ranking, answer, judgement, judged_columns in zip(*parts, strict=True):
        label = judgement.label
        context = sum(tokens[hit.chunk.id] for hit in ranking[:top_k])
        evidence = golden.evidence[question.id]
        if values := measured.get(question.id, {}):
            values = {**at_top_k.get(question.id, {}), **values}
            own = ("recall", "precision", "hit_rate", "ndcg")  # under names that all points share
            values = values | {f"{name}_at_top_k": values[f"{name}_at_{top_k}"] for name in own}
        lists = tuple(hits for hits in (found.dense, found.bm25) if hits is not None)
        walked = Stages(lists, found.fused, ranking if reranks else None, top_k)
        lost = lost_evidence(evidence, walked, readable[question.groups], split_units, tau)
        cause = failure_cause(question.answerable, label, lost) if label else None
        row = {
            "id": question.id,
            "question": question.question,
            "category": question.category,
            "difficulty": question.difficulty,
            "answerable": question.answerable,
            "label": label,
            "cause": cause or "",
            "cause_group": TOP_CAUSE[cause] if cause else "",
            "answer": answer.text,
            "expected_answer": question.expected_answer,
            "cited": list(dict.fromkeys(ranking[number - 1].chunk.document for number in answer.citations)),
            "references": [f"{unit.document}:{unit.start}-{unit.end}" for unit in evidence],
            "retrieved": [hit.chunk.id for hit in ranking[:top_k]],
            "reciprocal_rank": values.get("mrr"),
            "recall": values.get("recall_at_top_k"),
            **judged_columns,
        }
        outcomes.append(_Outcome(question, label, cause, lost, values, context, row))
    return outcomes


@stage(*stages.RANKED, "measures")
def judged_rankings(cfg: DictConfig) -> dict[str, Relevance]:
    """How the whole ranking meets the evidence, by question id, of the questions that have evidence to find."""
    golden, tau = stages.golden(cfg), cfg.measures.tau
    return {
        question.id: relevance(golden.evidence[question.id], [hit.chunk for hit in ranking], tau)
        for question, ranking in zip(golden.questions, stages.rankings(cfg), strict=True)
        if golden.evidence[question.id]
    }


@stage(*stages.RANKED, "measures")
def retrieval_measures(cfg: DictConfig) -> dict[str, dict[str, float]]:
    """The measures at the configured cut-offs by question id, of the answerable ones that have evidence to find."""
    golden, tokens, measures = stages.golden(cfg), lengths.context_tokens(cfg), cfg.measures
    ks, budgets, tau, judged = list(measures.ks), list(measures.token_budgets), measures.tau, judged_rankings(cfg)
    found = {}
    for question, ranking in zip(golden.questions, stages.rankings(cfg), strict=True):
        if question.answerable and question.id in judged:
            costs, own = [tokens[hit.chunk.id] for hit in ranking], golden.evidence[question.id]
            found[question.id] = question_measures(
                own, ranking, costs, ks=ks, budgets=budgets, tau=tau, judged=judged[question.id]
            )
    return found


def _at_top_k(cfg: DictConfig) -> dict[str, dict[str, float]]:
    """The measures at the point's own top_k, by question id."""
    golden, top_k, judged = stages.golden(cfg), cfg.retrieval.top_k, judged_rankings(cfg)
    return {
        question.id: cutoff_measures(
            golden.evidence[question.id], [hit.chunk for hit in passages], judged[question.id], [top_k]
        )
        for question, passages in zip(golden.questions, stages.contexts(cfg), strict=True)
        if question.id in judged
    }


def _indicators(label: Label) -> dict[str, float]:
    return {name: float(name == label) for name in LABELS}


def _flat(means: Mapping[str, Mean], n_name: str) -> dict[str, float]:
    """Means by name. All measures of a part of the golden set share their n, which is logged once beside them."""
    flat = {}
    for name, mean in means.items():
        measure, dot, part = name.partition(".")
        if not (dot and measure.startswith(OVERALL_ONLY)):
            flat[name] = mean.value
            flat[f"{n_name}{dot}{part}"] = float(mean.n)
    return flat


def _readable(documents: Mapping[str, Document], groups: tuple[str, ...]) -> set[str]:
    return {document.id for document in documents.values() if document.readable_by(groups)}


def _note(metrics: Mapping[str, float], outcomes: Sequence[_Outcome], counted: Sequence[tuple[Cause, int]]) -> str:
    """The run's description: what to change first, and where the failures come from."""
    table = [f"| {cause} | {n} | {TOP_CAUSE[cause]} | {REMEDY[cause]} |" for cause, n in counted]
    head = ["| Cause | Questions | Kind | What usually helps |", "|---|---|---|---|"]
    lines = head + table if table else ["Every label is `correct`."]
    if metrics["n_failed"]:
        lines = [f"**{metrics['n_failed']:.0f} questions failed**: `error` in questions.json.", "", *lines]
    unanswerable = [outcome.label for outcome in outcomes if not outcome.question.answerable and outcome.label]
    if answered := unanswerable.count("wrong"):
        advice = "what declining costs: python -m pipelines.threshold"
        lines = [f"{answered} of {len(unanswerable)} questions without an answer were answered; {advice}", "", *lines]
    answerable = [outcome for outcome in outcomes if outcome.question.answerable and outcome.label]
    if "recall_at_top_k" in metrics and answerable:
        advice = reading(
            recall=metrics["recall_at_top_k"],
            precision=metrics["precision_at_top_k"],
            mrr=metrics["mrr"],
            correct=sum(outcome.label == "correct" for outcome in answerable) / len(answerable),
        )
        lines = [advice, "", *lines]
    return "\n".join([*lines, "", guide.POINT])
