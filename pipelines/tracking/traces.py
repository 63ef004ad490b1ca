"""What happened to questions, as MLflow traces of a run."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.tracking.tags import LONGEST_NAME


@dataclass(frozen=True, slots=True)
class Step:
    """A span. `kind`: a name of mlflow.entities.SpanType."""

    name: str
    kind: str
    inputs: Mapping[str, Any]
    outputs: Any
    steps: tuple["Step", ...] = ()


@dataclass(frozen=True, slots=True)
class Traced:
    """A question: `whole` is the outermost span. `label` None: there is none, because of `error`.

    `judge` gave the label, with its `reason` if it has one; `by_model`: it is a language model.
    """

    whole: Step
    label: str | None
    reason: str
    error: str
    judge: str
    by_model: bool
    tags: Mapping[str, str]


def log_traces(run_id: str, experiment_id: str, questions: Sequence[Traced]) -> None:
    """Write a trace a question.

    The stages are computed for all questions at once, so there are no durations of single ones: a span begins and ends
    in the moment of logging, and times say no more than the order of the steps. All spans go to the store together,
    where MLflow's own exporter makes a transaction a span, and drops spans when its queue is full.
    """
    from mlflow.tracing.client import TracingClient
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    client, ids = TracingClient(), RandomIdGenerator()
    spans: list[Any] = []
    for question in questions:
        trace = ids.generate_trace_id()
        spans += _spans(question.whole, trace, None, _Clock(time.time_ns()), ids, bool(question.error))
        client.start_trace(_info(question, f"tr-{trace:032x}", run_id, experiment_id))
    if spans:
        client.log_spans(experiment_id, spans)


class _Clock:
    """Counts on from a moment, in nanoseconds."""

    def __init__(self, now: int) -> None:
        self.now = now

    def tick(self) -> int:
        self.now += 1
        return self.now


def _spans(step: Step, trace: int, parent: int | None, clock: _Clock, ids: Any, failed: bool) -> Iterator[Any]:
    """The span of a step and those below it. Only the outermost one shows that a question failed."""
    from mlflow.entities import Span
    from mlflow.tracing.utils import build_otel_context
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Status, StatusCode

    own, start = ids.generate_span_id(), clock.tick()
    below = [span for inner in step.steps for span in _spans(inner, trace, own, clock, ids, False)]
    attributes = {
        "mlflow.traceRequestId": f"tr-{trace:032x}",
        "mlflow.spanType": step.kind,
        "mlflow.spanInputs": step.inputs,
        "mlflow.spanOutputs": step.outputs,
    }
    yield Span(
        ReadableSpan(
            name=step.name[:LONGEST_NAME],
            context=build_otel_context(trace, own),
            parent=build_otel_context(trace, parent) if parent else None,
            resource=Resource.get_empty(),
            attributes={key: json.dumps(value, ensure_ascii=False) for key, value in attributes.items()},
            status=Status(StatusCode.ERROR if failed else StatusCode.OK),
            start_time=start,
            end_time=clock.tick(),
        )
    )
    yield from below


def _info(question: Traced, trace_id: str, run_id: str, experiment_id: str) -> Any:
    from mlflow.entities import TraceInfo, TraceLocation, TraceState

    return TraceInfo(
        trace_id=trace_id,
        trace_location=TraceLocation.from_experiment_id(experiment_id),
        request_time=time.time_ns() // 1_000_000,
        state=TraceState.ERROR if question.error else TraceState.OK,
        request_preview=question.whole.inputs["question"],
        response_preview=question.error or question.whole.outputs["answer"] or "no answer",
        trace_metadata={"mlflow.sourceRun": run_id, "mlflow.trace_schema.version": "3"},
        tags={"mlflow.traceName": question.whole.name[:LONGEST_NAME], **question.tags},
        assessments=[_assessment(question)],
    )


def _assessment(question: Traced) -> Any:
    """The label as the judge's feedback, or why there is none."""
    from mlflow.entities import AssessmentError, AssessmentSource, Feedback

    source = AssessmentSource("LLM_JUDGE" if question.by_model else "CODE", question.judge)
    if question.label is None:
        return Feedback(name="label", source=source, error=AssessmentError("NO_LABEL", question.error))
    return Feedback(name="label", source=source, value=question.label, rationale=question.reason or None)
