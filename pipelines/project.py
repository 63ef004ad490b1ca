"""The entry points of MLproject: `mlflow run` hands all overrides over as one string."""

import shlex
import sys
from collections.abc import Callable

from pipelines.command import run
from pipelines.compare import compare
from pipelines.evaluate import evaluate
from pipelines.gate import gate
from pipelines.promote import promote
from pipelines.sweep import sweep
from pipelines.threshold import threshold

COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "sweep": sweep,
    "evaluate": evaluate,
    "compare": compare,
    "threshold": threshold,
    "promote": promote,
    "gate": gate,
}

if __name__ == "__main__":
    name, overrides = sys.argv[1:]
    sys.argv = [name, *shlex.split(overrides)]
    run(COMMANDS[name])
