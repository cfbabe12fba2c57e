"""JOIN: with a table, with another stream, or with the elements of an array."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from velostream.errors import VeloError
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.one_sided import OneSided
from velostream.plan.build.typing import planned, typed
from velostream.plan.emission import Lateness
from velostream.plan.expression import Expression, parts_of, reads
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes import Bounds, JoinStreams, JoinTable, KeyPair, MissingData, Node, Scan, TopN, Unnest
from velostream.plan.nodes.base import EVENT_TIME
from velostream.registry import did_you_mean
from velostream.types import BOOLEAN
from velostream.validation.bound import BoundExpression, BoundJoin, BoundSource, BoundUnnest
from velostream.validation.joins import BoundsFinder

_DEFAULT_MISSING = {"INNER": "skip_record", "CROSS": "skip_record", "RIGHT": "skip_record"}


def plan_join(left: Node, right: Node, join: BoundJoin, building: Building) -> Node:
    """The join of what stands left with one input."""
    if join.condition is not None:
        _refuse_subquery(join.condition, "ON")
    both = left.fields.plus(right.fields)
    keys = tuple(
        KeyPair(
            typed(one.tree, left.fields, building.library, one.span),
            typed(other.tree, right.fields, building.library, other.span),
        )
        for one, other in join.equalities
    )
    if join.classification in ("stream-stream",):
        return _streams(left, right, join, keys, building)
    residual = tuple(_condition(each, both, building) for each in map(planned, join.residual))
    if join.classification == "table-stream":
        return _swapped(left, right, join, keys, residual, building)
    as_of = join.right.as_of if isinstance(join.right, BoundSource) else None
    joined = JoinTable(
        left,
        right,
        kind=join.kind,
        keys=keys,
        residual=residual,
        missing=_missing(join.kind, right, join.missing, building),
        as_of=None if as_of is None or _is_now(as_of.tree) else planned(as_of),
    )
    return _below_newest(joined)


def _below_newest(join: JoinTable) -> Node:
    """The join, or of a stream of changes the newest row of each key with what it met: a change is looked up as it
    comes, and what it met is kept with the row, so that it is known when the row is taken back, whatever has become of
    the table since."""
    newest = join.left
    if not isinstance(newest, TopN) or newest.changes is None or not join.meets_one or join.waits:
        return join
    return replace(newest, input=replace(join, left=newest.input))


def plan_unnest(left: Node, unnest: BoundUnnest, *, outer: bool) -> Unnest:
    """One row for each element."""
    for argument in unnest.arguments:
        _refuse_subquery(argument, unnest.function.upper())
    columns = tuple(Field(f"{unnest.alias}.{each.name}", each.type) for each in unnest.schema)
    arguments = tuple(planned(argument) for argument in unnest.arguments)
    return Unnest(left, unnest.alias, unnest.function, arguments, columns, outer or unnest.outer)


def _swapped(
    left: Node,
    right: Node,
    join: BoundJoin,
    keys: tuple[KeyPair, ...],
    residual: tuple[Expression, ...],
    building: Building,
) -> Node:
    """`FROM table JOIN stream`: the stream drives, so the sides change places."""
    kind = {"LEFT": "RIGHT", "RIGHT": "LEFT"}.get(join.kind, join.kind)
    turned = tuple(KeyPair(pair.right, pair.left) for pair in keys)
    missing = _missing(kind, left, join.missing, building)
    return _below_newest(JoinTable(right, left, kind=kind, keys=turned, residual=residual, missing=missing))


def _streams(left: Node, right: Node, join: BoundJoin, keys: tuple[KeyPair, ...], building: Building) -> Node:
    both = left.fields.plus(right.fields)
    times = _event_times(left) | _event_times(right)
    residual: list[Expression] = []
    sides = OneSided(left, right, building.library)
    equal = {frozenset((one.tree, other.tree)) for one, other in join.equalities}
    for part in parts_of(planned(join.condition)) if join.condition is not None else []:
        if isinstance(part.tree, exp.EQ) and frozenset((part.tree.this, part.tree.expression)) in equal:
            continue
        bounding = join.bounds is not None and BoundsFinder({join.right.alias}, times).take(part.tree)
        if not bounding or bounding != join.bounded_by:
            residual.append(sides.asked(_condition(part, both, building)))
        elif _may_lack(part, join.bounded_by, left):
            residual.append(_is_there(part, join.bounded_by, left))
    settings = building.settings
    allowed = value_of(settings, "allowed.lateness", 0) if join.grace is None else join.grace
    return JoinStreams(
        sides.sides[0],
        sides.sides[1],
        kind=join.kind,
        left_time=_left_time(join, left),
        right_time=right.time,
        keys=keys,
        bounds=None if join.bounds is None else Bounds(join.bounds.lower, join.bounds.upper),
        residual=tuple(residual),
        ttl=value_of(settings, "state.ttl"),
        lateness=Lateness(int(allowed), str(value_of(settings, "late.data.strategy", "dead_letter"))),
    )


def _event_times(node: Node) -> dict[str, tuple[int, int]]:
    """The fields that are event times: the system columns, and the columns that they are read from."""
    read = {f"{s.alias}.{s.event_time.column}" for s in node.walk() if isinstance(s, Scan)}
    return {name: (0, 0) for name in node.fields.names if name in read or name.endswith(f".{EVENT_TIME}")}


def _left_time(join: BoundJoin, left: Node) -> str:
    """The event time on the left that the bounds count from."""
    bounding = f"{join.bounded_by}.{EVENT_TIME}"
    return bounding if join.bounds is not None and bounding in left.fields else left.time


def _bounding_field(part: Expression, alias: str) -> str:
    return next(name for name in part.fields if name.split(".")[0] == alias)


def _may_lack(part: Expression, alias: str, left: Node) -> bool:
    """True where an outer join below may have left a row without the time that a condition bounds."""
    name = _bounding_field(part, alias)
    return any(isinstance(node, JoinStreams) and node.may_lack(name) for node in left.walk())


def _is_there(part: Expression, alias: str, left: Node) -> Expression:
    """What is left of a condition that bounds time: that there is a time."""
    name = _bounding_field(part, alias)
    read = reads(name, left.fields.of(name).type).tree.copy()
    return Expression(exp.Not(this=exp.Is(this=read, expression=exp.Null())), BOOLEAN, part.span)


def _condition(part: Expression, both: Fields, building: Building) -> Expression:
    kind = typed(part.tree, both, building.library).type
    return Expression(part.tree, kind if kind.is_known else BOOLEAN, part.span)


def _refuse_subquery(bound: BoundExpression, place: str) -> None:
    if bound.tree.find(exp.Query) is not None:
        hint = "compute it in a subquery in FROM, or ask it in WHERE"
        raise VeloError(f"{place} cannot ask a table", hint=hint, span=bound.span, code="subquery")


def _is_now(tree: exp.Expr) -> bool:
    """`AS OF PROCTIME()` is the ordinary join."""
    return isinstance(tree, exp.Column) and tree.name.endswith("._processing_time")


def _missing(kind: str, table: Node, chosen: Any, building: Building) -> MissingData:
    """What becomes of a row without a match: as set for the table, else as the join says."""
    if chosen is None:
        return MissingData(_DEFAULT_MISSING.get(kind, "emit_with_nulls"))
    names = {name.split(".", 1)[-1].casefold(): name for name in table.fields.names}
    for column, _ in chosen.defaults:
        if column.casefold() not in names:
            message = f"use_defaults names '{column}', which the join does not give"
            raise VeloError(message, hint=did_you_mean(column, list(names), "columns"), code="unknown-column")
    defaults = tuple((names[column.casefold()], _literal(text, building)) for column, text in chosen.defaults)
    return MissingData(chosen.strategy, defaults, chosen.tries, chosen.delay)


def _literal(text: str, building: Building) -> Expression:
    from velostream.sql.parse import parse_expression

    return typed(parse_expression(text, None), Fields(), building.library)
