"""What a finished sweep said: the same command says it again, without opening the store, while nothing has changed."""

from collections.abc import Sequence

from omegaconf import DictConfig

from pipelines import stages
from pipelines.fingerprint import code_hash, fingerprint
from pipelines.tracking import store_state
from rag.cache import key


def said(points: Sequence[DictConfig]) -> str | None:
    """What these points' sweep said at its end, if code, documents, questions and the whole store are as they were."""
    if (entry := _entry(points)) is None:
        return None
    found: dict[str, bytes] = stages.model_cache().get_many([entry])
    return found[entry].decode() if entry in found else None


def keep(points: Sequence[DictConfig], text: str) -> None:
    """Remember what the sweep of these points said; called when it has written the last to its store."""
    if entry := _entry(points):
        stages.model_cache().put_many({entry: text.encode()})


def _entry(points: Sequence[DictConfig]) -> str | None:
    """The state of the store is part of the key: with any run more, or one less, there is no such entry."""
    settings = points[0].tracking
    if (state := store_state(settings.uri)) is None:
        return None
    return key("sweep-said-1", state, settings.experiment, code_hash("pipelines"), *map(fingerprint, points))
