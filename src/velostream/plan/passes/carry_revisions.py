"""Carry revisions: where rows may be corrected, what tells a correction travels with them up to the sinks."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.expression import reads
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Column, Node, Project
from velostream.plan.nodes.base import EMISSION, EVENT_TIME, REVISION, system_field
from velostream.plan.passes.walking import each_root, from_below


def carry_revisions(plan: ApplicationPlan) -> ApplicationPlan:
    """Every projection of rows that may be corrected has `_emission`, `_revision` and what a row is known by."""
    return each_root(plan, lambda root: from_below(root, _carried))


def _carried(node: Node) -> Node:
    if not isinstance(node, Project) or not node.input.revises:
        return node
    prefix = node.event_time.removesuffix(EVENT_TIME) if node.event_time.endswith(EVENT_TIME) else ""
    marks = [found for name in (EMISSION, REVISION) if (found := system_field(node.input, name))]
    columns = [column for column in node.columns if not _tells_of_one_side(column, marks)]
    if len(columns) < len(node.columns):
        node = replace(node, columns=tuple(columns))
    outputs, taken = node.outputs, {column.name for column in columns}
    missing = [name for name in node.input.identity if name not in outputs]
    missing += [name for name in marks if name not in outputs]
    for name in missing:
        plain = f"{prefix}{name.split('.')[-1] if name in marks else name}"
        free = plain if plain not in taken else f"{prefix}{name}"
        if free not in taken:
            columns.append(Column(free, reads(name, node.input.fields.of(name).type), system=True))
            taken.add(free)
    return node if len(columns) == len(node.columns) else replace(node, columns=tuple(columns))


def _tells_of_one_side(column: Column, marks: list[str]) -> bool:
    """True where a hidden column says as what a side of a join came, and rows say by themselves as what they are."""
    own = column.expression.name if column.system and column.expression.is_field else ""
    return own not in marks and own.split(".")[-1] in marks
