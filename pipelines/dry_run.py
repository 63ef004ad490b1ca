"""What a list of points would compute and what language models would be asked, without doing either."""

from collections.abc import Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from evaluation.judging import ChatJudge, RagasJudge
from evaluation.judging.context_judge import sample
from evaluation.labels import is_judged
from pipelines import judging, names, stages
from pipelines.cost import priced
from pipelines.plan import characters, sharing_order
from pipelines.progress import at_point, bar
from pipelines.work import work
from rag.answering import Chat, asked
from rag.records import Answer


@dataclass(frozen=True, slots=True)
class Calls:
    """Of `prompts` distinct ones some were `counted` at an earlier point and some are `cached`; the rest are `calls`.

    `output_tokens` and `cost` are what they can be at most; None where no limit is set.
    """

    prompts: int
    counted: int
    cached: int
    calls: int
    input_tokens: int
    output_tokens: int | None
    cost: float | None

    def __str__(self) -> str:
        text = f"{self.calls} calls, about {self.input_tokens} input tokens"
        if self.output_tokens is not None:
            text += f", at most {self.output_tokens} output tokens, costing at most {self.cost:.4f}"
        return f"{text} ({self.prompts} prompts, {self.cached} cached, {self.counted} asked by earlier points)"


def dry_run(points: Sequence[DictConfig]) -> str:
    """The points, what they share and, where there are language models, what these would be asked."""
    n = len(points)
    parts = [f"{n} points, in this order:" if n > 1 else "1 point:", *map(names.point, points), "", work(points)]
    if any("model" in cfg.generator or "model" in cfg.judge for cfg in points):
        parts += ["", calls(points)]
    return "\n".join([*parts, "Nothing was asked, no run was made."])


def calls(points: Sequence[DictConfig]) -> str:
    """A line for each point and one for all. Retrieval is computed, and cached, as the prompts depend on it."""
    seen: set[str] = set()
    lines, total, to_judge, to_score = [], [], 0, 0
    for cfg in points:
        with at_point(names.point(cfg)):
            asks, judged, scored = _calls(cfg, seen), _judged(cfg), _scored(cfg)
        lines.append(f"{names.point(cfg)}: {asks or 'no generator with a model'}{_judge(judged, scored)}")
        total += [asks] if asks else []
        to_judge += judged
        to_score += scored
    numbers = f"{sum(c.calls for c in total)} calls, about {sum(c.input_tokens for c in total)} input tokens"
    limits = [c.output_tokens for c in total if c.output_tokens is not None]
    if total and len(limits) == len(total):
        spent = sum(c.cost or 0.0 for c in total)
        numbers += f", at most {sum(limits)} output tokens, costing at most {spent:.4f}"
    note = "Tokens are estimated with the embedding model's tokenizer."
    return "\n".join([*lines, f"total: {numbers}{_judge(to_judge, to_score)}", note])


def print_dry_run(points: Sequence[DictConfig]) -> int:
    """Print it and return the command's exit code."""
    ordered = sharing_order(points)
    with bar(characters(points), len(points)):
        text = dry_run(ordered)
    print(text)
    return 0


def _calls(cfg: DictConfig, seen: set[str]) -> Calls | None:
    """`seen` holds the keys of the prompts of earlier points, and then those of this one too."""
    generator = stages.generator(cfg)
    if not isinstance(generator, Chat):
        return None
    questions, passages, chosen = stages.golden(cfg).questions, stages.contexts(cfg), _asked(cfg)
    prompts = generator.prompts([questions[i].question for i in chosen], [passages[i] for i in chosen])
    by_key = {generator.endpoint.key(prompt): prompt for prompt in prompts}
    fresh = by_key.keys() - seen
    cached = fresh & stages.model_cache().get_many(list(fresh)).keys()
    missing = [by_key[key] for key in fresh - cached]
    seen |= fresh
    texts = ["\n".join(message["content"] for message in prompt) for prompt in missing]
    read = sum(stages.embedder(cfg).tokenizer.lengths(texts))
    parameters = generator.endpoint.parameters
    limit = parameters.get("max_completion_tokens", parameters.get("max_tokens"))
    written = len(missing) * limit if isinstance(limit, int) else None
    spent = None if written is None else priced(cfg.generator, read, written)
    return Calls(len(by_key), len(by_key) - len(fresh), len(cached), len(missing), read, written, spent)


def _asked(cfg: DictConfig) -> list[int]:
    return asked(stages.contexts(cfg), stages.strength(cfg), stages.threshold(cfg))


def _judged(cfg: DictConfig) -> int:
    """Answers and passages that a judge with a model would get if every question that may be asked were answered."""
    judge = judging.judge(cfg)
    if not isinstance(judge, ChatJudge):
        return 0
    questions, some = stages.golden(cfg).questions, Answer("...", (1,), False)
    passages = len(sample(questions, judge.context_questions)) * cfg.retrieval.top_k
    return passages + sum(is_judged(questions[i], some) for i in _asked(cfg))


def _scored(cfg: DictConfig) -> int:
    judge = judging.judge(cfg)
    return len(stages.golden(cfg).questions) * len(judge.metrics) if isinstance(judge, RagasJudge) else 0


def _judge(calls: int, scores: int) -> str:
    judged = f"; the judge: at most {calls} calls" if calls else ""
    return judged + (f"; RAGAS: at most {scores} scores, one or more calls each" if scores else "")
