"""GROUP BY: columns, expressions, ordinals and aliases; and where aggregates stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog import system_columns
from velostream.functions.base import FunctionKind
from velostream.sql.nodes import RowWindow
from velostream.validation.bound import BoundExpression
from velostream.validation.scope import Missing

if TYPE_CHECKING:
    from velostream.functions.library import Library
    from velostream.validation.aliases import Aliases
    from velostream.validation.select import SelectBinder

OUTSIDE = "outside"
"""What marks an aggregate in a subquery that belongs to the query around it."""
_BOUNDS = ("_window_start", "_window_end")


def aggregates_of(tree: exp.Expr, library: Library) -> Iterator[exp.Expr]:
    """The aggregate calls of an expression, outermost first; what is inside OVER or a subquery is not one."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, exp.Query):
            continue
        if isinstance(node, exp.Window):
            pending += _inside_over(node)
            continue
        if is_aggregate(node, library):
            yield node
            continue
        pending += [child for child in node.iter_expressions() if isinstance(child, exp.Expr)]


def _inside_over(node: exp.Window) -> list[exp.Expr]:
    """An OVER's function is no aggregate of the group, but its arguments, partition and order may hold some."""
    inner = node.this
    while isinstance(inner, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        inner = inner.this
    parts = [child for child in inner.iter_expressions() if isinstance(child, exp.Expr)]
    parts += list(node.args.get("partition_by") or [])
    order = node.args.get("order")
    return parts + ([order] if order is not None else [])


def is_aggregate(node: exp.Expr, library: Library) -> bool:
    """True for a call of an aggregate function over the rows of its own query."""
    return is_aggregate_call(node, library) and not node.meta.get(OUTSIDE)


def is_aggregate_call(node: exp.Expr, library: Library) -> bool:
    """True for a call of an aggregate function, over the rows of whatever query."""
    if not isinstance(node, exp.Anonymous):
        return False
    function = library.find(str(node.this))
    return function is not None and function.kind is FunctionKind.AGGREGATE


def has_aggregate(tree: exp.Expr, library: Library) -> bool:
    """True where an expression aggregates."""
    return next(aggregates_of(tree, library), None) is not None


def has_over(tree: exp.Expr) -> bool:
    """True where an expression has an OVER of its own."""
    return any(window.find_ancestor(exp.Query) is tree.find_ancestor(exp.Query) for window in tree.find_all(exp.Window))


def has_buffer(tree: exp.Expr) -> bool:
    """True where each OVER of an expression's own answers from a buffer of rows."""
    own = [each for each in tree.find_all(exp.Window) if each.find_ancestor(exp.Query) is tree.find_ancestor(exp.Query)]
    return all(isinstance(each, RowWindow) for each in own)


def bind_grouping(select: SelectBinder, node: exp.Select, aliases: Aliases) -> tuple[BoundExpression, ...]:
    """The grouping expressions; the window's own bounds are implied and left out."""
    clause = node.args.get("group")
    if clause is None:
        return ()
    for key, words in (
        ("rollup", "ROLLUP"),
        ("cube", "CUBE"),
        ("grouping_sets", "GROUPING SETS"),
        ("totals", "WITH TOTALS"),
    ):
        if clause.args.get(key):
            select.refuse(
                "unsupported", f"{words} is not supported on a stream", clause, "write one statement per grouping"
            )
    terms = list(clause.expressions)
    if clause.args.get("all"):
        terms = [value for value in aliases.in_order if not has_aggregate(value, select.context.library)]
    grouping: list[BoundExpression] = []
    for term in terms:
        if _is_bound(select, term, node):
            continue
        aliases.refuse_ordinal(term, "GROUP BY", select.refuse)
        tree = aliases.at_ordinal(term)
        if tree is None:
            tree = _alias_or_column(select, term, aliases)
        bound = select.rows.bind(tree)
        if bound.tree not in [other.tree for other in grouping]:
            grouping.append(bound)
    return tuple(grouping)


def _alias_or_column(select: SelectBinder, term: exp.Expr, aliases: Aliases) -> exp.Expr:
    """A column of an input wins over an alias of the same name, as in Spark."""
    if isinstance(term, exp.Column) and len(term.parts) == 1 and isinstance(select.scope.resolve(term.name), Missing):
        return aliases.by_name.get(term.name.casefold(), term)
    return term


def _is_bound(select: SelectBinder, term: exp.Expr, node: exp.Select) -> bool:
    if not isinstance(term, exp.Column) or node.args.get("time_window") is None:
        return False
    column = system_columns.find(term.name)
    own = any(member.schema.find(term.name) for member in select.scope.inputs)
    return column is not None and column.name in _BOUNDS and not own
