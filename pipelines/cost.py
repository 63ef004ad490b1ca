"""What language models cost, from the tokens that their endpoints counted."""

from collections.abc import Sequence

from omegaconf import DictConfig

from evaluation.judges import Judgement
from rag.records import Answer, Usage

MILLION = 1_000_000


def cost(cfg: DictConfig, answers: Sequence[Answer], judgements: Sequence[Judgement]) -> dict[str, float]:
    """Tokens a question, and cost of the run and of a month of `measures.questions_per_month`; empty without prices.

    The judge's stand apart under names with `judge_` in front; a month of users has no judge. All replies count as
    paid for, also those that came from the cache, so that a configuration costs the same however often it is run.
    Calls that brought nothing are left out. Where the endpoint did not say what it used, that is counted
    (`n_usage_unknown`) and no cost is given.
    """
    answering, judging = _spent(cfg.generator, answers), _spent(cfg.judge, judgements)
    if "cost_per_run" in answering:
        n = sum(_is_paid(answer) for answer in answers)
        answering["cost_per_month"] = cfg.measures.questions_per_month * answering["cost_per_run"] / n
    return {**answering, **{f"judge_{name}": value for name, value in judging.items()}}


def priced(section: DictConfig, input_tokens: int, output_tokens: int) -> float:
    return (input_tokens * section.price.input + output_tokens * section.price.output) / MILLION


def _spent(section: DictConfig, replies: Sequence[Answer] | Sequence[Judgement]) -> dict[str, float]:
    if "price" not in section:
        return {}
    paid: list[Usage | None] = [reply.usage for reply in replies if _is_paid(reply)]
    known = [usage for usage in paid if usage is not None]
    unknown = {"n_usage_unknown": float(len(paid) - len(known))}
    if not paid or len(known) < len(paid):
        return unknown
    read, written = sum(usage.input_tokens for usage in known), sum(usage.output_tokens for usage in known)
    return {
        **unknown,
        "input_tokens": read / len(paid),
        "output_tokens": written / len(paid),
        "cost_per_run": priced(section, read, written),
    }


def _is_paid(reply: Answer | Judgement) -> bool:
    return not (reply.error and reply.usage is None)
