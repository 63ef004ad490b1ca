"""Results of a function of the configuration, remembered by the sections that it depends on."""

import json
import weakref
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf

KEEP = 8  # latest results of each stage: neighbouring points share them, all of them would fill the memory
Result = TypeVar("Result")

_remembered: list[OrderedDict[str, Any]] = []
_keys: dict[int, dict[tuple[str, ...], str]] = {}  # by id of the configuration, for as long as it lives


def stage(*sections: str) -> Callable[[Callable[[DictConfig], Result]], Callable[[DictConfig], Result]]:
    """Compute once per process for equal settings of `sections`; `retrieval-top_k` is a section without a key."""

    def remembering(compute: Callable[[DictConfig], Result]) -> Callable[[DictConfig], Result]:
        results: OrderedDict[str, Result] = OrderedDict()
        _remembered.append(results)

        @wraps(compute)
        def once(cfg: DictConfig) -> Result:
            key = key_of(cfg, *sections)
            if key not in results:
                results[key] = compute(cfg)
            results.move_to_end(key)
            while len(results) > KEEP:
                results.popitem(last=False)
            return results[key]

        return once

    return remembering


def key_of(cfg: DictConfig, *sections: str) -> str:
    """Equal for equal settings of these sections. Made once for a configuration that is read-only."""
    known: dict[tuple[str, ...], str] = {}
    if OmegaConf.is_readonly(cfg):
        if id(cfg) not in _keys:
            weakref.finalize(cfg, _keys.pop, id(cfg), None)
        known = _keys.setdefault(id(cfg), known)
    if sections not in known:
        known[sections] = json.dumps([settings(cfg, section) for section in sections], sort_keys=True)
    return known[sections]


def forget() -> None:
    """Forget all results, as when files that were read may have changed."""
    _keys.clear()
    for results in _remembered:
        results.clear()


def settings(cfg: DictConfig, section: str) -> Any:
    """A section's resolved values. Of a part that is switched off (`_target_: null`) nothing else matters."""
    name, _, dropped = section.partition("-")
    values = OmegaConf.to_container(cfg[name], resolve=True)
    if isinstance(values, dict):
        if "_target_" in values and values["_target_"] is None:
            return None
        values.pop(dropped, None)
    return values
