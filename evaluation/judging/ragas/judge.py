"""Which answers RAGAS scores, and how: by rule, through the cache, at the same time, with every failure named."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.judges import CITATION, Deterministic, Judge, Verdict
from evaluation.judging.endpoint import Endpoint, JudgingError
from evaluation.judging.ragas.files import prompts_hash
from evaluation.means import mean_measures
from evaluation.records import Question
from rag.cache import Cache, key
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
    with what is judged. `repeat` asks anew where it was asked before: only to measure the noise of the judge.
    """

    endpoint: Endpoint
    cache: Cache
    embedding: "Embedder"
    language: str = "de"
    metrics: tuple[str, ...] = tuple(INPUTS)
    labels: Judge = field(default_factory=Deterministic)
    repeat: int = 0

    def __post_init__(self) -> None:
        if self.language not in ("de", "en"):
            raise InputError(f"judge.language={self.language}: must be de or en")
        if unknown := [name for name in self.metrics if name not in INPUTS]:
            raise InputError(f"judge.metrics: {', '.join(unknown)} unknown; there are {', '.join(INPUTS)}")

    @property
    def name(self) -> str:
        return f"{self.labels.name} + {self._scorer()}"

    def __call__(self, question: str, expected: str, answer: str) -> Verdict:
        return self.labels(question, expected, answer)

    def scores(self, samples: Sequence[Sample]) -> list[Scored]:
        """The scores of every sample, in order.

        By rule and without a call: a declined answer has no answer scores, an unanswerable question no context scores,
        a question without expected answer none that compare with it; without passages the context scores are 0.
        """
        due = [(sample, metric) for sample in samples for metric in self.metrics if _is_due(sample, metric)]
        keys = [self._key(sample, metric) for sample, metric in due]
        known = {k: float(value) for k, value in self.cache.get_many(keys).items()}
        missing = {k: pair for k, pair in zip(keys, due, strict=True) if k not in known and _needs_a_call(*pair)}
        errors = asyncio.run(self._ask(missing, known)) if missing else {}
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

    async def _ask(self, missing: Mapping[str, tuple[Sample, str]], known: dict[str, float]) -> dict[str, str]:
        """Add what can be scored to `known` and to the cache; return what went wrong with the rest."""
        from evaluation.judging.ragas.metrics import build

        async with self.endpoint.client() as client:
            embed = CachedEmbedder(self.embedding, self.cache).embed_queries
            metrics = build(self.metrics, client, self.endpoint.model, embed, self.language)
            calls = [self._one(metrics[metric], k, _inputs(sample, metric)) for k, (sample, metric) in missing.items()]
            found = await self.endpoint.gather(calls)
        errors = {}
        for (k, (sample, metric)), value in zip(missing.items(), found, strict=True):
            if isinstance(value, Exception):
                problem = self.endpoint.problem(value)
                errors[k] = f"question {sample.question.id!r}: {metric} was not scored: {problem}"
            else:
                known[k] = value
        return errors

    async def _one(self, metric: Any, k: str, inputs: Mapping[str, Any]) -> float:
        score = float((await metric.ascore(**inputs)).value)
        if not isfinite(score):
            raise JudgingError(f"ragas gave {score}")
        self.cache.put_many({k: repr(score).encode()})
        return score

    def _key(self, sample: Sample, metric: str) -> str:
        inputs = _inputs(sample, metric)
        contexts = inputs.pop("retrieved_contexts", [])
        return key("ragas", self._scorer(), str(self.repeat), metric, *inputs.values(), *contexts)

    def _scorer(self) -> str:
        return (
            f"ragas-{version('ragas')}(model={self.endpoint.model}, prompts={prompts_hash(self.language)}, "
            f"language={self.language}, embedding={self.embedding.revision[:12]})"
        )


def summary(samples: Sequence[Sample], scored: Sequence[Scored]) -> dict[str, float]:
    """Means over what was scored, with the number behind each, its share of all questions, and the failures.

    `ragas_faithfulness`, `ragas_faithfulness_n`, `ragas_faithfulness_coverage`, `ragas_faithfulness_failed`. No mean
    where nothing was scored. A score that is missing is never a zero and never hidden: n and failed say so.
    """
    rows = [(sample.question, own.scores) for sample, own in zip(samples, scored, strict=True)]
    means = {name: mean for name, mean in mean_measures(rows).items() if "." not in name}
    found: dict[str, float] = {}
    for metric in dict.fromkeys(name for own in scored for name in (*own.scores, *own.errors)):
        n = means[metric].n if metric in means else 0
        if n:
            found[f"ragas_{metric}"] = means[metric].value
        found[f"ragas_{metric}_n"] = float(n)
        found[f"ragas_{metric}_coverage"] = n / len(samples)
        found[f"ragas_{metric}_failed"] = float(sum(metric in own.errors for own in scored))
    return found


def _is_due(sample: Sample, metric: str) -> bool:
    read = INPUTS[metric]
    return not (
        ("response" in read and sample.answer.declined)
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
