"""Composing configurations: every point of a sweep is known, and known to be well formed, before anything runs."""

import difflib
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from functools import cache
from inspect import signature
from math import isfinite
from pathlib import Path
from string import Template
from typing import Any

from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, RangeSweep
from hydra.errors import HydraException, InstantiationException, MissingConfigException, OverrideParseException
from hydra.utils import get_object, instantiate
from omegaconf import DictConfig, OmegaConf, open_dict, read_write
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from pipelines.ranges import check_ranges
from rag.errors import InputError

ROOT = Path(__file__).parent.parent
CONF = ROOT / "conf"
MOST_VALUES = 10_000  # of one axis

OmegaConf.register_new_resolver("project", lambda path: str(ROOT / path), replace=True)
OmegaConf.register_new_resolver("scratch", lambda: str(Path(tempfile.gettempdir(), "messlatte-hydra")), replace=True)


def make(section: DictConfig | dict[Any, Any], **arguments: Any) -> Any:
    """Make the part that a section describes. Raises InputError if it cannot be made."""
    try:
        return instantiate(section, _convert_="all", **arguments)
    except InstantiationException as error:
        if isinstance(error.__cause__, InputError):
            raise error.__cause__ from None
        raise InputError(" ".join(str(error).split())) from error


def assemble(section: DictConfig, **offered: Any) -> Any:
    """Make a part, given those of the things on offer that its signature names.

    A part that names `endpoint` gets one, made of those settings of the section that are an endpoint's.
    """
    from rag.chat import Endpoint

    settings: Any = OmegaConf.to_container(section, resolve=True)
    price = settings.pop("price", None) or {}  # what it costs is no business of the part
    if negative := [f"price.{kind}={value}" for kind, value in price.items() if value < 0]:
        raise InputError(f"{negative[0]}: a price is 0 or more")
    wanted = signature(get_object(settings["_target_"])).parameters
    try:
        if "endpoint" in wanted:
            own = [field.name for field in fields(Endpoint) if field.name in settings]
            offered["endpoint"] = Endpoint(**{name: settings.pop(name) for name in own})
        # Hydra makes configurations of dataclasses that it is given, so it gets none of what is on offer.
        return make(settings, _partial_=True)(**{name: value for name, value in offered.items() if name in wanted})
    except TypeError as error:  # a file of the user's with a key too few or too many
        raise InputError(f"{settings['_target_']}: {error}") from error


def points(config_name: str, overrides: Sequence[str]) -> list[DictConfig]:
    """The configuration of every point that these overrides span, in the order in which Hydra runs them.

    Raises InputError in one line for an override that does not fit; it names the valid choices.
    """
    with _hydra():
        return [_point(config_name, own) for own in _expanded(config_name, overrides)]


def below(cfg: DictConfig, parent: str) -> DictConfig:
    """The configuration as that of a part of the run `parent`."""
    with read_write(cfg):
        cfg.tracking.parent = parent
    return cfg


def one_point(config_name: str, overrides: Sequence[str]) -> DictConfig:
    """The configuration with exactly these overrides, whatever the configuration sweeps. Raises InputError."""
    with _hydra():
        return _point(config_name, parsed(overrides))


def swept(config_name: str, overrides: Sequence[str]) -> tuple[DictConfig, list[str]]:
    """Hydra's sweeper, and the axes of the configuration followed by the overrides given. Raises InputError."""
    with _hydra():
        return _swept(config_name, overrides)


def axes(config_name: str, overrides: Sequence[str]) -> list[str]:
    """What is swept, as in `chunking.size=256,512`: the axes of the configuration and those of the overrides."""
    last = {own.key_or_group: own for own in parsed(swept(config_name, overrides)[1])}  # of equal keys the last counts
    return [str(own.input_line) for own in last.values() if own.is_sweep_override()]


def _hydra() -> AbstractContextManager[object]:
    """Composes from `conf`; within a run of Hydra's the one that is there does, and there cannot be another."""
    running = GlobalHydra.instance().is_initialized()
    return nullcontext() if running else initialize_config_dir(str(CONF), version_base="1.3")


