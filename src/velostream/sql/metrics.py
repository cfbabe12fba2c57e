"""Metrics and log lines from SQL: what the annotations of a statement say, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from velostream.diagnostics import Findings
from velostream.positions import Span
from velostream.sql.annotations import BY_NAME, value_of
from velostream.sql.application import Annotation

_NEEDS_FIELD = ("gauge", "histogram")


@dataclass(frozen=True, slots=True)
class Condition:
    """The text of a SQL condition, and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Metric:
    """A Prometheus metric of the rows that a statement emits. An empty `field` counts rows."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]
    field: str
    condition: Condition | None
    sample_rate: float
    buckets: tuple[float, ...]
    span: Span
    field_span: Span | None = None
    labels_span: Span | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log line for rows that a statement emits."""

    message: str
    level: str
    condition: Condition | None
    span: Span


def metrics_of(annotations: tuple[Annotation, ...]) -> tuple[Metric, ...]:
    """The metrics that a statement's annotations declare, in order."""
    return tuple(_metric(group) for group in _groups(annotations, "metric"))


def logs_of(annotations: tuple[Annotation, ...]) -> tuple[LogLine, ...]:
    """The log lines that a statement's annotations declare, in order."""
    return tuple(_log(group) for group in _groups(annotations, "log"))


def check_metrics(annotations: tuple[Annotation, ...], findings: Findings) -> None:
    """Finds metrics that cannot be collected: two of one name, a gauge of nothing, buckets of something else."""
    seen: set[str] = set()
    for metric in metrics_of(annotations):
        if metric.name in seen:
            message = f"metric '{metric.name}' is declared twice for one statement"
            findings.error("metric", message, metric.span, hint="rename one of them")
        seen.add(metric.name)
        if metric.kind in _NEEDS_FIELD and not metric.field:
            message = f"the {metric.kind} '{metric.name}' has no field to show"
            findings.error("metric", message, metric.span, hint="add -- @metric_field: column")
        if metric.buckets and metric.kind != "histogram":
            message = f"the {metric.kind} '{metric.name}' has buckets, which only a histogram has"
            findings.error("metric", message, metric.span, hint="write -- @metric_type: histogram")


def _groups(annotations: tuple[Annotation, ...], family: str) -> Iterator[dict[str, Annotation]]:
    """The annotations of each metric or log line, by name."""
    group: dict[str, Annotation] = {}
    for annotation in annotations:
        kind = BY_NAME[annotation.name]
        if kind.group != family:
            continue
        if kind.leads and group:
            yield group
            group = {}
        group[annotation.name] = annotation
    if group:
        yield group


def _metric(group: dict[str, Annotation]) -> Metric:
    def value(name: str, default: object) -> object:
        return value_of(group[name]) if name in group else default

    labels, buckets, rate = value("metric_labels", ()), value("metric_buckets", ()), value("metric_sample_rate", 1.0)
    assert isinstance(labels, tuple)
    assert isinstance(buckets, tuple)
    assert isinstance(rate, float)
    lead = group["metric"]
    return Metric(
        name=lead.value,
        kind=str(value("metric_type", "counter")),
        help=str(value("metric_help", "")),
        labels=labels,
        field=str(value("metric_field", "")),
        condition=_condition(group.get("metric_condition")),
        sample_rate=rate,
        buckets=buckets,
        span=lead.span,
        field_span=group["metric_field"].value_span if "metric_field" in group else None,
        labels_span=group["metric_labels"].value_span if "metric_labels" in group else None,
    )


def _log(group: dict[str, Annotation]) -> LogLine:
    lead = group["log"]
    level = str(value_of(group["log_level"])) if "log_level" in group else "info"
    return LogLine(lead.value, level, _condition(group.get("log_condition")), lead.span)


def _condition(annotation: Annotation | None) -> Condition | None:
    return Condition(annotation.value, annotation.value_span) if annotation else None
