"""How every command starts and ends: bad input is one line and exit code 2."""

import gc
import logging
import os
import sys
from collections.abc import Callable, Sequence

from rag.errors import InputError


def run(command: Callable[[list[str]], int]) -> None:
    """Run a command with the arguments of the command line and exit with its code."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    gc.set_threshold(100_000, 20, 100)  # looking through a sweep's millions of objects took a sixth of its own time
    try:
        code = command(sys.argv[1:])
        sys.stdout.flush()
        sys.exit(code)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # `| head` has read enough; what Python would still flush goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("stopped; what was computed is in the cache, finished points are not computed again", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        from pipelines.tracking import PointError  # by now imported, where it could be raised

        if not isinstance(error, PointError):
            raise
        print(f"failed: {error}", file=sys.stderr)
        sys.exit(1)


def with_hydra(task: Callable, config_name: str, arguments: list[str], raises: bool = False) -> None:
    """Let Hydra run `task` for every point that the arguments span, or answer --cfg and its like.

    `raises`: an exception comes through; without it Hydra prints what it thinks of it and exits.
    """
    import hydra

    from pipelines.config import CONF

    before, sys.argv = sys.argv, [sys.argv[0], *arguments]
    if raises:
        os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        hydra.main(version_base="1.3", config_path=str(CONF), config_name=config_name)(task)()
    finally:
        sys.argv = before


def answered(task: Callable, config_name: str, arguments: list[str]) -> bool:
    """Whether the arguments asked for help, or for what Hydra says of a configuration, and have got it."""
    flags = {argument for argument in arguments if argument.startswith("-")}
    if flags and flags <= {"--help", "-h"}:
        from pipelines.config import help_text

        print(help_text(config_name, [argument for argument in arguments if argument not in flags]))
    elif flags:
        with_hydra(task, config_name, arguments)
    return bool(flags)


def check_keys(overrides: Sequence[str], valid: Sequence[str]) -> None:
    """Raises InputError for a key that a command would not look at."""
    if odd := [own for own in overrides if own.partition("=")[0] not in valid]:
        raise InputError(f"{odd[0]}: not a key of this command; valid: {', '.join(valid)}")
