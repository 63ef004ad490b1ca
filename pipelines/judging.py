"""The stages after the answers: a label for each, and the scores of RAGAS where it is the judge."""

from typing import Any

from omegaconf import DictConfig

from evaluation.judges import Judge, Judgement
from evaluation.judging import ChatJudge, RagasJudge
from evaluation.judging.context_judge import Passage, sample
from evaluation.judging.ragas import Sample, Scored
from evaluation.labels import is_judged, label_all
from evaluation.records import Question
from pipelines import stages
from pipelines.config import assemble
from pipelines.memo import stage
from pipelines.progress import working
from rag.chat import Failure


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


@stage(*stages.RANKED, "retrieval", "judge")
def helping(cfg: DictConfig) -> dict[str, list[bool | Failure]]:
    """Whether each passage helps, in the order of the ranking, by question id, for the judge's sample of questions."""
    by = judge(cfg)
    if not isinstance(by, ChatJudge) or not by.context_questions:
        return {}
    questions = stages.golden(cfg).questions
    chosen = sample(questions, by.context_questions)
    asked = [(q, hits) for q, hits in zip(questions, stages.contexts(cfg), strict=True) if q.id in chosen]
    passages = [Passage(question.question, hit.chunk.ranked_text) for question, hits in asked for hit in hits]
    with working("judging passages", ["\n".join(passage) for passage in passages]) as progress:
        helps = iter(by.of_passages(passages, progress))
    return {question.id: [next(helps) for _ in hits] for question, hits in asked}


def passage_relevance(cfg: DictConfig) -> list[tuple[Question, dict[str, float]]]:
    """The share of a question's passages that help, where all of them could be judged."""
    helpful = helping(cfg)
    found = [(question, helpful.get(question.id)) for question in stages.golden(cfg).questions]
    return [
        (question, {"passage_relevance": sum(map(bool, helps)) / len(helps)})
        for question, helps in found
        if helps and not any(isinstance(own, Failure) for own in helps)
    ]


def columns(cfg: DictConfig) -> list[dict[str, Any]]:
    """What the judge adds to each question's row: `error`, its reason and scores where it gives them."""
    judged, scored, helpful = labels(cfg), scores(cfg), helping(cfg)
    rows: list[dict[str, Any]] = [{"error": judgement.error} for judgement in judged]
    if any(judgement.reason for judgement in judged):
        for row, judgement in zip(rows, judged, strict=True):
            row["reason"] = judgement.reason
    for row, own in zip(rows, scored or [], strict=False):
        row["error"] = "; ".join(filter(None, [row["error"], *own.errors.values()]))
        row.update({metric: own.scores.get(metric) for metric in judge(cfg).metrics})
    for row, question in zip(rows, stages.golden(cfg).questions, strict=True):
        if (helps := helpful.get(question.id)) is not None:
            failed = next((f"passage not judged: {own.error}" for own in helps if isinstance(own, Failure)), "")
            row["error"] = "; ".join(filter(None, [row["error"], failed]))
            row["passages_help"] = [None if isinstance(own, Failure) else own for own in helps]
    return rows
