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
_read: dict[int, dict[Any, Any]] = {}  # settings and keys by id of a read-only configuration, for as long as it lives


def stage(*sections: str) -> Callable[[Callable[[DictConfig], Result]], Callable[[DictConfig], Result]]:
    """Compute once per process for equal settings of `sections`.

    `retrieval-top_k` is a section without a key (`retrieval-top_k-rrf_k` without two), `retrieval.depth` a single one.
    """

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
    """Equal for equal settings of these sections."""
    known = _known(cfg)
    if sections not in known:
        known[sections] = json.dumps([settings(cfg, section) for section in sections], sort_keys=True)
    return str(known[sections])


def forget() -> None:
    """Forget all results, as when files that were read may have changed."""
    _read.clear()
    for results in _remembered:
        results.clear()


def settings(cfg: DictConfig, section: str) -> Any:
    """A section's resolved values, which nobody changes. Of a part that is switched off (`_target_: null`): None."""
    known = _known(cfg)
    if section not in known:
        known[section] = _resolved(cfg, section)
    return known[section]


def _known(cfg: DictConfig) -> dict[Any, Any]:
    """What was read of a configuration that is read-only; of another one nothing is remembered."""
    if not OmegaConf.is_readonly(cfg):
        return {}
    if id(cfg) not in _read:
        weakref.finalize(cfg, _read.pop, id(cfg), None)
    return _read.setdefault(id(cfg), {})


def _resolved(cfg: DictConfig, section: str) -> Any:
    name, *dropped = section.split("-")
    found = OmegaConf.select(cfg, name)
    values = OmegaConf.to_container(found, resolve=True) if OmegaConf.is_config(found) else found
    if isinstance(values, dict):
        if "_target_" in values and values["_target_"] is None:
            return None
        values = {key: value for key, value in values.items() if key not in dropped}
    return values
