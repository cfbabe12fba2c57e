"""A job that goes on after a flush: what that said of open windows and groups may be corrected (SPEC B7)."""

from __future__ import annotations

from dataclasses import replace

from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, JoinStreams, JoinTable, Node, Sinks, SinkTarget
from velostream.plan.nodes.join_streams import OUTER
from velostream.plan.passes import improve
from velostream.plan.passes.carry_revisions import carry_revisions
from velostream.plan.passes.walking import from_below
from velostream.sinks.base import WriteMode

_MADE = ("avro", "protobuf")
"""Formats whose columns are agreed upon before the first row."""


def after_flush(job: Job, plan: ApplicationPlan) -> Job:
    """The job with rows that tell what they correct, and conditions that withdraw what they no longer let through."""
    flushed = replace(job, root=from_below(job.root, _flushed))
    [made] = improve(replace(plan, jobs=(flushed,), derived=()), first=carry_revisions).jobs
    return made


def takes_over(made: Job, job: Job) -> bool:
    """True where `made` goes on with the state that `job` left, and writes to the tables that this made."""
    return _kept(made.root) == _kept(job.root) and _agreed(made.root) == _agreed(job.root)


def has_lone_rows(job: Job) -> bool:
    """True where sinks that append would be told in vain that a row, alone at a flush, has met another one since."""
    appending = any(each.writes is not WriteMode.UPSERT for each in _targets(job.root))
    outer = (node for node in job.root.walk() if isinstance(node, JoinStreams) and node.kind in OUTER)
    return appending and not job.root.revises and any(outer)


def _flushed(node: Node) -> Node:
    if not isinstance(node, Aggregate) or not node.keeps_state:
        return node
    return replace(node, lateness=replace(node.lateness, flushed=True))


def _kept(root: Node) -> list[object]:
    """Where rows go to be remembered; joins of rows that may be corrected remember others."""
    joins = (JoinStreams, JoinTable)
    return [
        (type(node), node.spread, node.route, isinstance(node, joins) and node.revises)
        for node in root.walk()
        if node.keeps_state
    ]


def _agreed(root: Node) -> list[object]:
    """What is added to the columns of tables and schemas that are there from the first run on."""
    tables = ("database_sink", "delta_sink")
    return [each.added for each in _targets(root) if each.connector in tables or each.format in _MADE]


def _targets(root: Node) -> list[SinkTarget]:
    return [target for node in root.walk() if isinstance(node, Sinks) for target in node.targets]
