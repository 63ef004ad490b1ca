"""Composing configurations: every point of a sweep is known, and known to be well formed, before anything runs."""

import difflib
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, InstantiationException, OverrideParseException
from hydra.utils import instantiate
from omegaconf import DictConfig, MissingMandatoryValue, OmegaConf

from rag.errors import InputError

ROOT = Path(__file__).parent.parent
CONF = ROOT / "conf"

OmegaConf.register_new_resolver("project", lambda path: str(ROOT / path), replace=True)
OmegaConf.register_new_resolver("scratch", lambda: str(Path(tempfile.gettempdir(), "messlatte-hydra")), replace=True)


def make(section: DictConfig | dict[Any, Any], **arguments: Any) -> Any:
    """Make the part that a section describes. Raises InputError if it cannot be made."""
    try:
        return instantiate(section, **arguments)
    except MissingMandatoryValue as error:
        raise InputError(f"{error.full_key} has no value; set it, as in {error.full_key}=...") from error
    except InstantiationException as error:
        if isinstance(error.__cause__, InputError):
            raise error.__cause__ from None
        raise InputError(" ".join(str(error).split())) from error


def points(config_name: str, overrides: Sequence[str]) -> list[DictConfig]:
    """The configuration of every point that these overrides span, in the order in which Hydra runs them.

    Raises InputError in one line for an override that does not fit; it names the valid choices.
    """
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return [_point(config_name, own) for own in _expanded(config_name, overrides)]


def _expanded(config_name: str, overrides: Sequence[str]) -> list[list[Override]]:
    """The axes of the configuration and of the command line, multiplied out; the command line goes first."""
    given = _parsed(overrides)
    choices = tuple(o.input_line or "" for o in given if _chooses(o) and not o.is_sweep_override())
    hydra = _composed(config_name, choices, hydra=True).hydra
    axes = hydra.sweeper.get("params") or {} if hydra.mode and hydra.mode.name == "MULTIRUN" else {}
    everything = _parsed([*(f"{key}={value}" for key, value in axes.items()), *overrides])
    batches = BasicSweeper.split_arguments(everything, max_batch_size=None)
    return [_parsed(own) for batch in batches for own in batch]


def _parsed(overrides: Sequence[str]) -> list[Override]:
    for text in overrides:
        if text.startswith("=") or "=" not in text.lstrip("~"):
            raise InputError(f"override {text!r} cannot be read; write key=value, or key=value,value in a sweep")
    try:
        return OverridesParser.create().parse_overrides(list(overrides))
    except OverrideParseException as error:
        raise InputError(
            f"override {error.override!r} cannot be read; write key=value, or quote it: 'key=\"a value\"'"
        ) from error


def _chooses(override: Override) -> bool:
    """Whether it takes part in Hydra's composition (a group's choice, an added key), not only in setting a value."""
    key = override.key_or_group
    return override.is_add() or override.is_delete() or key.startswith("hydra") or (CONF / key).is_dir()


def _point(config_name: str, overrides: Sequence[Override]) -> DictConfig:
    # Composing takes a tenth of a second: once for equal choices, then values are set, as Hydra does it too.
    config = _composed(config_name, tuple(o.input_line or "" for o in overrides if _chooses(o))).copy()
    for override in overrides:
        if not _chooses(override):
            _set(config, override)
    return config


@cache
def _composed(config_name: str, overrides: tuple[str, ...], hydra: bool = False) -> DictConfig:
    try:
        return compose(config_name, overrides=list(overrides), return_hydra_config=hydra)
    except (HydraException, ValueError) as error:
        message = " ".join(str(error).partition("Config search path")[0].split())
        raise InputError(message.removeprefix("In 'config': ").removeprefix("In 'sweep': ")) from error


def _set(config: DictConfig, override: Override) -> None:
    key, value = override.key_or_group, override.value()
    node: Any = config
    for depth, part in enumerate(key.split(".")):
        if not isinstance(node, DictConfig) or part not in node.keys():  # noqa: SIM118 - `in` denies a value still missing
            raise InputError(f"override {override.input_line!r}: no key {key!r}; {_choices(config, key, depth)}")
        node = None if OmegaConf.is_missing(node, part) else node[part]
    if isinstance(node, DictConfig):
        raise InputError(f"override {override.input_line!r}: {key!r} is a section; set one of its keys")
    if not _fits(value, node):
        kind = {bool: "true or false", int: "a whole number", float: "a number"}.get(type(node), type(node).__name__)
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
    close = difflib.get_close_matches(key, valid, n=1)
    return (f"did you mean {close[0]}? " if close else "") + f"valid: {', '.join(valid)}"


def _fits(value: Any, default: Any) -> bool:
    if default is None or isinstance(default, str):
        return True
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    return isinstance(value, type(default)) or (OmegaConf.is_list(default) and isinstance(value, list))
