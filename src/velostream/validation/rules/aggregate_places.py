"""Aggregates stand in SELECT, HAVING and ORDER BY, and not inside one another."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundStatement
from velostream.validation.grouping import aggregates_of, has_aggregate, has_over
from velostream.validation.outer_aggregates import outside_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import all_selects_of, expressions_of

_HINTS = {
    "WHERE": "WHERE sees single records: use HAVING",
    "ON": "join first, aggregate in a statement that reads the result",
    "GROUP BY": "group by columns, aggregate in the select list",
}


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses aggregates and OVER where rows are not grouped yet, and aggregates of aggregates."""
    for select in all_selects_of(statement.query):
        for clause, expression in expressions_of(select):
            if clause in _HINTS:
                _refuse(expression.tree, clause, look)
            else:
                _refuse_nested(expression.tree, look)
                if not select.aggregated:
                    _refuse_groupless(expression.tree, look)


def _refuse(tree: exp.Expr, clause: str, look: Look) -> None:
    for call in (*aggregates_of(tree, look.library), *outside_of(tree)):
        message = f"{clause} cannot use the aggregate {str(call.this).upper()}"
        look.findings.error("aggregate-not-allowed", message, span_of(call), hint=_HINTS[clause])
    if has_over(tree):
        window = tree.find(exp.Window)
        hint = "compute it in a subquery, then use its column"
        look.findings.error(
            "aggregate-not-allowed", f"{clause} cannot use OVER", span_of(window) if window else None, hint=hint
        )


def _refuse_groupless(tree: exp.Expr, look: Look) -> None:
    for call in outside_of(tree):
        message = f"{str(call.this).upper()} in a subquery is of the query around it, which has no groups"
        look.findings.error("aggregate-not-allowed", message, span_of(call), hint="add GROUP BY to that query")


def _refuse_nested(tree: exp.Expr, look: Look) -> None:
    for call in aggregates_of(tree, look.library):
        for part in call.iter_expressions():
            if isinstance(part, exp.Expr) and has_aggregate(part, look.library):
                inner = next(aggregates_of(part, look.library))
                message = f"{str(inner.this).upper()} stands inside {str(call.this).upper()}"
                hint = "aggregate in a subquery, then aggregate its result"
                look.findings.error("aggregate-not-allowed", message, span_of(inner), hint=hint)
