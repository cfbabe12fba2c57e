"""Sizes of tables in a plan: by them a join sends a table to every task, or spreads it by its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Node, TableScan
from velostream.plan.passes.walking import each_root, from_below


def with_sizes(plan: ApplicationPlan, sizes: Mapping[str, int]) -> ApplicationPlan:
    """The same plan in which tables have their sizes, in bytes; what is not known stays unknown."""

    def sized(node: Node) -> Node:
        return replace(node, size=sizes.get(node.table)) if isinstance(node, TableScan) else node

    return each_root(plan, lambda root: from_below(root, sized))