def _swept(config_name: str, overrides: Sequence[str]) -> tuple[DictConfig, list[str]]:
    given = parsed(overrides)
    if any(o.key_or_group == "experiment" and o.is_sweep_override() for o in given):
        raise InputError("experiment takes one file; start the command once for each")
    hydra = _hydra_settings(config_name, given)
    axes = hydra.sweeper.get("params") or {}
    if axes and not (hydra.mode and hydra.mode.name == "MULTIRUN"):
        raise InputError(f"the experiment sweeps {', '.join(axes)}; start it with python -m pipelines.sweep")
    return hydra.sweeper, [*(f"{key}={value}" for key, value in axes.items()), *overrides]


def launcher(config_name: str, overrides: Sequence[str]) -> DictConfig:
    """Hydra's launcher, which decides where the points run. Raises InputError if there is none of that name."""
    with _hydra():
        chosen: DictConfig = _hydra_settings(config_name, parsed(overrides)).launcher
        return chosen


def _expanded(config_name: str, overrides: Sequence[str]) -> list[list[Override]]:
    """The axes of the configuration and of the command line, multiplied out; the command line goes first."""
    everything = parsed(_swept(config_name, overrides)[1])
    try:
        batches = BasicSweeper.split_arguments(everything, max_batch_size=None)
    except HydraException as error:
        raise InputError(
            "an axis lists its values, as in chunking.size=128,256; intervals need hydra/sweeper=optuna"
        ) from error
    return [parsed(own) for batch in batches for own in batch]


def runs_here(config_name: str, overrides: Sequence[str]) -> bool:
    """Whether the points run in this process one after the other: neither another launcher nor another sweeper."""
    with _hydra():
        hydra = _hydra_settings(config_name, parsed(overrides))
    return [hydra.launcher._target_, hydra.sweeper._target_] == [
        f"hydra._internal.core_plugins.basic_{part.lower()}.Basic{part}" for part in ("Launcher", "Sweeper")
    ]


def _hydra_settings(config_name: str, given: Sequence[Override]) -> DictConfig:
    """What Hydra goes by, under what is chosen once, for all points."""
    choices = tuple(o.input_line or "" for o in given if _chooses(o) and not o.is_sweep_override())
    settings: DictConfig = _composed(config_name, choices)[1].hydra
    return settings


def help_text(config_name: str, overrides: Sequence[str]) -> str:
    """What --help prints. Hydra's own looks at every choice of its own groups first, which takes a second."""
    with _hydra():
        config, whole = _composed(config_name, tuple(overrides))
    choices = {folder.name: sorted(file.stem for file in folder.glob("*.yaml")) for folder in sorted(CONF.iterdir())}
    return Template(whole.hydra.help.template).substitute(
        APP_CONFIG_GROUPS="\n".join(f"{group}: {', '.join(names)}" for group, names in choices.items() if names),
        CONFIG=OmegaConf.to_yaml(config),
    )


def parsed(overrides: Sequence[str]) -> list[Override]:
    """Raises InputError for an override that cannot be read, or that chooses what cannot be chosen."""
    for text in overrides:
        if text.startswith("=") or ("=" not in text and not text.startswith("~")):
            raise InputError(f"override {text!r} cannot be read; write key=value, or key=value,value in a sweep")
    return [_parsed(text) for text in overrides]


@cache
def _parsed(text: str) -> Override:
    """The points of a sweep are made of the same few overrides."""
    try:
        (override,) = OverridesParser.create().parse_overrides([text])
    except OverrideParseException as error:
        raise InputError(
            f"override {error.override!r} cannot be read; write key=value, or quote it: 'key=\"a value\"'"
        ) from error
    _check_range(override)
    _check_choice(override)
    return override


def _check_range(override: Override) -> None:
    """Hydra counts a range out to its end, whatever that is."""
    sweep = override.value()
    if isinstance(sweep, RangeSweep):
        start, stop, step = (float(number or 0) for number in (sweep.start, sweep.stop, sweep.step))
        if not (isfinite(start) and isfinite(stop) and isfinite(step)) or not step:
            raise InputError(f"override {override.input_line!r}: a range has an end, and a step that is not 0")
        if (stop - start) / step > MOST_VALUES:
            line = f"override {override.input_line!r}"
            raise InputError(f"{line}: more than {MOST_VALUES} values; hydra/sweeper=optuna takes intervals")


