"""Bound newest rows: of rows that are read back with their corrections the newest is kept as long as a window of the
reader can take a correction of it."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Aggregate, Filter, Headers, JoinTable, Node, Project, TopN, Union
from velostream.plan.passes.walking import each_root, from_below
from velostream.windows.assigners.base import longest


def bound_newest(plan: ApplicationPlan) -> ApplicationPlan:
    """Newest rows whose first state above is a window by their own event time go when the window has: its longest +
    allowed lateness after their event time."""
    return each_root(plan, lambda root: from_below(root, _bounded))


def _bounded(node: Node) -> Node:
    if not isinstance(node, Aggregate) or node.window is None or not node.window.time.is_field:
        return node
    length = longest(node.window.assigner)
    if length is None:
        return node
    return replace(node, input=_below(node.input, node.window.time.name, length + node.lateness.allowed))


def _below(node: Node, time: str, ttl: int) -> Node:
    """The rows with their newest kept for so long, where `time` is the event time that these have."""
    if isinstance(node, TopN):
        written = node.changes is not None and node.changes.read_back is not None
        return replace(node, ttl=ttl) if written and time == node.time else node
    if isinstance(node, Union) and time == node.time:
        return node.with_children([_below(each, time, ttl) for each in node.children])
    if isinstance(node, Project):
        values = (column.expression for column in node.columns if column.name == time and column.expression.is_field)
        value = next(values, None)
        return node if value is None else replace(node, input=_below(node.input, value.name, ttl))
    if isinstance(node, Filter | Headers):
        return replace(node, input=_below(node.input, time, ttl))
    if isinstance(node, JoinTable) and time in node.left.fields:
        return replace(node, left=_below(node.left, time, ttl))
    return node
