"""@metric and @log: conditions, fields and labels speak of the columns that come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.registry import did_you_mean
from velostream.sql.metrics import Condition, Metric, logs_of, metrics_of
from velostream.validation.bound import BoundExpression, BoundLog, BoundMetric, BoundQuery
from velostream.validation.expressions import ExpressionBinder
from velostream.validation.scope import Scope, ScopeInput

if TYPE_CHECKING:
    from velostream.validation.context import Context
    from velostream.validation.units import Unit

_ROW = "row"


def bind_metrics(unit: Unit, query: BoundQuery, context: Context) -> tuple[BoundMetric, ...]:
    """The metrics of a statement, bound to its output."""
    metrics = metrics_of(unit.parsed.annotations)
    binder = _binder(query, context)
    return tuple(_metric(metric, query, binder, context) for metric in metrics)


def bind_logs(unit: Unit, query: BoundQuery, context: Context) -> tuple[BoundLog, ...]:
    """The log lines of a statement, bound to its output."""
    binder = _binder(query, context)
    lines = logs_of(unit.parsed.annotations)
    return tuple(BoundLog(line, _condition(line.condition, binder, context, "@log_condition")) for line in lines)


def _binder(query: BoundQuery, context: Context) -> ExpressionBinder:
    scope = Scope([ScopeInput(_ROW, query.schema, ("_event_time", "_timestamp", "_processing_time"))])
    return ExpressionBinder(scope, context.findings, context.library, lambda node, outer: None)


def _metric(metric: Metric, query: BoundQuery, binder: ExpressionBinder, context: Context) -> BoundMetric:
    labels = []
    for label in metric.labels:
        found = query.schema.find(label)
        labels.append(label if found is None else found.name)
        if found is None and not query.schema.is_open:
            hint = did_you_mean(label, query.schema.names, "columns")
            context.findings.error(
                "metric",
                f"metric '{metric.name}' has the label '{label}', which is no column",
                metric.labels_span or metric.span,
                hint=hint,
            )
    condition = _condition(metric.condition, binder, context, "@metric_condition")
    return BoundMetric(metric, condition, _field(metric, binder, context), tuple(labels))


def _condition(
    written: Condition | None, binder: ExpressionBinder, context: Context, what: str
) -> BoundExpression | None:
    return None if written is None else _plain(context.bind_condition(written.text, written.span, binder, what))


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
