"""The space of a search, written as Hydra writes sweeps: `a=1,2`, `a=range(1,9)`, `a=interval(0,1)`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from random import Random
from typing import TYPE_CHECKING, Any

from hydra.core.override_parser.types import ChoiceSweep, IntervalSweep, Override, RangeSweep
from omegaconf import DictConfig, OmegaConf

from pipelines.config import one_point, parsed
from rag.errors import InputError

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

CONFIG = "sweep"
ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Axis:
    """`values`: as they are written in an override, numbers in their order; of an interval its ends."""

    key: str
    values: tuple[str, ...]
    distribution: "BaseDistribution"
    interval: bool

    def text(self, value: Any) -> str:
        """What Optuna chose, as it is written in an override; of a number in an interval four digits."""
        if not self.interval:
            return self.values[value]
        return str(float(f"{value:.4g}")) if isinstance(value, float) else str(value)

    def chosen(self, text: str) -> Any | None:
        """What Optuna would have chosen to get this text; None if it is no value of the axis."""
        if not self.interval:
            return self.values.index(text) if text in self.values else None
        low, high = map(json.loads, self.values)
        try:
            value = type(low)(text)
        except ValueError:
            return None
        return value if low <= value <= high else None

    @property
    def first(self) -> Any:
        return self.chosen(self.values[0])


@dataclass(frozen=True, slots=True)
class Space:
    """`fixed`: the overrides that are no axes."""

    axes: tuple[Axis, ...]
    fixed: tuple[str, ...]

    @property
    def keys(self) -> list[str]:
        return [axis.key for axis in self.axes]

    @property
    def distributions(self) -> "dict[str, BaseDistribution]":
        return {axis.key: axis.distribution for axis in self.axes}

    def overrides(self, chosen: Mapping[str, Any]) -> list[str]:
        """The overrides of a point, from what Optuna chose for each axis."""
        return self.written({axis.key: axis.text(chosen[axis.key]) for axis in self.axes})

    def written(self, texts: Mapping[str, str]) -> list[str]:
        return [*self.fixed, *(f"{key}={text}" for key, text in texts.items())]

    def probes(self) -> Iterator[list[list[str]]]:
        """For every value of every axis some points that have it: the first one of all axes, then others at random."""
        random, first = Random(0), {axis.key: axis.values[0] for axis in self.axes}
        for axis in self.axes:
            for value in axis.values:
                others = [{own.key: random.choice(own.values) for own in self.axes} for _ in range(ATTEMPTS)]
                yield [self.written({**own, axis.key: value}) for own in (first, *others)]


def space(overrides: Sequence[str]) -> Space:
    """Read a space; of two overrides of one key the later one counts. Raises InputError in one line."""
    everything = parsed(overrides)
    if odd := [own for own in everything if own.is_hydra_override() and own.is_sweep_override()]:
        raise InputError(f"override {odd[0].input_line!r}: Hydra's own settings are no axes")
    given = {own.get_key_element(): own for own in everything if not own.is_hydra_override()}
    fixed = tuple(str(own.input_line) for own in given.values() if not own.is_sweep_override())
    swept = {key: own for key, own in given.items() if own.is_sweep_override()}
    if not swept:
        raise InputError("hydra/sweeper=optuna: no axis; give at least one, as in chunking.size=range(64,513,64)")
    return Space(tuple(_axis(key, own, fixed) for key, own in swept.items()), fixed)


def _axis(key: str, override: Override, fixed: Sequence[str]) -> Axis:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    sweep = override.value()
    if isinstance(sweep, IntervalSweep):
        return _interval(key, override, sweep, fixed)
    if not isinstance(sweep, ChoiceSweep | RangeSweep):
        raise InputError(f"override {override.input_line!r}: an axis lists its values, as in {key}=a,b; glob does not")
    elements = list(override.sweep_iterator())
    texts = zip(elements, override.sweep_string_iterator(), strict=True)
    # A run's parameters say `true`, as people do.
    values = tuple(dict.fromkeys(text.lower() if isinstance(own, bool) else text for own, text in texts))
    if not values:
        raise InputError(f"override {override.input_line!r}: there is no number in this range")
    if all(type(own) in (int, float) for own in elements):  # their order tells the sampler something
        values = tuple(sorted(values, key=lambda text: float(text)))
        return Axis(key, values, IntDistribution(0, len(values) - 1), interval=False)
    return Axis(key, values, CategoricalDistribution(range(len(values))), interval=False)


def _interval(key: str, override: Override, sweep: IntervalSweep, fixed: Sequence[str]) -> Axis:
    from optuna.distributions import FloatDistribution, IntDistribution

    default = OmegaConf.select(one_point(CONFIG, fixed), key)
    start, end, line = sweep.start, sweep.end, f"override {override.input_line!r}"
    if isinstance(default, bool) or not isinstance(default, int | float | None):
        raise InputError(f"{line}: only a number has an interval, as in retrieval.dense_weight=interval(0,1)")
    log = "log" in sweep.tags
    if start is None or end is None or not (isfinite(start) and isfinite(end)):
        raise InputError(f"{line}: an interval has two ends")
    if not start < end or (log and start <= 0):
        raise InputError(f"{line}: must rise{' from above 0, to have a logarithm' if log else ''}")
    if not isinstance(default, int):
        return Axis(key, (str(float(start)), str(float(end))), FloatDistribution(start, end, log=log), interval=True)
    low, high = int(start), int(end)
    if (low, high) != (start, end):
        raise InputError(f"{line}: {key} is a whole number, and so must both ends be")
    return Axis(key, (str(low), str(high)), IntDistribution(low, high, log=log), interval=True)


def configuration(overrides: Sequence[str]) -> DictConfig:
    """The configuration of a point, with every part made. Raises InputError for a combination that is refused."""
    from pipelines.plan import prepare

    found = one_point(CONFIG, overrides)
    prepare([found])
    return found
