"""EMIT clauses and emit.* properties together: one mode, and what contradicts it is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.config.origin import Layer
from velostream.sql.nodes import Duration, Emit
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundEmission, BoundExpression
from velostream.validation.grouping import aggregates_of

if TYPE_CHECKING:
    from velostream.positions import Span
    from velostream.validation.context import Context
    from velostream.validation.expressions import ExpressionBinder


class _Collected:
    """What clauses and properties ask for, each with its place."""

    def __init__(self) -> None:
        self.modes: dict[str, Span | None] = {}
        self.early: int | None = None
        self.condition: BoundExpression | None = None
        self.fallback: int | None = None
        self.every_count: int | None = None
        self.span: Span | None = None


def bind_emission(
    emits: list[Emit], binder: ExpressionBinder, context: Context, *, windowed: bool, grouped: bool
) -> BoundEmission | None:
    """How the rows of a SELECT go out; None where it neither groups nor says anything about it."""
    asked = _Collected()
    grouped_rows, binder.scope.windowed = binder.scope.windowed, False  # conditions speak of single records
    for emit in emits:
        _clause(emit, asked, binder, context)
    settings = context.settings
    granularity, accumulation = settings.text("emit.granularity"), settings.text("emit.accumulation")
    if grouped:
        _properties(asked, binder, context)
    binder.scope.windowed = grouped_rows
    _refuse_aggregates(asked, binder, context)
    if not (grouped or emits):
        return None
    if len(asked.modes) > 1:
        message = f"two modes of emission: {' and '.join(asked.modes)}"
        context.findings.error("emit-conflict", message, list(asked.modes.values())[-1], hint="keep one")
    mode = next(iter(asked.modes), "FINAL" if windowed else "CHANGES")
    _contradictions(mode, asked, accumulation, context)
    _refuse_granularity(mode, context)
    return BoundEmission(
        mode,
        bool(emits or asked.modes),
        granularity,
        accumulation,
        asked.early,
        asked.condition,
        asked.fallback,
        asked.every_count,
        asked.span,
    )


def _clause(emit: Emit, asked: _Collected, binder: ExpressionBinder, context: Context) -> None:
    kind, span = str(emit.this), span_of(emit)
    asked.span = asked.span or span
    if kind in ("CHANGES", "FINAL", "ON WATERMARK"):
        asked.modes["FINAL" if kind == "ON WATERMARK" else kind] = span
        return
    interval, fallback, rows = emit.args.get("interval"), emit.args.get("fallback"), emit.args.get("rows")
    repeated = (
        (interval is not None and asked.early is not None)
        or (emit.args.get("condition") is not None and asked.condition is not None)
        or (rows is not None and asked.every_count is not None)
    )
    if repeated:
        context.findings.error("emit-conflict", f"EMIT {kind} is given twice", span, hint="keep one")
    if isinstance(interval, Duration):
        asked.early = interval.micros
    if isinstance(fallback, Duration):
        asked.fallback = fallback.micros
    if emit.args.get("condition") is not None:
        asked.condition = binder.condition(emit.args["condition"], "EMIT WHEN")
    if rows is not None:
        asked.every_count = _count(rows, context)


def _count(node: exp.Expr, context: Context) -> int | None:
    text = node.name
    if not text.isdecimal() or int(text) < 1:
        message = f"EMIT EVERY takes a number of rows, not '{text}'"
        context.findings.error("emit-conflict", message, span_of(node), hint="EMIT EVERY 100 ROWS")
        return None
    return int(text)


def _properties(asked: _Collected, binder: ExpressionBinder, context: Context) -> None:
    settings = context.settings
    pairs = (("emit.early", "early"), ("emit.fallback", "fallback"), ("emit.every.count", "every_count"))
    for name, attribute in pairs:
        value = settings.value(name)
        if value is None or value.value is None:
            continue
        current = getattr(asked, attribute)
        if current is not None and current != value.value:
            message = f"EMIT and '{name}' say different things"
            context.findings.error("emit-conflict", message, value.origin.span or asked.span, hint="keep one")
        setattr(asked, attribute, value.value)
        asked.span = asked.span or value.origin.span
    mode = settings.value("emit")
    if mode is not None and mode.value is not None:
        asked.modes.setdefault(str(mode.value).upper(), mode.origin.span)
    condition = settings.value("emit.on")
    if condition is not None and condition.value is not None:
        if asked.condition is not None:
            span = condition.origin.span
            context.findings.error("emit-conflict", "EMIT WHEN and 'emit.on' are both given", span, hint="keep one")
        asked.condition = context.bind_text(condition, binder)


def _refuse_aggregates(asked: _Collected, binder: ExpressionBinder, context: Context) -> None:
    if asked.condition is None:
        return
    for call in aggregates_of(asked.condition.tree, binder.library):
        message = f"the condition of an emission sees single records, so it cannot use {str(call.this).upper()}"
        hint = "compare columns of the record; EMIT EVERY 100 ROWS counts records"
        context.findings.error("aggregate-not-allowed", message, span_of(call), hint=hint)


def _refuse_granularity(mode: str, context: Context) -> None:
    value = context.settings.find("emit.granularity")
    if value is not None and value.origin.layer is Layer.STATEMENT and mode != "CHANGES":
        message = f"emit.granularity is for EMIT CHANGES, and this is EMIT {mode}"
        context.findings.error("emit-conflict", message, value.origin.span, hint="remove it, or use EMIT CHANGES")


def _contradictions(mode: str, asked: _Collected, accumulation: str, context: Context) -> None:
    if mode == "CHANGES":
        extras = {
            "early rows": asked.early,
            "a condition": asked.condition,
            "a fallback": asked.fallback,
            "a count": asked.every_count,
            "discarding": accumulation == "discarding" or None,
        }
        given = [name for name, value in extras.items() if value is not None]
        if given:
            message = f"EMIT CHANGES sends every change, so it cannot have {' or '.join(given)}"
            context.findings.error(
                "emit-conflict", message, asked.span, hint="use EMIT FINAL with them, or CHANGES without"
            )
    if asked.fallback is not None and asked.condition is None:
        message = "a fallback needs a condition that it falls back from"
        context.findings.error(
            "emit-conflict", message, asked.span, hint="add EMIT WHEN (condition), or use EMIT EARLY EVERY 5s"
        )
