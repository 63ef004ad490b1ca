"""python -m pipelines.golden check|lock [--json] [key=value ...]: what a golden set is worth, and its lock."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from pipelines.command import run
from rag.errors import InputError

if TYPE_CHECKING:
    from omegaconf import DictConfig

HELP = """\
python -m pipelines.golden check [--json] [key=value ...]   print a report; exit code 1 if anything is unusable
python -m pipelines.golden lock [key=value ...]             write <golden.path>.lock.json

Keys are those of the other commands: golden.path=FILE corpus.path=FOLDER, or for example
  golden=squad golden.path=FILE corpus=squad corpus.path=FILE
  golden=datasets golden.path=FILE golden.columns.question=frage corpus=datasets corpus.path=FILE
More: docs/golden-set.md"""


def golden(arguments: list[str]) -> int:
    """Exit code 0: nothing unusable; 1: the report lists unusable records or references. Raises InputError."""
    flags = {argument for argument in arguments if argument.startswith("-")}
    if flags & {"--help", "-h"}:
        print(HELP)
        return 0
    action, *overrides = [argument for argument in arguments if argument not in flags] or [""]
    if action not in ("check", "lock") or flags - ({"--json"} if action == "check" else set()):
        raise InputError(f"{' '.join(arguments) or 'no action'}: write check [--json] or lock, then key=value ...")
    from pipelines.config import points

    configurations = points("config", overrides)
    if len(configurations) > 1:
        raise InputError("pipelines.golden takes one value for each key")
    return _check(configurations[0], "--json" in flags) if action == "check" else _lock(configurations[0])


def _check(cfg: "DictConfig", as_json: bool) -> int:
    from evaluation.golden.check import check
    from evaluation.golden.lock import read_lock
    from evaluation.golden.report import as_text
    from pipelines.config import make
    from pipelines.stages import read_golden

    report = check(read_golden(cfg), make(cfg.corpus), read_lock(cfg.golden.path))
    print(json.dumps(asdict(report), ensure_ascii=False, indent=2) if as_json else as_text(report))
    return 1 if report.findings else 0


def _lock(cfg: "DictConfig") -> int:
    from evaluation.evidence import resolve
    from evaluation.golden.lock import locked_texts, write_lock
    from pipelines.config import make
    from pipelines.stages import read_golden
    from rag.findings import stop_on

    read, documents = read_golden(cfg), make(cfg.corpus)
    stop_on(read.findings, cfg.golden.path)
    lock = locked_texts(read.questions, resolve(read.questions, documents), documents)
    print(f"{write_lock(cfg.golden.path, lock)}: {len(lock)} questions locked")
    return 0


if __name__ == "__main__":
    run(golden)
