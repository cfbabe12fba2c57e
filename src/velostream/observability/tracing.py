"""OpenTelemetry spans of jobs: one for each job, micro-batch and stage, exported as the usual variables say.

A micro-batch is a trace of its own, linked to its job and to the traces that its records came with: a job runs for
months, and a trace of months can be looked at by nobody. Its traceparent goes to sinks (`events.TRACEPARENT`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from velostream import __version__
from velostream.errors import VeloError
from velostream.events import (
    TRACEPARENT,
    BatchBegan,
    BatchEnded,
    Event,
    JobEnded,
    JobStarted,
    StageEnded,
    TracesSeen,
)

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.plan.job import Job

ENABLED = "observability.tracing.enabled"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HTTP, GRPC = "http/protobuf", "grpc"
_NODE = {"deployment.node_id": "host.id", "deployment.node_name": "host.name", "deployment.region": "cloud.region"}


def is_traced(job: Job) -> bool:
    """True where the job says so, or says nothing and the environment names somebody to send spans to."""
    if os.environ.get("OTEL_SDK_DISABLED", "").casefold() == "true":
        return False
    told = job.settings.find(ENABLED) if job.settings is not None else None
    if told is not None:
        return bool(told.value)
    return any(os.environ.get(name) for name in ENDPOINTS)


def exporter() -> SpanExporter:
    """What sends spans, by the protocol that the environment names."""
    protocol = next((os.environ[name] for name in PROTOCOLS if os.environ.get(name)), HTTP)
    if protocol == GRPC:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc

        return Grpc()
    if protocol != HTTP:
        message = f"spans cannot be sent by '{protocol}'"
        raise VeloError(message, hint=f"set OTEL_EXPORTER_OTLP_PROTOCOL to {HTTP} or {GRPC}", code="usage")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http

    return Http()


class Tracing:
    """Listens to jobs, and makes spans of what it hears."""

    def __init__(self, runner: Runner, spans: SpanExporter | None = None) -> None:
        self.runner = runner
        name = os.environ.get("OTEL_SERVICE_NAME") or "velostream"
        told = {"service.name": name, "service.version": __version__, "velostream.app": runner.plan.name}
        self.provider = TracerProvider(resource=Resource.create(told), shutdown_on_exit=False)
        self.provider.add_span_processor(BatchSpanProcessor(spans or exporter()))
        self.tracer = self.provider.get_tracer("velostream", __version__)
        self.jobs: dict[str, Span] = {}
        self.batches: dict[str, Span] = {}
        self.traced: dict[str, bool] = {}

    def __call__(self, event: Event) -> None:
        """Takes what is published."""
        if not self._listens(event.job):
            return
        if isinstance(event, JobStarted):
            self._job(event)
        elif isinstance(event, JobEnded):
            self._job_ended(event)
        elif isinstance(event, BatchBegan):
            self._batch(event)
        elif isinstance(event, TracesSeen):
            self._linked(event)
        elif isinstance(event, StageEnded):
            self._stage(event)
        else:
            self._batch_ended(event)

    def close(self) -> None:
        """Sends what is not sent yet; jobs that were left running end with it."""
        for span in (*self.batches.values(), *self.jobs.values()):
            span.end()
        self.provider.shutdown()

    def _listens(self, name: str) -> bool:
        if name not in self.traced:
            job = self.runner.plan.job(name)
            self.traced[name] = job is not None and is_traced(job)
        return self.traced[name]

    def _told(self, name: str) -> dict[str, Any]:
        job = self.runner.plan.job(name)
        told: dict[str, Any] = {"velostream.job": name, "velostream.app": self.runner.plan.name}
        if job is not None:
            told["velostream.statement"] = job.line
            known = {key: job.settings.get(key) if job.settings is not None else None for key in _NODE}
            told |= {_NODE[key]: str(value) for key, value in known.items() if value is not None}
        return told

    def _job(self, event: JobStarted) -> None:
        if event.job in self.jobs:  # its query was started again
            self.jobs.pop(event.job).end(event.at)
        attributes = self._told(event.job)
        self.jobs[event.job] = self.tracer.start_span(f"job {event.job}", start_time=event.at, attributes=attributes)

    def _job_ended(self, event: JobEnded) -> None:
        span = self.jobs.pop(event.job, None)
        if span is None:
            return
        span.set_attribute("velostream.state", event.state)
        if event.error:
            span.set_status(Status(StatusCode.ERROR, event.error))
        span.end(event.at)

    def _batch(self, event: BatchBegan) -> None:
        job = self.jobs.get(event.job)
        links = [Link(job.get_span_context())] if job is not None else []
        attributes = {**self._told(event.job), "velostream.batch": event.number}
        span = self.tracer.start_span(
            f"batch {event.job}", start_time=event.at, kind=SpanKind.CONSUMER, links=links, attributes=attributes
        )
        self.batches[event.job] = span
        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier, set_span_in_context(span))
        TRACEPARENT.set(carrier.get("traceparent", ""))

    def _linked(self, event: TracesSeen) -> None:
        """A micro-batch continues many traces: it is linked to each."""
        span = self.batches.get(event.job)
        if span is None:
            return
        for text in event.traceparents:
            carried = TraceContextTextMapPropagator().extract({"traceparent": text})
            context = get_current_span(carried).get_span_context()
            if context.is_valid:
                span.add_link(context)

    def _stage(self, event: StageEnded) -> None:
        batch = self.batches.get(event.job)
        if batch is None:
            return
        kind = SpanKind.PRODUCER if event.stage.startswith("sink ") else SpanKind.INTERNAL
        attributes: dict[str, Any] = {"velostream.job": event.job, "velostream.batch": event.number}
        if event.rows is not None:
            attributes["velostream.rows"] = event.rows
        span = self.tracer.start_span(
            event.stage, set_span_in_context(batch), start_time=event.began, kind=kind, attributes=attributes
        )
        span.end(event.at)

    def _batch_ended(self, event: BatchEnded) -> None:
        TRACEPARENT.set("")
        span = self.batches.pop(event.job, None)
        if span is None:
            return
        span.set_attribute("velostream.rows", event.rows)
        if event.error:
            span.set_status(Status(StatusCode.ERROR, event.error))
        span.end(event.at)
