"""The stages after the answers: a label for each, and the scores of RAGAS where it is the judge."""

from typing import Any

from omegaconf import DictConfig

from evaluation.judges import Judge, Judgement
from evaluation.judging import RagasJudge
from evaluation.judging.ragas import Sample, Scored
from evaluation.labels import is_judged, label_all
from pipelines import stages
from pipelines.config import assemble
from pipelines.memo import stage
from pipelines.progress import working


@stage("judge")
def judge(cfg: DictConfig) -> Any:
    return assemble(cfg.judge, cache=stages.model_cache())


@stage(*stages.ANSWERED, "judge")
def labels(cfg: DictConfig) -> list[Judgement]:
    """A label for each question; none where the answer or its judging failed."""
    return labelled_by(cfg, judge(cfg))


def labelled_by(cfg: DictConfig, by: Judge) -> list[Judgement]:
    found, given = stages.golden(cfg), stages.answers(cfg)
    cited = [
        {hits[number - 1].chunk.document for number in answer.citations}
        for answer, hits in zip(given, stages.rankings(cfg), strict=True)
    ]
    pairs = zip(found.questions, given, strict=True)
    texts = [question.expected_answer + answer.text for question, answer in pairs if is_judged(question, answer)]
    with working("judging", texts) as progress:
        return label_all(found.questions, given, cited, found.evidence, by, progress)


@stage(*stages.ANSWERED, "judge")
def scores(cfg: DictConfig) -> list[Scored] | None:
    """The RAGAS scores of each question; None where the judge gives labels alone."""
    return scored_by(cfg, judge(cfg)) if isinstance(judge(cfg), RagasJudge) else None


def scored_by(cfg: DictConfig, by: RagasJudge) -> list[Scored]:
    samples = [
        Sample(question, answer, tuple(hit.chunk.ranked_text for hit in hits))
        for question, answer, hits in zip(
            stages.golden(cfg).questions, stages.answers(cfg), stages.contexts(cfg), strict=True
        )
    ]
    texts = ["\n".join((metric, *sample.contexts)) for sample in samples for metric in by.metrics]
    with working("scoring", texts) as progress:
        return by.scores(samples, progress)


def columns(cfg: DictConfig) -> list[dict[str, Any]]:
    """What the judge adds to each question's row: `error`, its reason and scores where it gives them."""
    judged, scored = labels(cfg), scores(cfg)
    rows: list[dict[str, Any]] = [{"error": judgement.error} for judgement in judged]
    if any(judgement.reason for judgement in judged):
        for row, judgement in zip(rows, judged, strict=True):
            row["reason"] = judgement.reason
    for row, own in zip(rows, scored or [], strict=False):
        row["error"] = "; ".join(filter(None, [row["error"], *own.errors.values()]))
        row.update({metric: own.scores.get(metric) for metric in judge(cfg).metrics})
    return rows
