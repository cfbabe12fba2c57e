"""Mark conditions: before a stateful node no row is removed, or its partition would hold the watermark for ever.

Over rows that may be revised, a condition withdraws what it let through before.
"""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Filter, JoinTable, Node
from velostream.plan.nodes.filter import EARLY, MARK, REMOVE, WITHDRAW
from velostream.plan.passes.walking import each_root


def mark_conditions(plan: ApplicationPlan) -> ApplicationPlan:
    """Filters and join misses between a source and the first stateful node mark rows."""
    return each_root(plan, lambda root: _marked(root, below_state=False))


def _marked(node: Node, *, below_state: bool) -> Node:
    inside = below_state or node.keeps_state
    node = node.with_children([_marked(child, below_state=inside) for child in node.children])
    before_state = below_state and not node.static and not any(each.keeps_state for each in node.walk())
    if isinstance(node, Filter):
        mode = MARK if before_state else _mode(node)
        return node if mode == node.mode else replace(node, mode=mode)
    if isinstance(node, JoinTable):
        misses = MARK if before_state else REMOVE
        return node if misses == node.misses else replace(node, misses=misses)
    return node


def _mode(node: Filter) -> str:
    """A condition on what a row is known by never changes its mind about it."""
    changes = any(name not in node.input.identity for name in node.condition.fields)
    return WITHDRAW if node.input.revises and changes and node.origin != EARLY and node.input.identity else REMOVE
