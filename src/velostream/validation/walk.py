"""Walks over bound queries: all SELECTs of a statement, all expressions of a SELECT."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from velostream.validation.bound import (
    BoundExpression,
    BoundInput,
    BoundQuery,
    BoundSelect,
    BoundSource,
    BoundSubquery,
    BoundUnion,
)
from velostream.validation.inputs import is_static


def selects_of(query: BoundQuery | None) -> Iterator[BoundSelect]:
    """All SELECTs that stream, outermost first: set operations and subqueries in FROM."""
    if query is None:
        return
    if isinstance(query, BoundUnion):
        yield from selects_of(query.left)
        yield from selects_of(query.right)
        return
    yield query
    for member in query.inputs:
        if isinstance(member, BoundSubquery):
            yield from selects_of(member.query)


def expressions_of(select: BoundSelect) -> Iterator[tuple[str, BoundExpression]]:
    """The expressions of a SELECT, each with the clause that it stands in."""
    if select.where is not None:
        yield "WHERE", select.where
    for join in select.joins:
        if join.condition is not None:
            yield "ON", join.condition
    for grouping in select.grouping:
        yield "GROUP BY", grouping
    for item in select.items:
        yield "SELECT", item.expression
    if select.having is not None:
        yield "HAVING", select.having
    for term in select.order:
        yield "ORDER BY", term.expression


def subqueries_of(select: BoundSelect) -> Iterator[tuple[exp.Expr, BoundQuery]]:
    """The subqueries inside a SELECT's expressions, each with the node that holds it."""
    for _, expression in expressions_of(select):
        for node in expression.tree.walk():
            query = node.meta.get("bound")
            if query is not None:
                yield node, query


def all_selects_of(query: BoundQuery | None) -> Iterator[BoundSelect]:
    """All SELECTs, those of subqueries in expressions too, each before those that stand in it."""
    for select in selects_of(query):
        yield select
        for _, inner in subqueries_of(select):
            yield from all_selects_of(inner)


def sources_of(query: BoundQuery | None) -> Iterator[BoundSource]:
    """All relations that a query streams or looks up, those of subqueries in expressions too."""
    for select in all_selects_of(query):
        for member in select.inputs:
            if isinstance(member, BoundSource):
                yield member


def streams(select: BoundSelect) -> bool:
    """True where a SELECT reads a stream, not only tables."""
    return any(not is_static(member) for member in select.inputs)


def input_of(select: BoundSelect, alias: str) -> BoundInput | None:
    """The input of that alias."""
    return next((member for member in select.inputs if member.alias == alias), None)
