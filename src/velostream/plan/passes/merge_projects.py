"""Merge projects: two select lists over each other become one, where nothing costly would be computed twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Column, Node, Project
from velostream.plan.passes.determinism import is_deterministic
from velostream.plan.passes.walking import each_root, from_below


def merge_projects(plan: ApplicationPlan) -> ApplicationPlan:
    """A project that only renames, carries or reads once what the one below computes takes its place."""
    return each_root(plan, lambda root: from_below(root, _merged))


def _merged(node: Node) -> Node:
    if not isinstance(node, Project):
        return node
    below = node.input
    if not isinstance(below, Project) or below.star:
        return node
    values = {column.name: column.expression for column in below.columns}
    uses = Counter(name for column in node.columns for name in column.expression.fields)
    if any(not _may_move(below, name, uses[name]) for name in uses):
        return node
    columns = tuple(Column(each.name, each.expression.given(values), each.system) for each in node.columns)
    time = node.event_time or (node.time if below.event_time else "")
    return _merged(replace(node, input=below.input, columns=columns, event_time=time))


def _may_move(below: Project, name: str, uses: int) -> bool:
    column = next(each for each in below.columns if each.name == name)
    expression = column.expression
    cheap = expression.is_field or expression.is_constant or uses == 1
    return cheap and is_deterministic(expression)
