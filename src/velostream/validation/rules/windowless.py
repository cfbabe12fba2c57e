"""Settings that speak of windows or groups, on a statement that has none."""

from __future__ import annotations

from velostream.config.origin import Layer
from velostream.validation.bound import (
    BoundQuery,
    BoundSelect,
    BoundSource,
    BoundStatement,
    BoundSubquery,
    BoundUnion,
)
from velostream.validation.corrections import newest_rows
from velostream.validation.rules.base import Look
from velostream.validation.rules.unbounded_state import beyond_windows
from velostream.validation.walk import selects_of

_NEED_GROUPS = ("emit", "emit.early", "emit.on", "emit.fallback", "emit.every.count")
_NEED_WINDOW = {
    "fill": "none",
    "emit.accumulation": "accumulating",
    "allowed.lateness": None,
    "late.data.strategy": None,
}


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses gap filling, discarding, lateness and strategies for late data where no window could use them."""
    if statement.settings is None or statement.query is None:
        return
    selects = list(selects_of(statement.query))
    _refuse_ttl(statement, selects, look)
    if not any(select.aggregated or select.distinct for select in selects):
        _refuse_emission(statement, look)
    if any(select.windowed for select in selects):
        _refuse_without_use(statement, selects, look)
        return
    joined = any(join.classification == "stream-stream" for select in selects for join in select.joins)
    ordered = any(select.row_windows for select in selects)
    for name, neutral in _NEED_WINDOW.items():
        value = statement.settings.find(name)
        if value is None or value.origin.layer is not Layer.STATEMENT or value.value == neutral:
            continue
        if name == "emit.accumulation" and value.value == "retracting" and any(s.aggregated for s in selects):
            continue
        if name in ("allowed.lateness", "late.data.strategy") and (joined or ordered):
            if name == "allowed.lateness" and value.value and not joined and _only_buffers(selects):
                message = "a row buffer answers as rows arrive, so 'allowed.lateness' has no effect"
                hint = "remove it: a row is late where it is older than all rows of the buffer"
                look.findings.error("conflicting-properties", message, value.origin.span, hint=hint)
            continue
        message = f"'{name}' needs a time window, and this statement has none"
        look.findings.error("conflicting-properties", message, value.origin.span, hint="add WINDOW, or remove it")


def _only_buffers(selects: list[BoundSelect]) -> bool:
    """True where rows are asked about in buffers alone; groups below them may correct what they said."""
    return all(select.buffers for select in selects) and not any(select.aggregated for select in selects)


def _refuse_ttl(statement: BoundStatement, selects: list[BoundSelect], look: Look) -> None:
    """Time to live is for state that lasts: groups, distinct rows, sorted partitions, joins that wait, tables."""
    value = statement.settings.find("state.ttl")
    if value is None or value.origin.layer is not Layer.STATEMENT:
        return
    waiting = any(
        join.classification == "stream-stream" or (isinstance(join.right, BoundSource) and join.right.as_of is not None)
        for select in selects
        for join in select.joins
    )
    kept = any(
        beyond_windows(select, statement)
        or (not select.windowed and (select.aggregated or select.distinct))
        or select.row_windows
        for select in selects
    )
    table = statement.creates is not None and statement.creates.is_table
    newest = any(newest_rows(statement.query))
    if not (kept or waiting or table or newest or _distinct_union(statement.query)):
        windowed = any(select.windowed for select in selects)
        message = "'state.ttl' deletes state, and this statement keeps none"
        message += " beside its windows, which go at their end + 'allowed.lateness'" if windowed else ""
        look.findings.error("conflicting-properties", message, value.origin.span, hint="remove it")


def _distinct_union(query: BoundQuery | None) -> bool:
    """True where rows of a UNION without ALL are compared, here or in a subquery."""
    if isinstance(query, BoundUnion):
        return query.distinct or _distinct_union(query.left) or _distinct_union(query.right)
    inputs = query.inputs if query is not None else ()
    return any(_distinct_union(member.query) for member in inputs if isinstance(member, BoundSubquery))


def _refuse_emission(statement: BoundStatement, look: Look) -> None:
    for name in _NEED_GROUPS:
        value = statement.settings.find(name)
        if value is not None and value.origin.layer is Layer.STATEMENT and value.value != "changes":
            message = f"'{name}' says when groups go out, and this statement has none"
            hint = "add GROUP BY or WINDOW, or remove it"
            look.findings.error("conflicting-properties", message, value.origin.span, hint=hint)


def _refuse_without_use(statement: BoundStatement, selects: list[BoundSelect], look: Look) -> None:
    """Gaps between sessions are no windows; by the clock nothing is late."""
    fill = statement.settings.find("fill")
    sessions = all(select.window.assigner.name == "SESSION" for select in selects if select.window is not None)
    if fill is not None and fill.origin.layer is Layer.STATEMENT and fill.value != "none" and sessions:
        message = "there are no windows between sessions that could be filled"
        look.findings.error("conflicting-properties", message, fill.origin.span, hint="remove 'fill', or use TUMBLING")
    lateness = statement.settings.find("allowed.lateness")
    by_clock = statement.settings.get("time.semantics") == "processing"
    if by_clock and lateness is not None and lateness.origin.layer is Layer.STATEMENT and lateness.value:
        message = "with 'time.semantics' = 'processing' nothing is late, so 'allowed.lateness' has no effect"
        look.findings.error("conflicting-properties", message, lateness.origin.span, hint="remove one of them")
