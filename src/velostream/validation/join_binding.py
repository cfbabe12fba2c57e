"""Binding of JOIN: the condition in parts, the kind of the join, its equalities and its bounds in time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from velostream.sql.nodes import Duration, StreamJoin
from velostream.sql.spans import span_of
from velostream.validation import joins
from velostream.validation.bound import (
    BoundExpression,
    BoundInput,
    BoundJoin,
    BoundSelect,
    BoundSource,
    BoundSubquery,
    BoundUnnest,
    TimeBounds,
)
from velostream.validation.inputs import bind_input, is_static
from velostream.validation.lateness import refuse_two_latenesses

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
    own = _own(source, before)
    join = _with_parts(select, node, kind, right, classification, condition, lefts, own)
    if classification == "stream-stream" and kind in ("RIGHT", "FULL"):
        select.scope.times.append(right.alias)
    looked_up: list[BoundInput] = lefts if classification == "table-stream" else [right]
    alias = looked_up[0].alias if len(looked_up) == 1 and all(map(is_static, looked_up)) else ""
    table = _table(looked_up)
    return replace(join, table=table, looked_up=alias, missing=_missing(select, alias, table))


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


def _table(members: list[BoundInput]) -> BoundSource | None:
    """The one table that these are, by itself or in a subquery."""
    while len(members) == 1 and isinstance(members[0], BoundSubquery):
        query = members[0].query
        members = list(query.inputs) if isinstance(query, BoundSelect) else []
    member = members[0] if len(members) == 1 else None
    return member if isinstance(member, BoundSource) and member.relation.is_table else None


def _missing(select: SelectBinder, alias: str, table: BoundSource | None) -> Any:
    """What is set for rows that find nothing: for this join, by its alias, else for the table that it looks up."""
    owners = [alias, table.relation.name] if table is not None else [alias]
    found = [select.context.owner_settings.get(owner.casefold()) for owner in owners]
    if table is not None:
        found.append(table.relation.settings)
    chosen = (each for each in found if each is not None and each.known.find("missing.data.strategy") is not None)
    return next((value for each in chosen if (value := each.get("missing.data.strategy")) is not None), None)


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
    own: str,
) -> BoundJoin:
    members = [*lefts, right]
    times = joins.event_time_fields(select.scope, event_times(members), members)
    finder = joins.BoundsFinder({right.alias}, times)
    equalities: list[tuple[BoundExpression, BoundExpression]] = []
    others: list[tuple[str, BoundExpression]] = []
    for part in joins.conjuncts(condition.tree) if condition is not None else []:
        assert condition is not None
        pair = joins.split_equality(part, {right.alias})
        left = finder.take(part) if classification == "stream-stream" else ""
        if pair is not None:
            equalities.append((joins.expression(pair[0], condition), joins.expression(pair[1], condition)))
        else:
            others.append((left, joins.expression(part, condition)))
    within = _within(node)
    if within is not None and classification != "stream-stream":
        hint = "remove it: rows of a table are looked up, whenever they came"
        select.refuse("join-unsupported", "WITHIN bounds the join of two streams, and one side is a table", node, hint)
    bounded_by = own if within is not None else finder.bounded(own)
    residual = tuple(part for left, part in others if not (left and left == bounded_by))
    bounds = finder.bounds(bounded_by, within) if bounded_by else None
    grace = _grace(node)
    refuse_two_latenesses(node, grace, select.context)
    return BoundJoin(
        kind, right, classification, span_of(node), condition, tuple(equalities), residual, bounds, bounded_by, grace
    )


def helped_by_where(select: SelectBinder, join: BoundJoin, where: BoundExpression) -> BoundJoin:
    """An inner join with what WHERE says about its two sides: for it that is the same as ON."""
    if join.kind not in ("INNER", "CROSS") or join.classification == "unnest":
        return join
    inputs = [member.alias for member in select.scope.inputs]
    known = set(inputs[: inputs.index(join.right.alias) + 1])
    times = joins.event_time_fields(select.scope, event_times(select.members), select.members)
    finder = joins.BoundsFinder({join.right.alias}, times)
    for part in joins.conjuncts(join.condition.tree) if join.condition is not None else []:
        finder.take(part)
    found: list[tuple[BoundExpression, BoundExpression]] = []
    equal: list[exp.Expr] = []
    for part in joins.conjuncts(where.tree):
        if not {column.name.split(".")[0] for column in part.find_all(exp.Column) if not column.table} <= known:
            continue
        pair = joins.split_equality(part, {join.right.alias})
        if pair is not None:
            found.append((joins.expression(pair[0], where), joins.expression(pair[1], where)))
            equal.append(part)
        if join.classification == "stream-stream":
            finder.take(part)
    equalities = (*join.equalities, *found)
    condition = join.condition
    if condition is None and equal:
        condition = replace(where, tree=exp.and_(*equal))
    bounds, bounded_by = join.bounds, join.bounded_by
    if bounds is None and (bounded_by := finder.bounded(inputs[0])):
        bounds = finder.bounds(bounded_by)
    kind = "INNER" if equalities else join.kind
    return replace(join, kind=kind, equalities=equalities, bounds=bounds, bounded_by=bounded_by, condition=condition)


def _own(source: BoundInput | None, before: list[BoundJoin]) -> str:
    """The input whose event time is that of the rows on the left: what the join before counts from, else the first
    stream."""
    for join in reversed(before):
        if join.classification == "stream-stream" and join.bounded_by:
            return join.bounded_by
    members = [member for member in (source, *(join.right for join in before)) if member is not None]
    return next((member.alias for member in members if not is_static(member)), "")


def _within(node: exp.Expr) -> TimeBounds | None:
    within = node.args.get("within") if isinstance(node, StreamJoin) else None
    lengths = [part.micros for part in within or [] if isinstance(part, Duration)]
    if not lengths:
        return None
    return TimeBounds(-lengths[0], lengths[-1])


def _grace(node: exp.Expr) -> int | None:
    grace = node.args.get("grace")
    return grace.micros if isinstance(grace, Duration) else None


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
