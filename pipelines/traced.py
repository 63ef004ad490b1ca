"""Questions with all that happened to them, for people who want to see why one failed (`tracking.traces`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from omegaconf import DictConfig

from evaluation.causes import REMEDY
from evaluation.records import Evidence
from evaluation.relevance import lies_in
from pipelines import judging, stages
from pipelines.tracking import Step, Traced
from rag.errors import InputError
from rag.records import Hit

LEVELS = ("none", "failures", "all")
SHOWN = 10  # passages of each list; below them only those with evidence
LONGEST = 300  # characters of a passage


def check_traces(level: object) -> None:
    """Raises InputError for a level that there is not."""
    if level not in LEVELS:
        raise InputError(f"tracking.traces={level}: must be one of {', '.join(LEVELS)}")


def traced(cfg: DictConfig, rows: Sequence[Mapping[str, Any]]) -> list[Traced]:
    """The questions that `tracking.traces` wants. `rows`: those of `questions.json`, in the order of the questions."""
    wanted = {"none": [], "failures": [n for n, row in enumerate(rows) if _failed(row)], "all": list(range(len(rows)))}
    return [_question(cfg, n, rows[n]) for n in wanted[cfg.tracking.traces]]


def _failed(row: Mapping[str, Any]) -> bool:
    return row["label"] != "correct" or bool(row["error"])


def _question(cfg: DictConfig, n: int, row: Mapping[str, Any]) -> Traced:
    question, answer = stages.golden(cfg).questions[n], stages.answers(cfg)[n]
    evidence, judge = stages.golden(cfg).evidence[question.id], judging.judge(cfg)
    asked = {"question": question.question, "groups": list(question.groups)}
    passages = [hit.chunk.id for hit in stages.rankings(cfg)[n][: cfg.retrieval.top_k]]
    said = {"answer": answer.text, "declined": answer.declined, "cited": row["cited"], "error": answer.error}
    compared = {
        "question": question.question,
        "expected_answer": question.expected_answer,
        "answerable": question.answerable,
        "answer": answer.text,
    }
    steps = (
        _retrieve(cfg, n, evidence, asked),
        *_rerank(cfg, n, evidence),
        Step("answer", "LLM" if "model" in cfg.generator else "CHAIN", {**asked, "passages": passages}, said),
        Step(
            "judge",
            "EVALUATOR",
            compared,
            {"label": row["label"], "reason": row.get("reason", ""), "error": row["error"]},
        ),
    )
    inputs = {**asked, "expected_answer": question.expected_answer, "references": row["references"]}
    tags = {"question": question.id, "category": question.category, "label": row["label"] or "", "cause": row["cause"]}
    return Traced(
        Step(question.id, "CHAIN", inputs, {"answer": answer.text, "cited": row["cited"]}, steps),
        row["label"],
        row.get("reason", "") or (f"{row['cause']}: {REMEDY[row['cause']]}" if row["cause"] else ""),
        row["error"],
        judge.name,
        "model" in cfg.judge,
        {key: value for key, value in tags.items() if value},
    )


def _retrieve(cfg: DictConfig, n: int, evidence: Sequence[Evidence], asked: Mapping[str, Any]) -> Step:
    """The fused list, with the lists that it was made of below it."""
    found = stages.candidates(cfg)[n]
    lists = [(name, hits) for name, hits in (("dense", found.dense), ("bm25", found.bm25)) if hits is not None]
    inner = tuple(Step(name, "RETRIEVER", asked, _documents(hits, evidence)) for name, hits in lists)
    return Step("retrieve", "RETRIEVER", asked, _documents(found.fused, evidence), inner)


def _rerank(cfg: DictConfig, n: int, evidence: Sequence[Evidence]) -> tuple[Step, ...]:
    """The new order, each passage with its rank before; nothing without a reranker."""
    model = stages.reranker(cfg)
    if model is None:
        return ()
    before = stages.candidates(cfg)[n].fused
    ranks = {hit.chunk.id: hit.rank for hit in before}
    new = _documents(stages.rankings(cfg)[n], evidence)
    for document in new:
        document["metadata"]["rank_before"] = ranks[document["id"]]
    return (Step("rerank", "RERANKER", {"passages": [hit.chunk.id for hit in before[: model.depth]]}, new),)


def _documents(hits: Sequence[Hit], evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    """The best passages and all that hold evidence, as MLflow shows documents."""
    marked = [(hit, any(lies_in(hit.chunk, unit) for unit in evidence)) for hit in hits]
    return [
        {
            "id": hit.chunk.id,
            "page_content": hit.chunk.text[:LONGEST] + ("…" if len(hit.chunk.text) > LONGEST else ""),
            "metadata": {
                "doc_uri": hit.chunk.document,
                "rank": hit.rank,
                "score": round(hit.score, 4),
                "evidence": holds,
            },
        }
        for hit, holds in marked
        if hit.rank <= SHOWN or holds
    ]
