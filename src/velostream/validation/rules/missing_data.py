"""What a join does without a match: defaults are for columns that the table has, strategies for joins with tables."""

from __future__ import annotations

from velostream.registry import did_you_mean
from velostream.validation.bound import BoundSource, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses defaults for columns that are not there."""
    for select in selects_of(statement.query):
        for join in select.joins:
            if isinstance(join.right, BoundSource) and join.right.relation.is_table:
                _defaults(join.right, statement, look)


def _defaults(table: BoundSource, statement: BoundStatement, look: Look) -> None:
    settings = statement.owner_settings.get(table.relation.name.casefold())
    if settings is None or settings.known.find("missing.data.strategy") is None:
        return
    value = settings.value("missing.data.strategy")
    if value is None or table.relation.schema.is_open:
        return
    for name, _ in value.value.defaults:
        if table.relation.schema.find(name) is None:
            hint = did_you_mean(name, table.relation.schema.names, "columns")
            message = f"use_defaults names '{name}', which is no column of '{table.relation.name}'"
            look.findings.error("unknown-column", message, value.origin.span or table.span, hint=hint)
