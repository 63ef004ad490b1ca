"""Runs: with `pipelines.registry` all that speaks to MLflow.

`experiment` opens runs, `point` fills the open run of a point, `reading` finds runs, `past` reads one again.
"""

from pipelines.tracking.experiment import COMPARISON, Tracking, _tracking, tracking
from pipelines.tracking.logged_names import HEADLINE
from pipelines.tracking.past import PastPoint
from pipelines.tracking.point import Point, PointError
from pipelines.tracking.reading import Runs
from pipelines.tracking.record import Run
from pipelines.tracking.store import check_experiment, store_state, use_store
from pipelines.tracking.tags import (
    ACCEPTED,
    BASELINE,
    BESIDE,
    FINGERPRINT,
    GATE,
    JOB,
    KIND,
    LONGEST,
    MEASURED,
    OBJECTIVE,
    PARENT,
    PRUNED,
    QUESTION,
    REUSED,
    VALIDATED,
    WORKER,
)
from pipelines.tracking.traces import Step, Traced

__all__ = [
    "ACCEPTED",
    "BASELINE",
    "BESIDE",
    "COMPARISON",
    "FINGERPRINT",
    "GATE",
    "HEADLINE",
    "JOB",
    "KIND",
    "LONGEST",
    "MEASURED",
    "OBJECTIVE",
    "PARENT",
    "PRUNED",
    "QUESTION",
    "REUSED",
    "VALIDATED",
    "WORKER",
    "PastPoint",
    "Point",
    "PointError",
    "Run",
    "Runs",
    "Step",
    "Traced",
    "Tracking",
    "_tracking",
    "check_experiment",
    "store_state",
    "tracking",
    "use_store",
]
