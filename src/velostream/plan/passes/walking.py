"""How passes walk: over the nodes of a tree from below, and over the jobs of an application."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from velostream.plan.job import ApplicationPlan, Definition
from velostream.plan.nodes import Node

Rule = Callable[[Node], Node]


def from_below(node: Node, rule: Rule) -> Node:
    """The tree with `rule` applied to every node, children first."""
    return rule(node.with_children([from_below(child, rule) for child in node.children]))


def each_root(plan: ApplicationPlan, change: Rule) -> ApplicationPlan:
    """The application with the root of every job, of every derived table and of every definition changed."""
    jobs = tuple(replace(job, root=change(job.root)) for job in plan.jobs)
    derived = tuple(replace(each, root=change(each.root)) for each in plan.derived)
    return replace(plan, jobs=jobs, derived=derived, definitions=each_definition(plan, change))


def each_definition(plan: ApplicationPlan, change: Rule) -> dict[str, Definition]:
    """The definitions with their roots changed: explain shows them as their readers run them."""
    return {name: replace(each, root=change(each.root)) for name, each in plan.definitions.items()}
