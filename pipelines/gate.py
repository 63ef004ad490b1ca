"""python -m pipelines.gate [key=value ...]: may this go on? Exit code 0 if it may, 1 if not, 2 if it cannot be told."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.command import run
from rag.errors import InputError

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from evaluation.decisions.thresholds import Threshold
    from pipelines.gate_baseline import Baseline
    from pipelines.gate_report import Result
    from pipelines.gate_subject import Subject
    from pipelines.tracking import Tracking

HELP = """\
python -m pipelines.gate                          the champion, on the documents and questions of here and now
python -m pipelines.gate gate.run=RUN             the configuration of a run
python -m pipelines.gate gate.run=conf            the configuration in conf/
python -m pipelines.gate chunking.size=384 ...    the same with these keys (experiment=NAME too)

Measures it, holds it against the thresholds of conf/gate and against the last accepted run on the same questions.
Exit code 0: passed, 1: failed, 2: it cannot be told. Everything is logged as a run with the tag `gate`.

gate=strict                     file of conf/gate; or example, or one of yours
gate.thresholds.wrong.max=0.2   another limit; +gate.thresholds.mrr.min=0.5 one more; ~gate.thresholds.wrong none
gate.baseline=accepted          what must not have become worse; or a run's id, or none
gate.accept=false               a run that passes is no baseline for later ones, as for a pull request
gate.junit=gate.xml             write JUnit XML
gate.summary=gate.md            write Markdown; appended to $GITHUB_STEP_SUMMARY where there is one
corpus.path=... golden.path=... judge=... measures.ks=... tracking.uri=... dry_run=true   as in pipelines.evaluate

More: docs/gate.md"""


def gate(arguments: list[str]) -> int:
    """Exit code 0, or 1 if the gate failed. Raises InputError."""
    if {"--help", "-h"} & set(arguments):
        print(HELP)
        return 0
    if flags := [argument for argument in arguments if argument.startswith("-")]:
        raise InputError(f"{flags[0]}: no such option; python -m pipelines.gate --help")

    from pipelines.config import points

    configurations = points("config", arguments)
    if len(configurations) > 1:
        raise InputError("pipelines.gate takes one value for each key")
    (cfg,) = configurations

    from pipelines.dry_run import print_dry_run
    from pipelines.gate_baseline import baseline
    from pipelines.gate_subject import subject
    from pipelines.gate_thresholds import thresholds
    from pipelines.judging import judge
    from pipelines.plan import prepare
    from pipelines.registry import Registry
    from pipelines.tracking import tracking

    files = {} if cfg.dry_run else _files(cfg)
    store, registry = tracking(cfg), Registry(cfg.promote.model)
    chosen = subject(cfg, arguments, registry)
    limits = thresholds(chosen.cfg)
    prepare([chosen.cfg])
    base = baseline(store, registry, cfg.tracking.uri, str(cfg.gate.baseline), judge(chosen.cfg).name)
    if cfg.dry_run:
        return print_dry_run([chosen.cfg])
    result = _measured(store, chosen, limits, base, files)
    return 0 if result.passed else 1


def _measured(
    store: "Tracking", chosen: "Subject", limits: "Sequence[Threshold]", base: "Baseline | None", files: dict[str, Path]
) -> "Result":
    """Measure the point in a run of the gate's own, judge it, and put the result wherever it is wanted."""
    from omegaconf import OmegaConf

    from pipelines import names
    from pipelines.config import below
    from pipelines.gate_judged import judged
    from pipelines.gate_junit import junit
    from pipelines.gate_report import markdown, row, text
    from pipelines.point import measured_with
    from pipelines.tracking import ACCEPTED, GATE, MEASURED

    cfg, point = chosen.cfg, names.point(chosen.cfg)
    with store.point(f"gate · {point}", None, measured_with(cfg), kind="gate") as logged:
        below(cfg, logged.id)
        logged.params(names.params(cfg))
        logged.text(OmegaConf.to_yaml(cfg, resolve=True), "config.yaml")
        result = judged(store, chosen, limits, base, logged.id)
        page, xml = markdown(result), junit(result)
        logged.metrics(
            {own.name: own.value for own in result.findings if own.group == "threshold" and own.value is not None}
        )
        logged.table([row(own) for own in result.findings], "checks.json")
        logged.text(page, "gate.md")
        logged.text(xml, "gate.xml")
        logged.note(page)
        verdict = {GATE: "passed" if result.passed else "failed", MEASURED: result.point}
        logged.tags({**verdict, ACCEPTED: str(result.passed and cfg.gate.accept).lower()})
    print(text(result))
    print(f"\nMLflow run {logged.id}: checks.json, gate.md, gate.xml")
    for name, content in (("junit", xml), ("summary", page)):
        if name in files:
            files[name].write_text(content, encoding="utf-8")
    if "github" in files:
        with files["github"].open("a", encoding="utf-8") as shown:
            shown.write(page)
    return result


def _files(cfg: "DictConfig") -> dict[str, Path]:
    """Where the result is wanted, emptied, so that nobody takes an old one for new. Raises InputError."""
    given = {"junit": cfg.gate.junit, "summary": cfg.gate.summary}
    files = {name: Path(str(path)) for name, path in given.items() if path is not None}
    for name, file in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        except OSError as error:
            raise InputError(f"gate.{name}={file}: {error.strerror}; name a file that can be written") from error
    github = os.environ.get("GITHUB_STEP_SUMMARY")
    return files | ({"github": Path(github)} if github else {})


if __name__ == "__main__":
    run(gate)
