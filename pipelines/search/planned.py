"""A search looked at before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from omegaconf import DictConfig

from pipelines.config import swept
from pipelines.search.settings import Settings
from pipelines.search.space import CONFIG, Space, configuration, space
from rag.errors import InputError

SWEEPER = "hydra_plugins.messlatte.OptunaSweeper"


@dataclass(frozen=True, slots=True)
class Planned:
    """`probes`: configurations that hold every value of every axis at least once."""

    space: Space
    settings: Settings
    probes: list[DictConfig]

    @property
    def name(self) -> str:
        """For example `search · 30 points · chunking.size, reranker`."""
        return f"search · {self.settings.n_trials} points · {', '.join(self.space.keys)}"


def planned(overrides: Sequence[str]) -> Planned | None:
    """The search that these overrides ask for; None for a grid.

    Not every combination can be looked at, but every value on its own. Raises InputError for one that no combination
    takes, and for what makes no sense in a search.
    """
    sweeper, everything = swept(CONFIG, overrides)
    if sweeper.get("_target_") != SWEEPER:
        return None
    from pipelines import stages

    given = {str(key): value for key, value in sweeper.items() if key not in ("_target_", "params")}
    if odd := given.keys() - {field.name for field in fields(Settings)}:
        raise InputError(f"hydra.sweeper.{min(odd)}: no such key of hydra/sweeper=optuna")
    settings, found = Settings(**given), space(everything)
    probes = [_possible(points) for points in found.probes()]
    if any(cfg.dry_run for cfg in probes):
        raise InputError("dry_run: a search chooses its points as it goes; use pipelines.evaluate for one of them")
    if settings.quality != "correct" and not any(stages.golden(probes[0]).evidence.values()):
        raise InputError(f"hydra.sweeper.quality={settings.quality}: no question has a reference; use correct")
    return Planned(found, settings, probes)


def _possible(points: Sequence[Sequence[str]]) -> DictConfig:
    """The first of these points that can be made. Raises the first one's InputError if none can."""
    refused = []
    for overrides in points:
        try:
            return configuration(overrides)
        except InputError as error:
            refused.append(error)
    raise refused[0]
