"""Subqueries inside expressions: IN, EXISTS, scalar, ANY, ALL. What they take from around them are fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.types import BOOLEAN, UNKNOWN, Type
from velostream.validation import coercion
from velostream.validation.scope import Found, Scope

if TYPE_CHECKING:
    from velostream.validation.bound import BoundQuery
    from velostream.validation.expressions.binder import ExpressionBinder

MOST_COMPARED = 4
"""Columns of a row that IN compares: each further one doubles what is asked of NULLs."""


def scalar(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`(SELECT MAX(x) FROM t)`: one column, one row."""
    query = attach(binder, node, node.this)
    if query is None:
        return UNKNOWN
    return only_column(binder, query, node)


def exists(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`EXISTS (SELECT …)`."""
    attach(binder, node, node.this)
    return BOOLEAN


def member_of(binder: ExpressionBinder, node: exp.Expr, kind: Type) -> Type:
    """`x IN (SELECT y FROM t)`, `(a, b) IN (SELECT x, y FROM t)`."""
    query = attach(binder, node, node.args["query"])
    if query is None:
        return BOOLEAN
    if not isinstance(node.this, exp.Tuple):
        _comparable(binder, node, kind, only_column(binder, query, node))
        return BOOLEAN
    wanted, given = [each for _, each in kind.fields], [column.type for column in query.schema.columns]
    if len(wanted) != len(given):
        message = f"the subquery gives {len(given)} columns where {len(wanted)} are compared"
        binder.refuse("subquery", message, node, "select as many columns as stand in the parentheses before IN")
    elif len(wanted) > MOST_COMPARED:
        message = f"IN compares {len(wanted)} columns with those of a subquery, at most {MOST_COMPARED} can be"
        binder.refuse("subquery", message, node, "write EXISTS (SELECT 1 FROM … WHERE x = a AND y = b …)")
    else:
        for left, right in zip(wanted, given, strict=True):
            _comparable(binder, node, left, right)
    return BOOLEAN


def quantified(binder: ExpressionBinder, node: exp.Expr) -> Type:
    """`ANY (SELECT …)`, `ALL (SELECT …)` on the right of a comparison."""
    inner = node.this
    if isinstance(inner, (exp.Tuple, exp.Paren)) and not inner.find(exp.Query):
        kinds = binder.visit_all(inner.expressions if isinstance(inner, exp.Tuple) else [inner.this])
        return coercion.common_of(kinds) or UNKNOWN
    query = attach(binder, node, inner)
    return only_column(binder, query, node) if query is not None else UNKNOWN


def only_column(binder: ExpressionBinder, query: BoundQuery, node: exp.Expr) -> Type:
    """The type of a subquery's only column."""
    columns = query.schema.columns
    if len(columns) != 1:
        message = f"the subquery gives {len(columns)} columns where one is needed"
        binder.refuse("subquery", message, node, "select one column")
        return UNKNOWN
    return columns[0].type


def _comparable(binder: ExpressionBinder, node: exp.Expr, left: Type, right: Type) -> None:
    if not coercion.comparable(left, right):
        from velostream.validation.expressions.operators import comparison_hint

        binder.refuse("type-mismatch", f"{left} and {right} cannot be compared", node, comparison_hint(left, right))


def attach(binder: ExpressionBinder, node: exp.Expr, inner: exp.Expr) -> BoundQuery | None:
    """Binds the subquery, notes it on `node`, and qualifies its columns in place."""
    query_node = inner.unnest() if isinstance(inner, exp.Subquery) else inner
    if not isinstance(query_node, exp.Query):
        binder.refuse("subquery", "a subquery is expected here", node, "write (SELECT … FROM table)")
        return None
    answer = binder.subquery(query_node, binder.scope)
    if answer is None:
        return None
    query, scope = answer
    node.meta["bound"] = query
    node.meta["tables"] = tuple(dict.fromkeys(_tables(query)))
    _qualify(query_node, scope)
    return query


def _tables(query: BoundQuery) -> list[str]:
    from velostream.validation.bound import BoundSource, BoundSubquery, BoundUnion

    if isinstance(query, BoundUnion):
        return _tables(query.left) + _tables(query.right)
    names: list[str] = []
    for member in query.inputs:
        if isinstance(member, BoundSource):
            names.append(member.relation.name)
        elif isinstance(member, BoundSubquery):
            names += _tables(member.query)
    return names


def _qualify(tree: exp.Expr, scope: Scope) -> None:
    """Columns of the subquery get their alias, those of the query around it become fields."""
    from velostream.validation.expressions.access import field_node, resolve_parts

    for column in list(tree.find_all(exp.Column)):
        if column.meta.get("field") or isinstance(column.this, exp.Star) or column.find_ancestor(exp.Query) is not tree:
            continue
        parts = list(column.parts)
        found, used = resolve_parts(scope, [part.name for part in parts])
        if not isinstance(found, Found):
            continue
        target: exp.Expr = (
            field_node(found) if found.outer else exp.column(found.column, table=found.alias, quoted=True)
        )
        for part in parts[used:]:
            target = exp.Dot(this=target, expression=part.copy())
        target.meta.update(column.meta)
        column.replace(target)
