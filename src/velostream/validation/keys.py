"""The message key of a query's rows: items marked PRIMARY KEY, else the grouped columns that come out, else none."""

from __future__ import annotations

from velostream.validation.bound import BoundQuery, BoundSelect


def message_key(query: BoundQuery) -> tuple[str, ...]:
    """The names of the key columns."""
    if not isinstance(query, BoundSelect):
        left, right = message_key(query.left), message_key(query.right)
        return left if left == right else ()
    marked = tuple(item.name for item in query.items if item.key)
    if marked:
        return marked
    grouped = [expression.tree for expression in query.grouping]
    return tuple(item.name for item in query.items if item.visible and item.expression.tree in grouped)
