"""Add sink columns: what a sink writes although nobody selected it (SPEC A8, B6)."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes import Node, Sinks, SinkTarget
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, WINDOW_START
from velostream.plan.passes.walking import each_root, from_below
from velostream.sinks.base import WriteMode


def add_sink_columns(plan: ApplicationPlan) -> ApplicationPlan:
    """Tables that are written by key get keys, window and revision; whoever appends gets corrections with what they
    correct."""
    return each_root(plan, lambda root: from_below(root, _added))


def _added(node: Node) -> Node:
    if not isinstance(node, Sinks):
        return node
    targets = tuple(replace(target, added=_columns(target, node.input)) for target in node.targets)
    return replace(node, targets=targets)


def _columns(target: SinkTarget, rows: Node) -> tuple[str, ...]:
    wanted: list[str] = []
    by_key = target.connector == "delta_sink" and target.writes is WriteMode.UPSERT
    if target.connector == "database_sink" or by_key:
        window = [name for name in (*rows.identity, *target.identity) if name in (WINDOW_START, WINDOW_END)]
        windowed = bool(window) or len(target.identity) > len(target.key)
        wanted += [*target.key, *window, *((REVISION,) if windowed else ())]
    if rows.revises:
        wanted += [REVISION] if target.writes is WriteMode.UPSERT else [EMISSION, REVISION]
    hidden = {member.name for member in rows.fields if member.system}
    return tuple(name for name in dict.fromkeys(wanted) if name in hidden)
