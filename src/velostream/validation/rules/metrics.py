"""@metric across statements: one name means one thing, none is the engine's own, and somebody must collect it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look

RESERVED = ("app", "job_name", "le")
"""Labels that every series has, and the one of a histogram's bounds."""
OWN = "velo_"
_PARTS = ("_bucket", "_count", "_sum")


def check(statement: BoundStatement, look: Look) -> None:
    """Looks at the metrics of a statement, beside those of the statements before it."""
    for bound in statement.metrics:
        _check_name(bound.metric, look)
        _check_labels(bound.metric, look)
        _check_others(bound.metric, statement, look)
    spans = [bound.metric.span for bound in statement.metrics] + [bound.line.span for bound in statement.logs]
    if spans and not statement.is_job:
        message = f"stream '{statement.name}' has no sink and is part of its readers: nobody measures its rows"
        hint = "put the annotation before a statement that reads it, or give the stream a sink"
        look.findings.error("metric", message, spans[0], hint=hint)


def series_of(metric: Any) -> Iterator[str]:
    """The names of a metric's series at Prometheus."""
    if metric.kind == "histogram":
        yield from (metric.name + part for part in _PARTS)
    yield metric.name if metric.kind != "counter" or metric.name.endswith("_total") else f"{metric.name}_total"


def _check_name(metric: Any, look: Look) -> None:
    if metric.name.startswith(OWN):
        message = f"metric '{metric.name}' begins with '{OWN}', as only the engine's own do"
        look.findings.error(
            "metric", message, metric.span, hint=f"name it {metric.name.removeprefix(OWN) or 'rows_total'}"
        )
    elif metric.kind == "counter" and not metric.name.endswith("_total"):
        message = (
            f"the counter '{metric.name}' is shown as '{metric.name}_total', since Prometheus' counters end in _total"
        )
        look.findings.warning("metric", message, metric.span, hint=f"name it {metric.name}_total")


def _check_labels(metric: Any, look: Look) -> None:
    for label in metric.labels:
        if label.casefold() in RESERVED:
            message = f"metric '{metric.name}' has the label '{label}', which every series has already"
            hint = "give the column another name with AS"
            look.findings.error("metric", message, metric.labels_span or metric.span, hint=hint)


def _check_others(metric: Any, statement: BoundStatement, look: Look) -> None:
    """A name that an earlier statement has must mean the same: Prometheus knows one type and one set of labels."""
    for other in look.statements.values():
        if other is statement:
            break
        for known in (bound.metric for bound in other.metrics):
            shape = (known.name, known.kind, known.labels, known.buckets)
            if not set(series_of(known)) & set(series_of(metric)):
                continue
            if shape != (metric.name, metric.kind, metric.labels, metric.buckets):
                message = f"metric '{metric.name}' is another one than '{known.name}' of '{other.name}', with its name"
                hint = "rename one, or give both the same type, labels and buckets"
                look.findings.error("metric", message, metric.span, hint=hint)
                return
