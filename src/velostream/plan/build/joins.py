"""JOIN: with a table, with another stream, or with the elements of an array."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from velostream.errors import VeloError
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.typing import planned, typed
from velostream.plan.emission import Lateness
from velostream.plan.expression import Expression, parts_of
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes import Bounds, JoinStreams, JoinTable, KeyPair, MissingData, Node, Scan, Unnest
from velostream.plan.nodes.base import EVENT_TIME
from velostream.types import BOOLEAN
from velostream.validation.bound import BoundExpression, BoundJoin, BoundSource, BoundUnnest

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
    settings = _settings(join, building)
    return JoinTable(
        left,
        right,
        kind=join.kind,
        keys=keys,
        residual=residual,
        missing=_missing(join.kind, right, settings, building),
        as_of=None if as_of is None or _is_now(as_of.tree) else planned(as_of),
    )


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
    missing = _missing(kind, left, None, building)
    return JoinTable(right, left, kind=kind, keys=turned, residual=residual, missing=missing)


def _streams(left: Node, right: Node, join: BoundJoin, keys: tuple[KeyPair, ...], building: Building) -> Node:
    both = left.fields.plus(right.fields)
    times = _event_times(left) | _event_times(right)
    left_time, residual = left.time, []
    equal = {frozenset((one.tree, other.tree)) for one, other in join.equalities}
    for part in parts_of(planned(join.condition)) if join.condition is not None else []:
        if isinstance(part.tree, exp.EQ) and frozenset((part.tree.this, part.tree.expression)) in equal:
            continue
        owner = _bounding_alias(part, join, left, times)
        if join.bounds is not None and owner:
            left_time = owner
        else:
            residual.append(_condition(part, both, building))
    settings = building.settings
    return JoinStreams(
        left,
        right,
        kind=join.kind,
        left_time=left_time,
        right_time=right.time,
        keys=keys,
        bounds=None if join.bounds is None else Bounds(join.bounds.lower, join.bounds.upper),
        residual=tuple(residual),
        ttl=value_of(settings, "state.ttl"),
        lateness=Lateness(
            int(value_of(settings, "allowed.lateness", 0)),
            str(value_of(settings, "late.data.strategy", "dead_letter")),
        ),
    )


def _event_times(node: Node) -> set[str]:
    """The fields that are event times: the system columns, and the columns that they are read from."""
    read = {f"{s.alias}.{s.event_time.column}" for s in node.walk() if isinstance(s, Scan)}
    return {name for name in node.fields.names if name in read or name.endswith(f".{EVENT_TIME}")}


def _bounding_alias(part: Expression, join: BoundJoin, left: Node, times: set[str]) -> str:
    """The left side's event time where the part does nothing but bound it against the right side's; else empty."""
    from velostream.validation.joins import BoundsFinder

    aliases = {name.split(".")[0] for name in part.fields}
    if not part.fields or join.right.alias not in aliases or len(aliases) != 2:
        return ""
    if not BoundsFinder({join.right.alias}, times).take(part.tree):
        return ""
    other = next(alias for alias in aliases if alias != join.right.alias)
    return f"{other}.{EVENT_TIME}" if f"{other}.{EVENT_TIME}" in left.fields else ""


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


def _settings(join: BoundJoin, building: Building) -> Any:
    if not isinstance(join.right, BoundSource):
        return None
    relation = join.right.relation
    return building.owner_settings(join.right.alias) or building.owner_settings(relation.name, relation.settings)


def _missing(kind: str, table: Node, settings: Any, building: Building) -> MissingData:
    """What becomes of a row without a match: as set for the table, else as the join says."""
    chosen = value_of(settings, "missing.data.strategy")
    if chosen is None:
        return MissingData(_DEFAULT_MISSING.get(kind, "emit_with_nulls"))
    names = {name.split(".", 1)[-1].casefold(): name for name in table.fields.names}
    defaults = tuple((names[column.casefold()], _literal(text, building)) for column, text in chosen.defaults)
    return MissingData(chosen.strategy, defaults, chosen.tries, chosen.delay)


def _literal(text: str, building: Building) -> Expression:
    from velostream.sql.parse import parse_expression

    return typed(parse_expression(text, None), Fields(), building.library)
