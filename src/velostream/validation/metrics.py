"""@metric: its condition, field and labels speak of the columns that come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.registry import did_you_mean
from velostream.sql.metrics import Metric, metrics_of
from velostream.validation.bound import BoundExpression, BoundMetric, BoundQuery
from velostream.validation.expressions import ExpressionBinder
from velostream.validation.scope import Scope, ScopeInput

if TYPE_CHECKING:
    from velostream.validation.context import Context
    from velostream.validation.units import Unit

_ROW = "row"


def bind_metrics(unit: Unit, query: BoundQuery, context: Context) -> tuple[BoundMetric, ...]:
    """The metrics of a statement, bound to its output."""
    metrics = metrics_of(unit.parsed.annotations)
    if not metrics:
        return ()
    scope = Scope([ScopeInput(_ROW, query.schema, ("_event_time", "_timestamp", "_processing_time"))])
    binder = ExpressionBinder(scope, context.findings, context.library, lambda node, outer: None)
    return tuple(_metric(metric, query, binder, context) for metric in metrics)


def _metric(metric: Metric, query: BoundQuery, binder: ExpressionBinder, context: Context) -> BoundMetric:
    for label in metric.labels:
        if query.schema.find(label) is None and not query.schema.is_open:
            hint = did_you_mean(label, query.schema.names, "columns")
            context.findings.error(
                "metric",
                f"metric '{metric.name}' has the label '{label}', which is no column",
                metric.labels_span or metric.span,
                hint=hint,
            )
    condition = _condition(metric, binder, context)
    return BoundMetric(metric, condition, _field(metric, binder, context), tuple(metric.labels))


def _condition(metric: Metric, binder: ExpressionBinder, context: Context) -> BoundExpression | None:
    if metric.condition is None:
        return None
    return _plain(context.bind_condition(metric.condition.text, metric.condition.span, binder, "@metric_condition"))


def _field(metric: Metric, binder: ExpressionBinder, context: Context) -> BoundExpression | None:
    tree = context.parse_text(metric.field, metric.field_span) if metric.field else None
    if tree is None:
        return None
    bound = binder.bind(tree)
    if bound.type.is_known and not bound.type.is_numeric:
        hint = "measure a number; text goes into a label"
        context.findings.error("metric", f"@metric_field takes a number, not {bound.type}", bound.span, hint=hint)
    return _plain(bound)


def _plain(bound: BoundExpression) -> BoundExpression:
    """Fields by their plain output names."""
    for column in bound.tree.find_all(exp.Column):
        column.this.set("this", column.name.removeprefix(f"{_ROW}."))
    return bound
