"""How far the event time of a row lies from the bounds of its window: rows of equal bounds are near in time."""

from __future__ import annotations

from velostream.durations import MILLISECOND
from velostream.validation.bound import (
    BoundInput,
    BoundQuery,
    BoundSelect,
    BoundSource,
    BoundSubquery,
    BoundUnion,
    BoundWindow,
)

EVENT_TIME, START, END = "_event_time", "_window_start", "_window_end"
Distance = tuple[int, int]
"""Event time less the column: the least and the most, in microseconds."""


def times_of(member: BoundInput) -> dict[str, Distance]:
    """The columns of an input, system columns too, whose distance from its event time is known."""
    if isinstance(member, BoundSubquery):
        return window_times(member.query)
    if isinstance(member, BoundSource) and member.relation.read_back is None and not member.relation.is_table:
        return {name: (least, most) for name, least, most in member.relation.window_times}
    return {}


def window_times(query: BoundQuery) -> dict[str, Distance]:
    """The same of the rows of a query."""
    if isinstance(query, BoundUnion):
        return _of_both(query)
    known = _of_fields(query)
    setting = [item for item in query.items if item.sets_event_time]
    if setting:
        if setting[-1].expression.tree.name not in known or not _is_column(setting[-1].expression.tree):
            return {}
        least, most = known[setting[-1].expression.tree.name]
        known = {name: (low - most, high - least) for name, (low, high) in known.items()}
    prefix = "" if query.window is not None else f"{query.primary}."
    found = {name: known[f"{prefix}{name}"] for name in (START, END) if f"{prefix}{name}" in known}
    for item in query.items:
        if item.visible and _is_column(item.expression.tree) and item.expression.tree.name in known:
            found[item.name] = known[item.expression.tree.name]
    return found


def _is_column(tree: object) -> bool:
    from sqlglot import exp

    return isinstance(tree, exp.Column) and not tree.table


def _of_both(query: BoundUnion) -> dict[str, Distance]:
    one, other = window_times(query.left), window_times(query.right)
    pairs = [*zip(query.left.schema.names, query.right.schema.names, strict=False), (START, START), (END, END)]
    return {
        left: (min(one[left][0], other[right][0]), max(one[left][1], other[right][1]))
        for left, right in pairs
        if left in one and right in other
    }


def _of_fields(select: BoundSelect) -> dict[str, Distance]:
    """Those of the fields that items read: of its own window, else of the input whose event time its rows have."""
    if select.row_windows:
        return {}
    if select.window is not None:
        return {EVENT_TIME: (0, 0), **_of_window(select.window)}
    streams = [join.kind for join in select.joins if join.classification == "stream-stream"]
    if select.aggregated or select.distinct or len(streams) > 1 or not {*streams} <= {"INNER", "LEFT"}:
        return {}
    primary = next((member for member in select.inputs if member.alias == select.primary), None)
    if primary is None:
        return {}
    return {f"{primary.alias}.{name}": distance for name, distance in times_of(primary).items()}


def _of_window(window: BoundWindow) -> dict[str, Distance]:
    """The event time of a window's row is its end less a millisecond."""
    size = getattr(window.assigner, "size", None)
    ends: dict[str, Distance] = {END: (-MILLISECOND, -MILLISECOND)}
    if size is None:
        return ends
    shortest = getattr(window.assigner, "step", size)
    return {**ends, START: (shortest - MILLISECOND, size - MILLISECOND)}
