"""All numbers of one point: per question, as means, and as the stages at which evidence was lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omegaconf import DictConfig

from evaluation.causes import REMEDY, TOP_CAUSE, Cause, Stages, count_causes, failure_cause, lost_evidence, waterfall
from evaluation.means import Mean, mean_measures
from evaluation.measures import question_measures
from evaluation.pictures import waterfall_figure
from evaluation.reading import reading
from evaluation.records import Evidence
from evaluation.relevance import cut_apart, unreachable
from pipelines import stages
from pipelines.cost import cost
from rag.records import Document

LABELS = ("correct", "partly", "wrong", "declined")
OVERALL_ONLY = ("char_", "map")  # not repeated for every category, where they would crowd the rest out


@dataclass(frozen=True, slots=True)
class Measured:
    metrics: dict[str, float]
    rows: list[dict[str, Any]]
    waterfall: Any
    note: str


def measure(cfg: DictConfig) -> Measured:
    """Measure retrieval and answers of a point; `rows` has one line a question."""
    golden, documents, chunks = stages.golden(cfg), stages.corpus(cfg).documents, stages.chunks(cfg)
    top_k, tau = cfg.retrieval.top_k, cfg.measures.tau
    ks = sorted({*cfg.measures.ks, top_k})
    units = {unit for evidence in golden.evidence.values() for unit in evidence}
    split_units = cut_apart(units, chunks, tau)
    tokens = stages.context_tokens(cfg)

    rows, retrieval, labelled, losses, causes = [], [], [], [], []
    context: list[int] = []
    per_question = zip(
        golden.questions,
        stages.candidates(cfg),
        stages.rankings(cfg),
        stages.answers(cfg),
        stages.labels(cfg),
        strict=True,
    )
    for question, found, ranking, answer, label in per_question:
        evidence = golden.evidence[question.id]
        costs = [tokens[hit.chunk.id] for hit in ranking]
        context.append(sum(costs[:top_k]))
        if label:
            labelled.append((question, {name: float(name == label) for name in LABELS}))
        values = {}
        if evidence and question.answerable:
            values = question_measures(evidence, ranking, costs, ks=ks, budgets=cfg.measures.token_budgets, tau=tau)
            for name in ("recall", "precision", "hit_rate", "ndcg"):
                values[f"{name}_at_top_k"] = values[f"{name}_at_{top_k}"]
            retrieval.append((question, values))
        lists = tuple(hits for hits in (found.dense, found.bm25) if hits is not None)
        walked = Stages(lists, found.fused, None if stages.reranker(cfg) is None else ranking, top_k)
        lost = lost_evidence(evidence, walked, _readable(documents, question.groups), split_units, tau)
        cause = failure_cause(question.answerable, label, lost) if label else None
        losses.append(lost)
        causes.append(cause)
        rows.append(
            {
                "id": question.id,
                "question": question.question,
                "category": question.category,
                "difficulty": question.difficulty,
                "answerable": question.answerable,
                "label": label,
                "cause": cause or "",
                "answer": answer.text,
                "error": answer.error,
                "expected_answer": question.expected_answer,
                "cited": [ranking[number - 1].chunk.document for number in answer.citations],
                "references": [_chunk_id(unit) for unit in evidence],
                "retrieved": [hit.chunk.id for hit in ranking[:top_k]],
                "reciprocal_rank": values.get("mrr"),
                "recall": values.get("recall_at_top_k"),
            }
        )

    counted, steps = count_causes(causes), waterfall(losses)
    answers = stages.answers(cfg)
    n_failed = sum(bool(answer.error) for answer in answers)
    metrics = {
        **_flat(mean_measures(retrieval), "n_retrieval"),
        **_flat(mean_measures(labelled), "n_labels"),
        "n_failed": float(n_failed),
        "coverage": 1 - n_failed / len(answers),
        **cost(cfg, answers),
        "context_tokens": sum(context) / len(context),
        "chunks": float(len(chunks)),
        "chunks_truncated": float(stages.truncated_chunks(cfg)),
        "pairs_truncated": float(stages.truncated_pairs(cfg)),
        "units_unreachable": float(len(unreachable(units, chunks, tau))),
        "golden_skipped": float(golden.skipped),
        "decline_threshold": stages.threshold(cfg),
        **{f"cause.{cause}": float(n) for cause, n in counted},
        **{f"evidence_left.{stage or 'all'}": float(left) for stage, left in steps},
    }
    return Measured(metrics, rows, waterfall_figure(steps), _note(metrics, counted))


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


def _chunk_id(unit: Evidence) -> str:
    return f"{unit.document}:{unit.start}-{unit.end}"


def _note(metrics: Mapping[str, float], counted: Sequence[tuple[Cause, int]]) -> str:
    """The run's description: what to change first, and where the failures come from."""
    failed = f"**{metrics['n_failed']:.0f} questions got no answer because of an error**: `error` in questions.json."
    if "correct" not in metrics:
        return failed
    advice = reading(
        recall=metrics["recall_at_top_k"],
        precision=metrics["precision_at_top_k"],
        mrr=metrics["mrr"],
        correct=metrics["correct"],
    )
    if metrics["n_failed"]:
        advice = f"{failed}\n\n{advice}"
    table = [f"| {cause} | {n} | {TOP_CAUSE[cause]} | {REMEDY[cause]} |" for cause, n in counted]
    head = ["| Cause | Questions | Kind | What usually helps |", "|---|---|---|---|"]
    return "\n".join([advice, "", *(head + table if table else ["No question failed."])])
