"""Runs: with `pipelines.registry` all that speaks to MLflow.

`experiment` opens runs, `point` fills the open run of a point, `reading` finds runs, `past` reads one again.
"""

from pipelines.tracking.experiment import COMPARISON, Tracking, _tracking, tracking
from pipelines.tracking.past import PastPoint
from pipelines.tracking.point import Point, PointError
from pipelines.tracking.reading import Runs
from pipelines.tracking.record import Run
from pipelines.tracking.store import check_experiment
from pipelines.tracking.tags import (
    FINGERPRINT,
    JOB,
    KIND,
    LONGEST,
    OBJECTIVE,
    PARENT,
    QUESTION,
    REUSED,
    VALIDATED,
    WORKER,
)

__all__ = [
    "COMPARISON",
    "FINGERPRINT",
    "JOB",
    "KIND",
    "LONGEST",
    "OBJECTIVE",
    "PARENT",
    "QUESTION",
    "REUSED",
    "VALIDATED",
    "WORKER",
    "PastPoint",
    "Point",
    "PointError",
    "Run",
    "Runs",
    "Tracking",
    "_tracking",
    "check_experiment",
    "tracking",
]
