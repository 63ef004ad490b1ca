"""Which answers RAGAS scores, and how: by rule, through the cache, at the same time, with every failure named."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.judges import CITATION, Case, Deterministic, Judge, Judgement
from evaluation.judging.language import check_language
from evaluation.judging.ragas.files import prompts_hash
from evaluation.means import as_metrics, mean_measures
from evaluation.records import Question
from rag.cache import Cache, key
from rag.cached import Progress
from rag.chat import Endpoint, at_once
from rag.embedding.cached import CachedEmbedder
from rag.errors import InputError
from rag.records import Answer

if TYPE_CHECKING:
    from rag.embedding.embedder import Embedder

INPUTS = {
    "faithfulness": ("user_input", "response", "retrieved_contexts"),
    "answer_relevancy": ("user_input", "response"),
    "context_precision": ("user_input", "reference", "retrieved_contexts"),
    "context_recall": ("user_input", "reference", "retrieved_contexts"),
    "answer_correctness": ("user_input", "response", "reference"),
    "context_relevance": ("user_input", "retrieved_contexts"),
}
"""What each metric reads."""


class Sample(NamedTuple):
    """`contexts`: the passages that the generator was given, the best first."""

    question: Question
    answer: Answer
    contexts: tuple[str, ...]


class Scored(NamedTuple):
    """The scores of one question and, by metric, why a score that was due is missing. Neither: left out by rule."""

    scores: dict[str, float]
    errors: dict[str, str]


@dataclass(frozen=True, slots=True)
class RagasJudge:
    """Scores by RAGAS; labels by `labels`, because RAGAS gives scores and no labels.

    `embedding` compares texts for answer relevancy and answer correctness. It belongs to the judge and must not vary
    with what is judged. Raises InputError for a language without prompts and for unknown metrics.
    """

    endpoint: Endpoint
    cache: Cache
    embedding: "Embedder"
    language: str = "de"
    metrics: Sequence[str] = tuple(INPUTS)
    labels: Judge = field(default_factory=Deterministic)
    repeat: int = 0

    def __post_init__(self) -> None:
        check_language(self.language)
        if unknown := [name for name in self.metrics if name not in INPUTS]:
            raise InputError(f"judge.metrics: {', '.join(unknown)} unknown; there are {', '.join(INPUTS)}")

    @property
    def prompt_hash(self) -> str:
        return prompts_hash(self.language)

    @property
    def name(self) -> str:
        return f"{self.labels.name} + {self._scorer()}"

    def repeated(self, repeat: int) -> "RagasJudge":
        return replace(self, repeat=repeat)

    def __call__(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgement]:
        return self.labels(cases, progress)

    def scores(self, samples: Sequence[Sample], progress: Progress | None = None) -> list[Scored]:
        """The scores of every sample, in order; `progress` counts scores, `len(metrics)` for each sample.

        By rule and without a call: an answer that declined or failed has no answer scores, an unanswerable question no
        context scores, a question without expected answer none that compare with it; without passages the context
        scores are 0.
        """
        due = [(sample, metric) for sample in samples for metric in self.metrics if _is_due(sample, metric)]
        keys = [self._key(sample, metric) for sample, metric in due]
        known = {k: float(value) for k, value in self.cache.get_many(keys).items()}
        missing = {k: pair for k, pair in zip(keys, due, strict=True) if k not in known and _needs_a_call(*pair)}
        if progress:
            progress(len(samples) * len(self.metrics) - len(missing))
        errors = asyncio.run(self._ask(missing, known, progress)) if missing else {}
        scored = []
        for sample in samples:
            own = {m: self._key(sample, m) for m in self.metrics if _is_due(sample, m)}
            scored.append(
                Scored(
                    {m: known.get(k, 0.0) for m, k in own.items() if k not in errors},
                    {m: errors[k] for m, k in own.items() if k in errors},
                )
            )
        return scored

    async def _ask(
        self, missing: Mapping[str, tuple[Sample, str]], known: dict[str, float], progress: Progress | None
    ) -> dict[str, str]:
        """Add what can be scored to `known` and to the cache; return what went wrong with the rest."""
        from evaluation.judging.ragas.metrics import build

        errors = {}
        async with self.endpoint.client() as client:
            embed = CachedEmbedder(self.embedding, self.cache).embed_queries
            metrics = build(self.metrics, client, self.endpoint, embed, self.language)

            async def one(k: str, sample: Sample, metric: str) -> None:
                try:
                    known[k] = await _score(metrics[metric], _inputs(sample, metric))
                    self.cache.put_many({k: repr(known[k]).encode()})
                except Exception as error:  # of ragas, instructor, pydantic, the client: one score, not the run
                    errors[k] = f"{metric} was not scored: {self.endpoint.problem(error)}"
                if progress:
                    progress(1)

            await at_once(self.endpoint.concurrency, (one(k, *pair) for k, pair in missing.items()))
        return errors

    def _key(self, sample: Sample, metric: str) -> str:
        inputs = _inputs(sample, metric)
        contexts = inputs.pop("retrieved_contexts", [])
        scorer = (self.endpoint.base_url, self._scorer(), str(self.repeat), metric)
        return key("ragas", *scorer, *inputs.values(), *contexts)

    def _scorer(self) -> str:
        return (
            f"ragas-{version('ragas')}(model={self.endpoint.model}, prompts={self.prompt_hash[:12]}, "
            f"language={self.language}, embedding={self.embedding.revision[:12]}, "
            f"parameters={json.dumps(self.endpoint.parameters, sort_keys=True)})"
        )


def summary(questions: Sequence[Question], scored: Sequence[Scored]) -> dict[str, float]:
    """Means over what was scored, overall and by part of the golden set, each with its n; and what is missing.

    `faithfulness`, `faithfulness_n`, `faithfulness_coverage` (share of all questions), `faithfulness_failed`. No mean
    where nothing was scored. A score that is missing is never a zero and never hidden: n and failed say so.
    """
    rows = [(question, own.scores) for question, own in zip(questions, scored, strict=True)]
    found = as_metrics(mean_measures(rows))
    for metric in dict.fromkeys(name for own in scored for name in (*own.scores, *own.errors)):
        n = found.setdefault(f"{metric}_n", 0.0)
        found[f"{metric}_coverage"] = n / len(questions)
        found[f"{metric}_failed"] = float(sum(metric in own.errors for own in scored))
    return found


async def _score(metric: Any, inputs: Mapping[str, Any]) -> float:
    score = float((await metric.ascore(**inputs)).value)
    if not isfinite(score):
        raise ValueError(f"ragas gave {score}")
    return score


def _is_due(sample: Sample, metric: str) -> bool:
    read = INPUTS[metric]
    return not (
        ("response" in read and (sample.answer.declined or sample.answer.error))
        or ("reference" in read and not sample.question.expected_answer)
        or ("response" not in read and not sample.question.answerable)
    )


def _needs_a_call(sample: Sample, metric: str) -> bool:
    return "response" in INPUTS[metric] or bool(sample.contexts)


def _inputs(sample: Sample, metric: str) -> dict[str, Any]:
    values = {
        "user_input": sample.question.question,
        "response": CITATION.sub("", sample.answer.text).strip(),
        "reference": sample.question.expected_answer,
        "retrieved_contexts": list(sample.contexts),
    }
    return {name: values[name] for name in INPUTS[metric]}
