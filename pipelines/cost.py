"""What a language model's answers cost, from the tokens that the endpoint counted."""

from collections.abc import Sequence

from omegaconf import DictConfig

from rag.records import Answer

MILLION = 1_000_000


def cost(cfg: DictConfig, answers: Sequence[Answer]) -> dict[str, float]:
    """Tokens a question, and cost of the run and of a month of `measures.questions_per_month`; empty without prices.

    All answers count as paid for, also those that came from the cache, so that a configuration costs the same however
    often it is run. Calls that brought nothing are left out. Where the endpoint did not say what it used, that is
    counted (`n_usage_unknown`) and no cost is given.
    """
    price = cfg.generator.get("price")
    if price is None:
        return {}
    paid = [answer.usage for answer in answers if not (answer.error and answer.usage is None)]
    known = [usage for usage in paid if usage is not None]
    unknown = {"n_usage_unknown": float(len(paid) - len(known))}
    if not paid or len(known) < len(paid):
        return unknown
    read, written = sum(usage.input_tokens for usage in known), sum(usage.output_tokens for usage in known)
    per_run = priced(cfg, read, written)
    return {
        **unknown,
        "input_tokens": read / len(paid),
        "output_tokens": written / len(paid),
        "cost_per_run": per_run,
        "cost_per_month": cfg.measures.questions_per_month * per_run / len(paid),
    }


def priced(cfg: DictConfig, input_tokens: int, output_tokens: int) -> float:
    price = cfg.generator.price
    return (input_tokens * price.input + output_tokens * price.output) / MILLION
