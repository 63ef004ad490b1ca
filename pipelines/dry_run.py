"""What the language model of a list of points would be asked, without asking it."""

from collections.abc import Sequence
from dataclasses import dataclass

from omegaconf import DictConfig

from pipelines import names, stages
from pipelines.cost import priced
from pipelines.plan import characters
from pipelines.progress import at_point, bar
from rag.answering import Chat, asked


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
    """A line for each point and one for all. Retrieval is computed, and cached, as the prompts depend on it."""
    seen: set[str] = set()
    lines, total = [], []
    for cfg in points:
        with at_point(names.point(cfg)):
            calls = _calls(cfg, seen)
        if calls is None:
            lines.append(f"{names.point(cfg)}: no language model")
        else:
            lines.append(f"{names.point(cfg)}: {calls}")
            total.append(calls)
    numbers = f"{sum(c.calls for c in total)} calls, about {sum(c.input_tokens for c in total)} input tokens"
    limits = [c.output_tokens for c in total if c.output_tokens is not None]
    if total and len(limits) == len(total):
        spent = sum(c.cost or 0.0 for c in total)
        numbers += f", at most {sum(limits)} output tokens, costing at most {spent:.4f}"
    note = "Tokens are estimated with the embedding model's tokenizer. Nothing was asked, no run was made."
    return "\n".join([*lines, f"total: {numbers}", note])


def print_dry_run(points: Sequence[DictConfig]) -> int:
    """Print it and return the command's exit code."""
    with bar(characters(points), len(points)):
        text = dry_run(points)
    print(text)
    return 0


def _calls(cfg: DictConfig, seen: set[str]) -> Calls | None:
    """`seen` holds the keys of the prompts of earlier points, and then those of this one too."""
    generator = stages.generator(cfg)
    if not isinstance(generator, Chat):
        return None
    questions, passages = stages.golden(cfg).questions, stages.contexts(cfg)
    chosen = asked(passages, stages.strength(cfg), stages.threshold(cfg))
    prompts = generator.prompts([questions[i].question for i in chosen], [passages[i] for i in chosen])
    by_key = {generator.endpoint.key(prompt): prompt for prompt in prompts}
    fresh = by_key.keys() - seen
    cached = fresh & stages.model_cache().get_many(list(fresh)).keys()
    missing = [by_key[key] for key in fresh - cached]
    seen |= fresh
    texts = ["\n".join(message["content"] for message in prompt) for prompt in missing]
    read = sum(stages.embedder(cfg).tokenizer.lengths(texts))
    limit = generator.parameters.get("max_completion_tokens", generator.parameters.get("max_tokens"))
    written = len(missing) * limit if isinstance(limit, int) else None
    spent = None if written is None else priced(cfg, read, written)
    return Calls(len(by_key), len(by_key) - len(fresh), len(cached), len(missing), read, written, spent)
