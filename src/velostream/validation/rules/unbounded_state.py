"""State without a window or a time bound grows with every new key, unless state.ttl or the input's end bounds it."""

from __future__ import annotations

from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams

_HINT = "set 'state.ttl' = '1d', or add a WINDOW"


def check(statement: BoundStatement, look: Look) -> None:
    """Warns of GROUP BY, DISTINCT and deduplication that keep every key for ever."""
    if statement.settings is None or statement.settings.get("state.ttl") is not None:
        return
    for select in selects_of(statement.query):
        if select.bounded or select.windowed or not streams(select):
            continue
        what = _what(select)
        if what:
            look.findings.warning("unbounded-state", f"{what} keeps every key for ever", select.span, hint=_HINT)


def _what(select: BoundSelect) -> str:
    if select.grouping:
        return "GROUP BY without a window"
    if select.distinct:
        return "DISTINCT without a window"
    return ""
