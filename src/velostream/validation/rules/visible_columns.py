"""A row has columns: a select list of headers and an event time alone gives none."""

from __future__ import annotations

from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses select lists that leave no column."""
    for select in selects_of(statement.query):
        if select.items and not select.schema.is_open and not any(item.visible for item in select.items):
            message = "the select list gives no column: it sets headers or the event time, and nothing else"
            hint = "select at least one column too, or * for all of them"
            look.findings.error("unsupported", message, select.items[0].span, hint=hint)
