"""What a list of points needs, looked at before anything expensive starts."""

from collections.abc import Callable, Sequence
from math import isfinite

from omegaconf import DictConfig

from pipelines import judging, stages
from pipelines.config import make
from pipelines.memo import key_of
from pipelines.point import check_ledger
from pipelines.traced import check_traces
from rag.errors import InputError

PARTS: dict[str, Callable[[DictConfig], object]] = {
    "chunking": lambda cfg: make(cfg.chunking),
    "lexical": lambda cfg: make(cfg.lexical),
    "retrieval": lambda cfg: make(cfg.retrieval),
    "embedding": stages.embedder,
    "reranker": stages.reranker,
    "index": stages.location,
    "generator": stages.generator,
    "judge": judging.judge,
}


def prepare(points: Sequence[DictConfig]) -> None:
    """Load documents and questions and make every part, without loading weights, once for equal settings.

    Raises InputError for what could not be computed.
    """
    made = set()
    for cfg in points:
        stages.golden(cfg)
        for section, part in PARTS.items():
            if (settings := (section, key_of(cfg, section))) not in made:
                part(cfg)
                made.add(settings)
        _check_values(cfg)
        check_ledger(cfg)


def _check_values(cfg: DictConfig) -> None:
    for name in ("ks", "token_budgets"):
        values = cfg.measures[name]
        if not values or any(type(value) is not int or value < 1 for value in values):
            raise InputError(f"measures.{name}={values}: must be whole numbers of 1 or more")
    if not 0 < cfg.measures.tau <= 1:
        raise InputError(f"measures.tau={cfg.measures.tau}: must be above 0 and at most 1")
    check_traces(cfg.tracking.traces)
    below = cfg.decline.below
    if below is not None and (isinstance(below, bool) or not isinstance(below, int | float) or not isfinite(below)):
        raise InputError(f"decline.below={below}: must be a number, or null to find it")
    if not 0 < cfg.decline.quantile < 1:
        raise InputError(f"decline.quantile={cfg.decline.quantile}: must lie between 0 and 1")
    if not isinstance(cfg.tracking.uri, str | None):
        raise InputError(f"tracking.uri={cfg.tracking.uri}: must be text, as in sqlite:///mlflow.db, or null")


def sharing_order(points: Sequence[DictConfig]) -> list[DictConfig]:
    """The points with those side by side that share an index, then candidates, then a ranking; else as they were."""
    stages_in_order = (stages.CUT, stages.FOUND, stages.RANKED, stages.ANSWERED)
    keys = [[key_of(cfg, *sections) for sections in stages_in_order] for cfg in points]
    first = [{key: place for place, key in reversed(list(enumerate(column)))} for column in zip(*keys, strict=True)]
    order = sorted(range(len(points)), key=lambda i: [seen[key] for seen, key in zip(first, keys[i], strict=True)])
    return [points[i] for i in order]


def characters(points: Sequence[DictConfig]) -> int:
    """About how many characters the models will read: passages and statements to embed, pairs to rerank, prompts.

    Passages that two points share count once; pairs as far as their passages are new to the reranker.
    """
    seen: set[object] = set()

    def unseen(*what: object) -> bool:
        size = len(seen)
        seen.add(what)
        return len(seen) > size

    total = 0
    for cfg in points:
        texts = [chunk.ranked_text for chunk in stages.chunks(cfg)]
        total += sum(len(text) for text in texts if unseen(cfg.embedding.model, text))
        if unseen("statements", key_of(cfg, "corpus", "embedding")):
            total += sum(len(document.text) for document in stages.corpus(cfg).documents.values())
        length = sum(map(len, texts)) // max(1, len(texts))
        questions = stages.golden(cfg).questions
        if stages.reranker(cfg) is not None and unseen("pairs", key_of(cfg, *stages.RANKED)):
            pairs = len(questions) * min(cfg.reranker.depth, cfg.retrieval.depth, len(texts))
            fresh = sum(len(text) for text in texts if unseen("pairs", cfg.reranker.model, cfg.embedding.model, text))
            total += pairs * fresh // max(1, len(texts))
        contexts = len(questions) * cfg.retrieval.top_k * length
        if "model" in cfg.generator and unseen("prompts", key_of(cfg, *stages.ANSWERED)):
            total += contexts
        if "model" in cfg.judge and unseen("judge", key_of(cfg, *stages.ANSWERED, "judge")):
            expected = sum(len(question.expected_answer) for question in questions)
            total += contexts * len(cfg.judge.metrics) if "metrics" in cfg.judge else 2 * expected
    return total
