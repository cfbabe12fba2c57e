"""Fuse streams: a statement's stream becomes part of the plan of each job that reads it, with no hop in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from velostream.plan.expression import Expression, column, reads
from velostream.plan.job import ApplicationPlan, Definition
from velostream.plan.nodes import Aggregate, Column, Filter, Node, Project, ReadStream
from velostream.plan.nodes.base import EMISSION, system_field
from velostream.plan.nodes.filter import EARLY
from velostream.plan.passes.walking import each_definition
from velostream.types import BOOLEAN


def fuse_streams(plan: ApplicationPlan) -> ApplicationPlan:
    """Every reader of a stream computes it itself; one that asked to read it back from its sink has a scan of that."""
    jobs = []
    for job in plan.jobs:
        used: dict[str, None] = {}
        root = _fused(job.root, plan.definitions, used)
        jobs.append(replace(job, root=root, definitions=tuple(used)))
    definitions = each_definition(plan, lambda root: fused(root, plan.definitions))
    return replace(plan, jobs=tuple(jobs), definitions=definitions)


def fused(root: Node, definitions: Mapping[str, Definition]) -> Node:
    """The tree with what the streams that it reads are made of."""
    return _fused(root, definitions, {})


def _fused(node: Node, definitions: Mapping[str, Definition], used: dict[str, None]) -> Node:
    if isinstance(node, ReadStream):
        used[node.stream] = None
        return _renamed(_fused(definitions[node.stream].root, definitions, used), node)
    return node.with_children([_fused(child, definitions, used) for child in node.children])


def _renamed(root: Node, reader: ReadStream) -> Node:
    if not reader.read_early and _sends_early_rows(root):
        root = Filter(root, _not_early(root), origin=EARLY)
    columns = tuple(Column(f"{reader.alias}.{f.name}", reads(f.name, f.type), f.system) for f in root.fields)
    return Project(root, columns, f"{reader.alias}.{root.time}" if root.time else "")


def _sends_early_rows(root: Node) -> bool:
    return any(isinstance(node, Aggregate) and node.emission.has_early_rows for node in root.walk())


def _not_early(root: Node) -> Expression:
    emission = column(system_field(root, EMISSION))
    return Expression(exp.NEQ(this=emission, expression=exp.Literal.string("early")), BOOLEAN)
