"""Which configuration a gate looks at: the champion's, a run's, or that of conf/."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from omegaconf import DictConfig, OmegaConf, read_write

from rag.errors import InputError

if TYPE_CHECKING:
    from pipelines.registry import Registry

CHAMPION, CONF = "champion", "conf"
SETUP = ("chunking", "embedding", "lexical", "retrieval", "reranker", "generator", "decline")
MEASURING = ("judge", "measures")  # from where the set-up comes from, unless they are given
# All else (documents, questions, index, store, thresholds) is always of here and now.


@dataclass(frozen=True, slots=True)
class Subject:
    """`said`: where the configuration comes from, for people. `run`: the run that it was measured by first, or ""."""

    cfg: DictConfig
    said: str
    run: str = ""


def wanted(cfg: DictConfig, overrides: Sequence[str]) -> str:
    """`champion`, `conf` or a run's id. Raises InputError if a run and keys of the set-up are given."""
    keys = [own.partition("=")[0].lstrip("+~") for own in overrides]
    own = [key for key in keys if key.partition(".")[0] in (*SETUP, "experiment")]
    named = cfg.gate.run
    if own and named not in (None, CONF):
        raise InputError(f"gate.run={named} and {own[0]}=...: name a run or keys of the configuration, not both")
    return str(named or (CONF if own else CHAMPION))


def subject(cfg: DictConfig, overrides: Sequence[str], registry: "Registry") -> Subject:
    """The configuration to be measured on the documents and questions of `cfg`. Raises InputError."""
    from pipelines.tracking import KIND, PastPoint

    name = wanted(cfg, overrides)
    if name == CONF:
        return Subject(cfg, "the configuration of conf/")
    given = {own.partition("=")[0].lstrip("+~").partition(".")[0] for own in overrides}
    kept = [section for section in (*SETUP, *MEASURING) if section not in given]
    if name == CHAMPION:
        return _champion(cfg, kept, registry)
    past = PastPoint(name, cfg.tracking.uri)
    if past.tags.get(KIND) != "point":
        raise InputError(f"gate.run={name}: not a point; name a run of pipelines.evaluate or a point of a sweep")
    return Subject(_with(cfg, past.config(), kept), f"the configuration of run {name}", name)


def _champion(cfg: DictConfig, kept: Sequence[str], registry: "Registry") -> Subject:
    from pipelines.packing import FOLDERS, check_weights

    version = registry.champion()
    if version is None:
        raise InputError(
            f"{registry.name}: no champion in this store; promote a run (python -m pipelines.promote RUN), name the"
            " store that has one (MLFLOW_TRACKING_URI), or give a configuration: gate.run=conf or gate.run=RUN"
        )
    artifacts = registry.artifacts(version, ("config", *FOLDERS))
    packed = cast(DictConfig, OmegaConf.load(artifacts.pop("config")))
    for section, folder in artifacts.items():
        packed[section].model = folder
    if changed := check_weights(packed):
        raise InputError(f"{changed[0]}.model: its weights are not those that were promoted; get that revision")
    return Subject(_with(cfg, packed, kept), f"the champion, version {version.number} of {registry.name}", version.run)


def _with(cfg: DictConfig, measured: DictConfig, sections: Sequence[str]) -> DictConfig:
    """`cfg` with these sections as they were measured, each as a whole."""
    merged = cfg.copy()
    with read_write(merged):
        for section in sections:
            merged[section] = measured[section]
    return merged
