"""What a finished sweep said: the same command says it again, without opening the store, while nothing has changed."""

import json
import os
from collections.abc import Mapping, Sequence

from omegaconf import DictConfig

from pipelines import stages
from pipelines.fingerprint import code_hash, fingerprint
from pipelines.tracking import store_state
from rag.cache import key


class Receipt:
    """That of one sweep, made before it starts: files that change meanwhile belong to the next one.

    `tags`: those of the sweep's run.
    """

    def __init__(self, points: Sequence[DictConfig], tags: Mapping[str, str]) -> None:
        own = points[0].tracking
        self._uri = own.uri
        shown = json.dumps([own.experiment, tags], sort_keys=True)
        self._sweep = key("sweep-said-1", shown, code_hash("pipelines"), *map(fingerprint, points))

    def said(self) -> str | None:
        """What the sweep said at its end, if code, documents, questions and the whole store are as they were."""
        if (entry := self._entry()) is None:
            return None
        found: dict[str, bytes] = stages.model_cache().get_many([entry])
        return found[entry].decode() if entry in found else None

    def keep(self, text: str) -> None:
        """Remember what the sweep said; called when it has written the last to its store."""
        if entry := self._entry():
            stages.model_cache().put_many({entry: text.encode()})

    def _entry(self) -> str | None:
        """The state of the store is part of the key: with any run more, or one less, there is no such entry."""
        state = store_state(self._uri)
        adopted = "MLFLOW_RUN_ID" in os.environ  # a run that is to become the sweep's
        return None if state is None or adopted else key(self._sweep, state)
