"""Inherit lateness: a window over a stream that corrects its rows must wait for those corrections."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Aggregate, JoinStreams, Node, RowWindows, Scan
from velostream.plan.passes.walking import each_root, from_below


def inherit_lateness(plan: ApplicationPlan) -> ApplicationPlan:
    """The allowed lateness of a stateful node is at least that of the nodes below it."""
    return each_root(plan, lambda root: from_below(root, _inherited))


def _inherited(node: Node) -> Node:
    if not isinstance(node, Aggregate | JoinStreams | RowWindows):
        return node
    below = [
        each.lateness.allowed for each in node.walk() if isinstance(each, Aggregate | RowWindows) and each is not node
    ]
    below += [each.read_back.lateness for each in node.walk() if isinstance(each, Scan) and each.read_back is not None]
    allowed = max((node.lateness.allowed, *below))
    if allowed == node.lateness.allowed:
        return node
    return replace(node, lateness=replace(node.lateness, allowed=allowed))
