"""Groups, distinct rows and join keys are found by comparing: a MAP cannot be compared."""

from __future__ import annotations

from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses maps in GROUP BY and DISTINCT."""
    for select in selects_of(statement.query):
        compared = [("GROUP BY", expression) for expression in select.grouping]
        compared += [("DISTINCT", item.expression) for item in select.items if select.distinct and item.visible]
        for clause, expression in compared:
            if expression.type.name == "MAP":
                hint = "use its entries: MAP_ENTRIES(m), or one of its values"
                look.findings.error("type-mismatch", f"{clause} cannot compare a MAP", expression.span, hint=hint)
