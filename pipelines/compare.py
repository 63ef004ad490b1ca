"""python -m pipelines.compare [RUN ...] [key=value ...]: which differences between runs are real."""

from contextlib import nullcontext
from typing import TYPE_CHECKING

from pipelines.command import run
from rag.errors import InputError

if TYPE_CHECKING:
    from pipelines.comparison import Compared
    from pipelines.registry import Registry

HELP = """\
python -m pipelines.compare                    all points of the experiment
python -m pipelines.compare SWEEP              the points of a sweep, by the id of its run
python -m pipelines.compare RUN RUN ...        these points; sweeps may be among them

baseline=RUN             compared with all others; or `champion` (default: the sweep's BM25 point, else the first)
objective=correct        ranked by; or recall_at_top_k, mrr
flips=RUN,RUN            question by question (default: the baseline and the best)
tracking.experiment=... tracking.uri=...

Logs report.html, tables and pictures to the sweep, else to a run of kind `comparison`. More: docs/decisions.md"""
OWN = {"baseline": "", "objective": "correct", "flips": ""}
PASSED_ON = ("tracking.experiment", "tracking.uri")
CONTENTS = "All of it: artifact `report.html`; its tables and pictures: `compare/`."
SHOWN = 10


def compare(arguments: list[str]) -> int:
    """Exit code 0. Raises InputError."""
    if {"--help", "-h"} & set(arguments):
        print(HELP)
        return 0
    if flags := [argument for argument in arguments if argument.startswith("-")]:
        raise InputError(f"{flags[0]}: no such option; python -m pipelines.compare --help")
    named = [argument for argument in arguments if "=" not in argument]
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if odd := [key for key in given if key not in OWN and key not in PASSED_ON]:
        raise InputError(f"{odd[0]}={given[odd[0]]}: no such key; valid: {', '.join([*OWN, *PASSED_ON])}")
    own = {key: given.pop(key, default) for key, default in OWN.items()}

    from pipelines.comparison import compared
    from pipelines.comparison_report import pictures, render, summary
    from pipelines.comparison_tables import tables
    from pipelines.config import points
    from pipelines.registry import CHAMPION, Registry
    from pipelines.selection import select
    from pipelines.tracking import check_experiment, tracking

    cfg = points("config", [f"{key}={value}" for key, value in given.items()])[0]
    check_experiment(cfg.tracking.experiment, cfg.tracking.uri)
    store = tracking(cfg)
    baseline = own["baseline"]
    if baseline == CHAMPION:
        baseline = _champion(Registry(cfg.promote.model))
    selection = select(store, named, baseline)
    found = compared(selection, cfg.tracking.uri, own["objective"], own["flips"])
    drawn, lines = pictures(found), summary(found)
    name = f"comparison · {len(found.results)} runs"
    with nullcontext(selection.sweep) if selection.sweep else store.comparison(name) as run_id:
        assert run_id
        note = "\n\n".join([*filter(None, [selection.warned]), " ".join(lines), CONTENTS])
        address = store.attach_comparison(run_id, render(found, drawn), tables(found), drawn, note, found.objective)
    _say(found, lines)
    print(f"\nReport, tables and pictures are with run {run_id}: `make ui`, then http://127.0.0.1:5000{address}")
    return 0


def _champion(registry: "Registry") -> str:
    """The run of the champion. Raises InputError if there is none."""
    if version := registry.champion():
        return version.run
    raise InputError(f"no version of the model {registry.name!r} has the alias 'champion'; name a run")


def _say(found: "Compared", lines: list[str]) -> None:
    print(f"{'#':>3}  {found.objective:>9}  95 % interval    against the baseline      ")
    for rank, standing in enumerate(found.standings[:SHOWN], start=1):
        value = standing.values[found.objective]
        low, high = value.interval
        versus = f"{value.versus.difference:+.3f} {value.verdict}" if value.versus else "the baseline"
        mark = "=" if standing.tied else " "
        name = found.results[standing.row].name
        print(f"{rank:3}{mark} {value.value:9.3f}  {low:.3f} to {high:.3f}  {versus:22}  {name}")
    if len(found.standings) > SHOWN:
        print(f"... and {len(found.standings) - SHOWN} more; = is tied with the best")
    print("\n" + "\n".join(line.replace("**", "") for line in lines))
    for effect in found.effects[found.objective]:
        print(
            f"  {effect.axis} {effect.reference} -> {effect.level}: {effect.difference:+.3f}"
            f" ({effect.interval.low:+.3f} to {effect.interval.high:+.3f})"
        )
    if found.selection.warned:
        print(found.selection.warned)
    for odd, reason in found.selection.left_out[:SHOWN]:
        print(f"LEFT OUT {odd.name} ({odd.id}): {reason}")
    if len(found.selection.left_out) > SHOWN:
        print(f"... and {len(found.selection.left_out) - SHOWN} more")


if __name__ == "__main__":
    run(compare)
