"""Binding of JOIN: the condition in parts, the kind of the join, its equalities and its bounds in time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.sql.nodes import Duration, StreamJoin
from velostream.sql.spans import span_of
from velostream.validation import joins
from velostream.validation.bound import (
    BoundExpression,
    BoundInput,
    BoundJoin,
    BoundSource,
    BoundUnnest,
    TimeBounds,
)
from velostream.validation.inputs import bind_input, is_static

if TYPE_CHECKING:
    from velostream.validation.select import SelectBinder


def bind_join(
    select: SelectBinder, node: exp.Expr, source: BoundInput | None, before: list[BoundJoin]
) -> BoundJoin | None:
    """A join; None, with findings, where its input cannot be read."""
    right = bind_input(select, node.this)
    if right is None:
        return None
    select.add_input(right, node.this)
    kind = _kind(select, node)
    if isinstance(right, BoundUnnest):
        return BoundJoin("LEFT" if kind == "LEFT" else "CROSS", right, "unnest", span_of(node))
    lefts = [member for member in (source, *(join.right for join in before)) if member is not None]
    classification = _classify(lefts, right)
    condition = _condition(select, node, lefts, right)
    return _with_parts(select, node, kind, right, classification, condition, lefts)


def _kind(select: SelectBinder, node: exp.Expr) -> str:
    side, kind = str(node.args.get("side") or "").upper(), str(node.args.get("kind") or "").upper()
    if kind in ("SEMI", "ANTI"):
        word = "EXISTS" if kind == "SEMI" else "NOT EXISTS"
        select.refuse("join-unsupported", f"{kind} JOIN is not supported", node, f"use {word} (SELECT …) in WHERE")
    if node.args.get("method"):
        method = str(node.args["method"]).upper()
        hint = "name the columns: ON a.x = b.x" if method == "NATURAL" else "use FOR SYSTEM_TIME AS OF"
        select.refuse("join-unsupported", f"{method} JOIN is not supported", node, hint)
    if kind == "CROSS" or (not side and not kind and node.args.get("on") is None and not node.args.get("using")):
        return "CROSS"
    return side or "INNER"


def _classify(lefts: list[BoundInput], right: BoundInput) -> str:
    left = "table" if all(is_static(member) for member in lefts) else "stream"
    return f"{left}-{'table' if is_static(right) else 'stream'}"


def _condition(
    select: SelectBinder, node: exp.Expr, lefts: list[BoundInput], right: BoundInput
) -> BoundExpression | None:
    on, using = node.args.get("on"), node.args.get("using") or []
    if on is not None:
        return select.rows.condition(on, "ON")
    if not using:
        return None
    parts: list[exp.Expr] = []
    for column in using:
        holder = next((member for member in lefts if _has(select, member, column.name)), lefts[0])
        select.scope.merged.setdefault(column.name.casefold(), holder.alias)
        pair = exp.EQ(
            this=exp.column(column.name, table=holder.alias), expression=exp.column(column.name, table=right.alias)
        )
        for part in pair.walk():
            part.meta.update(column.meta)
        parts.append(pair)
    return select.rows.condition(exp.and_(*parts), "USING")


def _has(select: SelectBinder, member: BoundInput, name: str) -> bool:
    found = select.scope.input_named(member.alias)
    return found is not None and found.schema.find(name) is not None


def _with_parts(
    select: SelectBinder,
    node: exp.Expr,
    kind: str,
    right: BoundInput,
    classification: str,
    condition: BoundExpression | None,
    lefts: list[BoundInput],
) -> BoundJoin:
    finder = joins.BoundsFinder({right.alias}, joins.event_time_fields(select.scope, event_times([*lefts, right])))
    equalities: list[tuple[BoundExpression, BoundExpression]] = []
    residual: list[BoundExpression] = []
    for part in joins.conjuncts(condition.tree) if condition is not None else []:
        pair = joins.split_equality(part, {right.alias})
        if pair is not None:
            assert condition is not None
            equalities.append((joins.expression(pair[0], condition), joins.expression(pair[1], condition)))
        elif not (classification == "stream-stream" and finder.take(part)):
            assert condition is not None
            residual.append(joins.expression(part, condition))
    if _within(node) is not None and classification != "stream-stream":
        hint = "remove it: rows of a table are looked up, whenever they came"
        select.refuse("join-unsupported", "WITHIN bounds the join of two streams, and one side is a table", node, hint)
    bounds = _within(node) or finder.bounds
    return BoundJoin(kind, right, classification, span_of(node), condition, tuple(equalities), tuple(residual), bounds)


def helped_by_where(select: SelectBinder, join: BoundJoin, where: BoundExpression) -> BoundJoin:
    """An inner join with what WHERE says about its two sides: for it that is the same as ON."""
    if join.kind not in ("INNER", "CROSS") or join.classification == "unnest":
        return join
    inputs = [member.alias for member in select.scope.inputs]
    known = set(inputs[: inputs.index(join.right.alias) + 1])
    times = joins.event_time_fields(select.scope, event_times(select.members))
    finder = joins.BoundsFinder({join.right.alias}, times)
    equalities = list(join.equalities)
    for part in joins.conjuncts(where.tree):
        if not {column.name.split(".")[0] for column in part.find_all(exp.Column) if not column.table} <= known:
            continue
        pair = joins.split_equality(part, {join.right.alias})
        if pair is not None:
            equalities.append((joins.expression(pair[0], where), joins.expression(pair[1], where)))
        elif join.classification == "stream-stream":
            finder.take(part)
    kind = "INNER" if equalities else join.kind
    condition = join.condition or (where if equalities else None)
    return replace(
        join, kind=kind, equalities=tuple(equalities), bounds=join.bounds or finder.bounds, condition=condition
    )


def _within(node: exp.Expr) -> TimeBounds | None:
    within = node.args.get("within") if isinstance(node, StreamJoin) else None
    lengths = [part.micros for part in within or [] if isinstance(part, Duration)]
    if not lengths:
        return None
    return TimeBounds(-lengths[0], lengths[-1])


def event_times(members: list[BoundInput]) -> dict[str, str]:
    """The column that each input's event time is read from, by alias."""
    times: dict[str, str] = {}
    for member in members:
        if isinstance(member, BoundSource) and member.relation.settings is not None:
            value = member.relation.settings.get("event.time.field")
            column = member.relation.schema.find(str(value)) if value else None
            if column is not None:
                times[member.alias] = column.name
    return times
