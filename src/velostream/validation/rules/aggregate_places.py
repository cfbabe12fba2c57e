"""Aggregates stand in SELECT, HAVING and ORDER BY, and not inside one another."""

from __future__ import annotations

from sqlglot import exp

from velostream.sql.spans import span_of
from velostream.validation.bound import BoundStatement
from velostream.validation.grouping import aggregates_of, has_aggregate, has_over
from velostream.validation.outer_aggregates import outside_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import all_selects_of, expressions_of, selects_of

_HINTS = {
    "WHERE": "WHERE sees single records: use HAVING",
    "ON": "join first, aggregate in a statement that reads the result",
    "GROUP BY": "group by columns, aggregate in the select list",
}


_INSIDE = "it would be of the query around if it read that one's columns alone, as COUNT(t.x) does"


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses aggregates and OVER where rows are not grouped yet, and aggregates of aggregates."""
    outermost = list(selects_of(statement.query))
    for select in all_selects_of(statement.query):
        inside = not any(select is other for other in outermost)
        for clause, expression in expressions_of(select):
            if clause in _HINTS:
                _refuse(expression.tree, clause, look, inside=inside)
            else:
                _refuse_nested(expression.tree, look)
                if not select.aggregated:
                    _refuse_groupless(expression.tree, look)


def _refuse(tree: exp.Expr, clause: str, look: Look, *, inside: bool) -> None:
    for call in (*aggregates_of(tree, look.library), *outside_of(tree)):
        message = f"{clause} cannot use the aggregate {str(call.this).upper()}"
        hint = _INSIDE if inside and clause == "WHERE" else _HINTS[clause]
        look.findings.error("aggregate-not-allowed", message, span_of(call), hint=hint)
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
