"""@metric with the annotations that belong to it, as one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from velostream.positions import Span
from velostream.sql.annotations import kind_of, value_of
from velostream.sql.application import Annotation


@dataclass(frozen=True, slots=True)
class Metric:
    """A counter, gauge or histogram over the rows that a statement emits. `condition` and `field` are SQL text."""

    name: str
    span: Span
    kind: str = "counter"
    help: str = ""
    labels: tuple[str, ...] = ()
    field: str = ""
    field_span: Span | None = None
    condition: str = ""
    condition_span: Span | None = None
    sample_rate: float = 1.0
    buckets: tuple[float, ...] = ()


def metrics_of(annotations: Iterable[Annotation]) -> tuple[Metric, ...]:
    """The metrics that a statement's annotations declare: each @metric, and the @metric_… behind it."""
    groups: list[list[Annotation]] = []
    for annotation in annotations:
        kind = kind_of(annotation.name)
        if kind is None or kind.group != "metric":
            continue
        if kind.leads:
            groups.append([])
        if groups:
            groups[-1].append(annotation)
    return tuple(_metric(group) for group in groups)


def _metric(group: list[Annotation]) -> Metric:
    values = {annotation.name: value_of(annotation) for annotation in group}
    spans = {annotation.name: annotation.value_span for annotation in group}
    labels, buckets = values.get("metric_labels", ()), values.get("metric_buckets", ())
    return Metric(
        str(values["metric"]),
        group[0].span,
        str(values.get("metric_type", "counter")),
        str(values.get("metric_help", "")),
        tuple(str(label) for label in labels) if isinstance(labels, tuple) else (),
        str(values.get("metric_field", "")),
        spans.get("metric_field"),
        str(values.get("metric_condition", "")),
        spans.get("metric_condition"),
        float(str(values.get("metric_sample_rate", 1.0))),
        tuple(float(bound) for bound in buckets) if isinstance(buckets, tuple) else (),
    )
