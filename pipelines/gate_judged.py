"""From a configuration to the gate's result: measure it, hold it against limits and baseline."""

from collections.abc import Sequence

from evaluation.decisions.findings import Finding
from evaluation.decisions.thresholds import Threshold
from pipelines.gate_baseline import Baseline, Common, common
from pipelines.gate_regressions import lost, regressions
from pipelines.gate_report import Result
from pipelines.gate_subject import Subject
from pipelines.gate_thresholds import held
from pipelines.plan import characters
from pipelines.point import run_point
from pipelines.progress import bar
from pipelines.tracking import PastPoint, PointError, Tracking


def judged(store: Tracking, chosen: Subject, limits: Sequence[Threshold], base: Baseline | None, own: str) -> Result:
    """The point's findings; the one that it could not be computed, if so."""
    cfg = chosen.cfg
    try:
        with bar(characters([cfg]), 1):
            run = run_point(cfg)
    except PointError as error:
        finding = Finding("measurement", "point", None, None, "is computed", "failed", str(error))
        return Result(chosen.said, "compared with nothing", own, "none", [finding], [])
    rows = PastPoint(run.id, cfg.tracking.uri).questions()
    shared = common(base.rows, rows) if base else Common([], [], 0)
    by = run.tags["judge"]
    findings = [held(limit, cfg, run, rows) for limit in limits]
    findings += regressions(base, str(cfg.gate.baseline), run, shared, lambda of: store.noise(by, of))
    return Result(
        subject=f"{run.name}: {chosen.said}",
        base=_compared(base, shared, len(rows), by),
        run=own,
        point=run.id,
        findings=findings,
        lost=lost(base, run, shared),
    )


def _compared(base: Baseline | None, shared: Common, questions: int, judge: str) -> str:
    asked = f"{questions} questions, judge {judge}"
    if base is None:
        return f"{asked}; compared with nothing"
    unlike = f", as {shared.unlike} are new or no longer the same" if shared.unlike else ""
    return f"{asked}; compared with {base.said} on {len(shared.after)} of them{unlike}"
