"""OVER: all calls that share a partition, an order and a buffer become one node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from velostream.plan.build.calls import CallParts, orders
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.trees import replaced, unwrapped
from velostream.plan.build.typing import typed
from velostream.plan.emission import Lateness
from velostream.plan.expression import Expression, column, text_of
from velostream.plan.fields import Fields
from velostream.plan.nodes import Buffer, Frame, Node, Order, RowCall, RowWindows
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_END, WINDOW_START
from velostream.plan.nodes.row_windows import EVERY_RECORD
from velostream.sql.nodes import Duration, RowWindow
from velostream.validation.expressions.literals import interval_micros
from velostream.validation.rules.row_windows import NEED_ALL_ROWS

_Over = tuple[tuple[Expression, ...], tuple[Order, ...], Buffer | None]


@dataclass(slots=True)
class Overs:
    """Collects the OVERs of a select list; the same one is computed once.

    In a select with a time window an OVER is over the groups of one window, as ORDER BY and LIMIT are, unless it goes
    from window to window: by their time.
    """

    fields: Fields
    building: Building
    windowed: bool = False
    calls: dict[_Over, dict[str, RowCall]] = field(default_factory=dict)

    def above(self, expression: Expression) -> Expression:
        """The expression over rows that have the results as fields."""
        return Expression(replaced(expression.tree, self._field), expression.type, expression.span)

    def nodes(self, node: Node) -> Node:
        """One node for each partition, order and buffer, one over the other."""
        settings = self.building.settings
        lateness = Lateness(
            int(value_of(settings, "allowed.lateness", 0)),
            str(value_of(settings, "late.data.strategy", "dead_letter")),
        )
        for (partition, order, buffer), calls in self.calls.items():
            ttl = value_of(settings, "state.ttl")
            per_window = _is_per_window(partition)
            node = RowWindows(node, tuple(calls.values()), partition, order, buffer, lateness, ttl, per_window)
        return node

    def _field(self, tree: exp.Expr) -> exp.Expr | None:
        if not isinstance(tree, exp.Window):
            return None
        library = self.building.library
        partition = tuple(typed(each, self.fields, library) for each in tree.args.get("partition_by") or [])
        clause = tree.args.get("order")
        order = orders(clause, self.fields, library) if clause is not None else ()
        buffer = _buffer(tree)
        if self.windowed and buffer is None and not _is_per_window(partition) and not _goes_on(order, tree):
            partition += tuple(typed(column(name), self.fields, library) for name in (WINDOW_START, WINDOW_END))
        over = partition, order, buffer
        call = self._call(tree, over)
        call = replace(call, name=self._free_name(tree, call, over))
        self.calls.setdefault(over, {}).setdefault(call.name, call)
        return column(call.name)

    def _free_name(self, tree: exp.Window, call: RowCall, over: _Over) -> str:
        """`AVG(price) OVER (symbol)`; with all that stands in OVER where that would name two things."""
        short = f"{text_of(tree.this)} OVER ({', '.join(map(str, over[0]))})"
        for other, calls in self.calls.items():
            taken = calls.get(short)
            if taken is not None and (other != over or replace(taken, name=call.name) != call):
                return call.name
        return short

    def _call(self, tree: exp.Window, over: _Over) -> RowCall:
        whole = typed(tree, self.fields, self.building.library)
        inner = unwrapped(tree.this)
        function = self.building.library.find(str(inner.this))
        parts = CallParts.of(tree.this, self.fields, self.building.library)
        return RowCall(
            name=whole.name,
            function=function.name if function is not None else str(inner.this).upper(),
            type=whole.type,
            accumulator=function.accumulator if function is not None else "",
            arguments=parts.arguments,
            parameters=parts.parameters,
            frame=_frame(tree.args.get("spec"), over[1], over[2]),
            ignore_nulls=parts.ignore_nulls,
            distinct=parts.distinct,
            where=parts.where,
        )


def _is_per_window(partition: Sequence[Expression]) -> bool:
    bounds = (WINDOW_START, WINDOW_END)
    return any(key.is_field and key.name.split(".")[-1] in bounds for key in partition)


def _goes_on(order: Sequence[Order], tree: exp.Window) -> bool:
    """True where it goes from window to window: in the order of their time, to rows of the past or to the next one."""
    times = (WINDOW_START, WINDOW_END, EVENT_TIME)
    if not order or not order[0].expression.is_field or order[0].expression.name not in times:
        return False
    function = unwrapped(tree.this)
    spec = tree.args.get("spec")
    ahead = spec is not None and str(spec.args.get("end_side") or "").upper() == "FOLLOWING"
    return not ahead and str(function.this).upper() not in NEED_ALL_ROWS


def _buffer(tree: exp.Window) -> Buffer | None:
    clause = tree.args.get("buffer") if isinstance(tree, RowWindow) else None
    if clause is None:
        return None
    expire = clause.args.get("expire")
    emit = str(clause.args.get("emit") or EVERY_RECORD)
    return Buffer(int(clause.name), expire.micros if isinstance(expire, Duration) else None, emit)


def _frame(spec: exp.Expr | None, order: tuple[Order, ...], buffer: Buffer | None) -> Frame:
    """The frame as written, else Spark's: up to the row (and its equals) with an order, all rows without one."""
    if spec is None:
        if buffer is not None:
            return Frame("ROWS", -(buffer.rows - 1), 0)
        return Frame("RANGE", None, 0) if order else Frame("ROWS", None, None)
    unit = str(spec.args.get("kind") or "ROWS").upper()
    end = spec.args.get("end")
    return Frame(
        unit,
        _bound(spec.args.get("start"), str(spec.args.get("start_side") or "")),
        0 if end is None else _bound(end, str(spec.args.get("end_side") or "")),
    )


def _bound(value: object, side: str) -> int | None:
    if isinstance(value, str):
        return 0 if value.upper() == "CURRENT ROW" else None
    if not isinstance(value, exp.Expr):
        return None
    distance = interval_micros(value)
    length = int(value.name) if distance is None else distance
    return -length if side.upper() == "PRECEDING" else length
