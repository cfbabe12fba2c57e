"""State without a window or a time bound grows with every new key, unless state.ttl or the input's end bounds it."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.nodes import RowWindow
from velostream.validation.bound import BoundQuery, BoundSelect, BoundSource, BoundStatement, BoundSubquery, BoundUnion
from velostream.validation.corrections import newest_rows
from velostream.validation.inputs import is_static
from velostream.validation.rules.base import Look
from velostream.validation.rules.row_windows import goes_on
from velostream.validation.walk import selects_of, sources_of, streams

_HINT = "set 'state.ttl' = '1d', or add a WINDOW"
_BUFFER = "a row buffer without EXPIRE"
_HINTS = {_BUFFER: "add EXPIRE AFTER 1h to the buffer, or set 'state.ttl' = '1d'"}


def check(statement: BoundStatement, look: Look) -> None:
    """Warns of GROUP BY, DISTINCT, deduplication and what outlives windows, where they keep every key for ever."""
    _deduplicated(statement, look)
    if statement.settings is None or statement.settings.get("state.ttl") is not None:
        return
    _union(statement.query, look)
    for member, select in newest_rows(statement.query):
        if not member.relation.bounded:
            message = f"'{member.relation.name}' is read back with its corrections: its newest rows are kept for ever"
            look.findings.warning("unbounded-state", message, member.span, hint=_newest_hint(select))
    for select in selects_of(statement.query):
        if select.bounded or not streams(select):
            continue
        lasting = beyond_windows(select, statement) if select.windowed else _lasting(select)
        for what in lasting:
            hint = "set 'state.ttl' = '1d'" if select.windowed else _HINTS.get(what, _HINT)
            look.findings.warning("unbounded-state", f"{what} keeps every key for ever", select.span, hint=hint)


def _newest_hint(select: BoundSelect) -> str:
    if select.window is not None and select.window.time is not None:
        return "set 'state.ttl' = '1d', or go by the event time: WINDOW without a column"
    return "set 'state.ttl' = '1d', or add a MAX to the sessions" if select.windowed else _HINT


def beyond_windows(select: BoundSelect, statement: BoundStatement) -> list[str]:
    """What of a select with a time window remembers keys after their windows are gone."""
    if not select.windowed or statement.settings is None:
        return []
    found = []
    if any(_goes_on(window) for item in select.items for window in item.expression.tree.find_all(exp.Window)):
        found.append("OVER from window to window")
    fill = statement.settings.get("fill")
    if fill not in (None, "none") and select.window is not None and select.window.assigner.name != "SESSION":
        found.append(f"'fill' = '{fill}'")
    if statement.settings.get("late.data.strategy") == "update_previous":
        found.append("'late.data.strategy' = 'update_previous'")
    return found


def _deduplicated(statement: BoundStatement, look: Look) -> None:
    for member in sources_of(statement.query):
        settings = member.relation.settings
        if member.relation.connector is None or settings is None or settings.known.find("dedup.key") is None:
            continue
        key = settings.value("dedup.key")
        if key is not None and settings.get("dedup.ttl") is None and not member.relation.bounded:
            message = f"deduplication of '{member.alias}' keeps every key for ever"
            hint = f"set '{member.relation.name}.dedup.ttl' = '1h'"
            look.findings.warning("unbounded-state", message, key.origin.span or member.span, hint=hint)


def _lasting(select: BoundSelect) -> list[str]:
    if select.grouping:
        return ["GROUP BY without a window"]
    if select.distinct and not _of_windows(select):
        return ["DISTINCT without a window"]
    windows = [window for item in select.items for window in item.expression.tree.find_all(exp.Window)]
    if any(_is_unbounded(window) for window in windows):
        return ["OVER without a time bound"]
    return [_BUFFER] if any(_stays(window) for window in windows) else []


def _of_windows(query: BoundQuery) -> bool:
    """True where rows belong to time windows, of the query itself or of what it reads."""
    if isinstance(query, BoundUnion):
        return _of_windows(query.left) and _of_windows(query.right)
    if query.windowed or query.aggregated:
        return query.windowed
    read = [member for member in query.inputs if not is_static(member)]
    return any(
        _of_windows(member.query)
        if isinstance(member, BoundSubquery)
        else isinstance(member, BoundSource) and member.relation.windowed
        for member in read
    )


def _goes_on(window: exp.Window) -> bool:
    return goes_on(window) and _is_unbounded(window)


def _is_unbounded(window: exp.Window) -> bool:
    """A range of time and a window's bounds among the keys bound what is kept; of buffers is spoken apart."""
    spec = window.args.get("spec")
    of_time = (
        spec is not None and str(spec.args.get("kind")).upper() == "RANGE" and spec.args.get("start") != "UNBOUNDED"
    )
    return not (isinstance(window, RowWindow) or of_time or _in_window(window))


def _stays(window: exp.Window) -> bool:
    """True for buffers of keys, each of n rows, that nothing lets go."""
    buffer = window.args.get("buffer")
    keyed = bool(window.args.get("partition_by")) and not _in_window(window)
    return buffer is not None and buffer.args.get("expire") is None and keyed


def _in_window(window: exp.Window) -> bool:
    keys = [column.name for key in window.args.get("partition_by") or [] for column in key.find_all(exp.Column)]
    return any(name.endswith(("_window_start", "_window_end", "window_start", "window_end")) for name in keys)


def _union(query: BoundQuery | None, look: Look) -> None:
    if not isinstance(query, BoundUnion):
        return
    _union(query.left, look)
    if query.distinct and not query.bounded and not _of_windows(query):
        hint = f"use UNION ALL, or {_HINT}"
        look.findings.warning("unbounded-state", "UNION without ALL keeps every row for ever", query.span, hint=hint)
