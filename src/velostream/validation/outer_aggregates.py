"""Aggregates in subqueries that belong to the query around: `HAVING EXISTS (SELECT 1 FROM t WHERE t.most < SUM(s.x))`.

As in SQL, a call belongs to the query whose columns alone it reads. It is marked before anything is bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.validation.expressions.access import resolve_parts
from velostream.validation.grouping import OUTSIDE, is_aggregate
from velostream.validation.scope import Found
from velostream.validation.walk import expressions_of, selects_of

if TYPE_CHECKING:
    from velostream.functions.library import Library
    from velostream.validation.scope import Scope

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def mark(select: exp.Select, scope: Scope, library: Library) -> None:
    """Marks the calls in a subquery that are of the query around it; `scope` is that of the subquery."""
    for term, call in _calls(select, library):
        columns = [each for each in term.find_all(exp.Column) if not isinstance(each.this, exp.Star)]
        if columns and all(_is_around(each, scope) for each in columns):
            call.meta[OUTSIDE] = True


def outside_of(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The calls of an expression's own query that stand in its subqueries."""
    for holder in tree.walk(prune=lambda node: isinstance(node, exp.Query)):
        for select in selects_of(holder.meta.get("bound")):
            for _, expression in expressions_of(select):
                inner = expression.tree.walk(prune=lambda node: isinstance(node, exp.Query))
                yield from (node for node in inner if node.meta.get(OUTSIDE))


def _calls(select: exp.Select, library: Library) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """Aggregates with what stands around them (FILTER), and by themselves."""
    pending: list[exp.Expr] = list(select.iter_expressions())
    while pending:
        node = pending.pop()
        call = node
        while isinstance(call, _WRAPPERS):
            call = call.this
        if is_aggregate(call, library):
            yield node, call
        elif not isinstance(node, (exp.Query, exp.Window)):
            pending += list(node.iter_expressions())


def _is_around(column: exp.Column, scope: Scope) -> bool:
    """True for a column of the query next around, and of none further out."""
    names = [part.name for part in column.parts]
    found, _ = resolve_parts(scope, names)
    if not isinstance(found, Found) or not found.outer or scope.outer is None:
        return False
    around, _ = resolve_parts(scope.outer, names)
    return isinstance(around, Found) and not around.outer
