"""What a search is told: conf/hydra/sweeper/optuna.yaml."""

from dataclasses import dataclass
from math import inf
from typing import Any

from rag.errors import InputError

LATENCIES = ("latency_p50_ms", "latency_p95_ms")


@dataclass(frozen=True, slots=True)
class Settings:
    """`first_questions` None: every point is asked all questions. Raises InputError for a value that makes no sense."""

    n_trials: int
    n_jobs: int
    seed: int
    quality: str
    latency: str
    first_questions: int | None

    def __post_init__(self) -> None:
        from pipelines.promotion import COLUMN  # slow to import: only for who searches

        _whole("n_trials", self.n_trials, 1)
        _whole("n_jobs", self.n_jobs, 1)
        _whole("seed", self.seed, 0, 2**32 - 1)
        if self.first_questions is not None:
            _whole("first_questions", self.first_questions, 1)
        _one_of("quality", self.quality, tuple(COLUMN))
        _one_of("latency", self.latency, LATENCIES)


def _whole(key: str, value: Any, least: int, most: float = inf) -> None:
    if type(value) is not int or not least <= value <= most:
        limit = f"{least} or more" if most == inf else f"{least} to {most}"
        raise InputError(f"hydra.sweeper.{key}={value}: must be a whole number of {limit}")


def _one_of(key: str, value: Any, valid: tuple[str, ...]) -> None:
    if value not in valid:
        raise InputError(f"hydra.sweeper.{key}={value}: must be one of {', '.join(valid)}")
