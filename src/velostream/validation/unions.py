"""UNION of queries: the columns that both sides share, and an order over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog.schema import Column, Schema
from velostream.sql.spans import span_of
from velostream.validation import coercion
from velostream.validation.aliases import Aliases
from velostream.validation.bound import BoundOrder, BoundQuery, BoundUnion
from velostream.validation.scope import Scope, ScopeInput
from velostream.validation.select import REFUSED, SelectBinder, bind_query

if TYPE_CHECKING:
    from velostream.validation.context import Context


def bind_union(node: exp.Expr, context: Context, outer: Scope | None) -> tuple[BoundQuery, Scope] | None:
    """The bound union and the scope of its first SELECT; None, with findings, where a side cannot be bound."""
    if not isinstance(node, exp.Union):
        word = type(node).__name__.upper()
        context.findings.error(
            "unsupported",
            f"{word} is not supported on streams",
            span_of(node),
            hint="use EXISTS or NOT EXISTS against a table",
        )
        return None
    left, right = bind_query(node.this, context, outer), bind_query(node.expression, context, outer)
    if left is None or right is None:
        return None
    schema = _union_schema(left[0], right[0], node, context)
    binder = SelectBinder(context, outer)
    binder.scope.inputs.append(ScopeInput(_UNION, schema))
    order = tuple(_plain_order(term) for term in binder.order_by(node.args.get("order"), Aliases()))
    limit = binder.limit(node.args.get("limit"))
    for key in ("offset", "hint", "locks"):
        if node.args.get(key):
            binder.refuse("unsupported", f"{REFUSED[key]} is not supported on a stream", node.args[key], "leave it out")
    distinct = bool(node.args.get("distinct"))
    return BoundUnion(left[0], right[0], distinct, schema, span_of(node), order, limit), left[1]


_UNION = "union"


def _plain_order(term: BoundOrder) -> BoundOrder:
    """ORDER BY of a set operation speaks of its columns by their plain names."""
    for column in term.expression.tree.find_all(exp.Column):
        column.this.set("this", column.name.removeprefix(f"{_UNION}."))
    return term


def _union_schema(left: BoundQuery, right: BoundQuery, node: exp.Expr, context: Context) -> Schema:
    if left.schema.is_open or right.schema.is_open:
        return left.schema
    if len(left.schema) != len(right.schema):
        message = f"UNION of {len(left.schema)} and {len(right.schema)} columns"
        context.findings.error(
            "union-mismatch", message, right.span, hint="select the same number of columns on both sides"
        )
        return left.schema
    columns = []
    for one, other in zip(left.schema, right.schema, strict=True):
        kind = coercion.common(one.type, other.type)
        if kind is None:
            message = f"UNION of '{one.name}' {one.type} with '{other.name}' {other.type}"
            context.findings.error("union-mismatch", message, right.span, hint="cast one side")
        columns.append(Column(one.name, kind or one.type, one.nullable or other.nullable, one.key and other.key))
    return Schema(tuple(columns))