def _check_choice(override: Override) -> None:
    group, value = CONF / override.key_or_group, override.value()
    top = "." not in override.key_or_group
    if top and (override.is_delete() or (override.is_add() and not group.is_dir())):
        raise InputError(f"override {override.key_or_group!r}: parts can be chosen and set, not added or taken away")
    if group.is_dir() and not override.is_sweep_override() and not isinstance(value, str):
        valid = ", ".join(sorted(file.stem for file in group.glob("*.yaml")))
        raise InputError(f"override {override.input_line!r}: {override.key_or_group} must be one of {valid}")


def _chooses(override: Override) -> bool:
    """Whether it takes part in Hydra's composition (a group's choice, an added key), not only in setting a value."""
    key = override.key_or_group
    return override.is_add() or override.is_delete() or key.startswith("hydra") or (CONF / key).is_dir()


def _point(config_name: str, overrides: Sequence[Override]) -> DictConfig:
    # Composing takes a tenth of a second: once for equal choices, then values are set, as Hydra does it too.
    config = _composed(config_name, tuple(o.input_line or "" for o in overrides if _chooses(o)))[0].copy()
    for override in overrides:
        if not _chooses(override):
            _set(config, override)
    try:
        OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except MissingMandatoryValue as error:
        raise InputError(f"{error.full_key} has no value; set it, as in {error.full_key}=...") from error
    except OmegaConfBaseException as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{error.full_key}: {reason}; ${{...}} must name a key, as in ${{corpus.path}}") from error
    check_ranges(config)
    OmegaConf.set_readonly(config, True)
    return config


@cache
def _composed(config_name: str, overrides: tuple[str, ...]) -> tuple[DictConfig, DictConfig]:
    """The configuration, and the same with Hydra's settings below `hydra`."""
    try:
        whole = compose(config_name, overrides=list(overrides), return_hydra_config=True)
    except MissingConfigException as error:
        group, _, name = str(error.missing_cfg_file).rpartition("/")
        close = difflib.get_close_matches(name, error.options or (), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise InputError(f"{group}={name}: must be one of {', '.join(error.options or ())}{hint}") from error
    except (HydraException, ValueError) as error:
        message = " ".join(str(error).partition("Config search path")[0].split())
        raise InputError(message.removeprefix("In 'config': ").removeprefix("In 'sweep': ")) from error
    config = whole.copy()
    with open_dict(config):
        del config["hydra"]
    return config, whole


def _set(config: DictConfig, override: Override) -> None:
    key, value = override.key_or_group, override.value()
    node: Any = config
    for depth, part in enumerate(key.split(".")):
        if not isinstance(node, DictConfig) or part not in list(node):  # `in node` is false for a value not yet given
            raise InputError(
                f"override of {key!r}: there is no such key; {_choices(config, key, depth)}"
            )  # no value: a secret?
        node = None if OmegaConf.is_missing(node, part) else node[part]
    if isinstance(node, DictConfig):
        raise InputError(f"override {override.input_line!r}: {key!r} is a section; set one of its keys")
    if not _fits(value, node):
        kinds = {
            bool: "true or false",
            int: "a whole number",
            float: "a number",
            str: "text (quote a number or true: '\"3\"')",
        }
        kind = kinds.get(type(node), "a list")
        raise InputError(
            f"override {override.input_line!r}: {key} must be {kind}, as in {key}={OmegaConf.select(config, key)}"
        )
    OmegaConf.update(config, key, value)


def _choices(config: DictConfig, key: str, depth: int) -> str:
    parent = ".".join(key.split(".")[:depth])
    node = OmegaConf.select(config, parent) if parent else config
    if not isinstance(node, DictConfig):
        return f"{parent} holds a value, not keys"
    valid = [f"{parent}.{name}".lstrip(".") for name in map(str, node) if name != "_target_"]
    below = [f"{name}.{own}" for name in valid if isinstance(config.get(name), DictConfig) for own in config[name]]
    close = difflib.get_close_matches(key, [*valid, *below], n=1)
    return (f"did you mean {close[0]}? " if close else "") + f"valid: {', '.join(valid)}"


def _fits(value: Any, default: Any) -> bool:
    if default is None:
        return True
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    return isinstance(value, type(default)) or (OmegaConf.is_list(default) and isinstance(value, list))
