"""A table keeps the newest row per key, so it needs one; a key is a column that comes out."""

from __future__ import annotations

from velostream.catalog.relation import RelationKind
from velostream.validation.bound import BoundSelect, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses tables without a key, and keys of types that cannot be one."""
    query = statement.query
    if isinstance(query, BoundSelect):
        _types(query, look)
        creates = statement.creates
        is_table = creates is not None and creates.kind is RelationKind.TABLE
        if is_table and not any(item.key for item in query.items) and not query.grouping and not query.schema.is_open:
            hint = "mark the key: SELECT symbol PRIMARY KEY, …, or GROUP BY it"
            message = f"table '{statement.name}' has no key"
            look.findings.error("missing-key", message, statement.parsed.span, hint=hint)
    for select in selects_of(query):
        if select is not query and any(item.key for item in select.items):
            place = next(item.span for item in select.items if item.key)
            look.findings.error(
                "invalid-key", "PRIMARY KEY belongs to the outermost select list", place, hint="move it there"
            )


def _types(query: BoundSelect, look: Look) -> None:
    for item in query.items:
        if item.key and item.expression.type.name == "MAP":
            look.findings.error("invalid-key", "a MAP cannot be a key", item.span, hint="use one of its values")
