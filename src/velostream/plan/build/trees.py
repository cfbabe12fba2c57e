"""Walks over bound trees: where aggregates and OVER stand, and how a part is replaced by the field that holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.functions.base import FunctionKind

if TYPE_CHECKING:
    from velostream.functions.library import Library

WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)


def unwrapped(node: exp.Expr) -> exp.Expr:
    """The call inside FILTER, WITHIN GROUP and IGNORE NULLS."""
    while isinstance(node, WRAPPERS):
        node = node.this
    return node


def is_aggregate(node: exp.Expr, library: Library) -> bool:
    """True for a call of an aggregate, with all that stands around it."""
    call = unwrapped(node)
    if not isinstance(call, exp.Anonymous):
        return False
    function = library.find(str(call.this))
    return function is not None and function.kind is FunctionKind.AGGREGATE


def calls_named(tree: exp.Expr, *names: str) -> Iterator[exp.Anonymous]:
    """The calls of functions of these names (in upper case), outside of subqueries."""
    for node in tree.walk(prune=lambda part: isinstance(part, exp.Query)):
        if isinstance(node, exp.Anonymous) and str(node.this).upper() in names:
            yield node


def replaced(tree: exp.Expr, rule: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """A copy in which every outermost part for which `rule` has an answer stands as that answer.

    What is inside a subquery is left alone. The function of an OVER is not asked about, but its arguments are.
    """
    holder = exp.Paren(this=tree.copy())
    pending = [holder.this]
    while pending:
        node = pending.pop()
        answer = rule(node)
        if answer is not None:
            node.replace(answer)
        elif isinstance(node, exp.Query):
            continue
        elif isinstance(node, exp.Window):
            pending += reversed(_around_function(node))
        else:
            pending += reversed(list(node.iter_expressions()))
    result: exp.Expr = holder.this
    return result.pop()


def _around_function(node: exp.Window) -> list[exp.Expr]:
    wrapper, parts = node.this, []
    while isinstance(wrapper, WRAPPERS):
        if wrapper.args.get("expression") is not None:
            parts.append(wrapper.args["expression"])
        wrapper = wrapper.this
    parts += list(wrapper.iter_expressions())
    parts += list(node.args.get("partition_by") or [])
    return [*parts, node.args["order"]] if node.args.get("order") is not None else parts


def bare(tree: exp.Expr) -> exp.Expr:
    """Without parentheses around it."""
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree
