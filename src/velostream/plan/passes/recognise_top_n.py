"""Recognise top-N: a filter on ROW_NUMBER needs n rows of state per partition, not all of them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from velostream.plan.expression import Expression, all_of, parts_of
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Filter, Node, Project, RowWindows, TopN
from velostream.plan.nodes.top_n import RANKINGS
from velostream.plan.passes.walking import each_root, from_below

_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.EQ: exp.EQ}


def recognise_top_n(plan: ApplicationPlan) -> ApplicationPlan:
    """`ROW_NUMBER() … = 1` keeps one row per partition, `<= n` keeps n."""
    return each_root(plan, with_top_n)


def with_top_n(root: Node) -> Node:
    """The tree with what is a top-N as one."""
    return from_below(root, _recognised)


def _recognised(node: Node) -> Node:
    if not isinstance(node, Filter):
        return node
    parts = parts_of(node.condition)
    for part in parts:
        bound = _bound(part)
        found = None if bound is None else _below(node.input, bound[0], bound[1])
        if found is not None:
            rest = [other for other in parts if other is not part]
            return replace(node, input=found, condition=all_of(rest)) if rest else found
    return node


def _bound(condition: Expression) -> tuple[str, int] | None:
    """(field, n) of `field <= n`, in any of its spellings."""
    tree = condition.tree
    if not isinstance(tree, exp.Binary):
        return None
    kind: type[exp.Expr] = type(tree)
    left, right = tree.left, tree.right
    if isinstance(left, exp.Literal):
        kind, left, right = _FLIPPED.get(kind, exp.Binary), right, left
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Literal) or not right.name.isdecimal():
        return None
    number = int(right.name)
    bounds: dict[type[exp.Expr], int] = {exp.LTE: number, exp.LT: number - 1}
    least = bounds.get(kind, number if kind is exp.EQ and number == 1 else 0)
    return (left.name, least) if least >= 1 else None


def _below(node: Node, name: str, n: int) -> Node | None:
    """The tree with the row window that makes `name` turned into a top-N; None where there is none."""
    if isinstance(node, Project):
        source = next((each.expression for each in node.columns if each.name == name and each.is_renamed), None)
        below = None if source is None else _below(node.input, source.name, n)
        return None if below is None else replace(node, input=below)
    if isinstance(node, Filter):
        below = _below(node.input, name, n)
        return None if below is None else replace(node, input=below)
    if not isinstance(node, RowWindows) or node.buffer is not None or len(node.calls) != 1 or not node.order:
        return None
    call = node.calls[0]
    if call.name != name or call.function not in RANKINGS:
        return None
    return TopN(node.input, n, node.order, node.partition, call.function, call.name, node.ttl, node.per_window)
