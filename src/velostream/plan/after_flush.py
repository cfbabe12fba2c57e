"""A job that goes on after a flush: what that said of open windows and groups may be corrected (SPEC B7)."""

from __future__ import annotations

from dataclasses import replace

from velostream.formats.schemas.wire import optional
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, JoinStreams, JoinTable, Node, Sinks, SinkTarget
from velostream.plan.nodes.join_streams import OUTER
from velostream.plan.passes import improve
from velostream.plan.passes.carry_revisions import carry_revisions
from velostream.plan.passes.walking import from_below
from velostream.sinks.base import WriteMode

_TABLES = ("database_sink", "delta_sink")


def after_flush(job: Job, plan: ApplicationPlan) -> Job:
    """The job with rows that tell what they correct, and conditions that withdraw what they no longer let through."""
    flushed = replace(job, root=from_below(job.root, _flushed))
    [made] = improve(replace(plan, jobs=(flushed,), derived=()), first=carry_revisions).jobs
    nodes = zip(job.keeping, made.keeping, strict=False)
    return replace(made, since_flush=tuple(frozenset(_read(now)) - frozenset(_read(was)) for was, now in nodes))


def hindrance(made: Job, job: Job) -> str:
    """Why `made` cannot go on with the state that `job` left, or write to what this made; empty where it can."""
    if _kept(made) != _kept(job):
        return "its join remembers rows otherwise where they may be corrected"
    for now, was in zip(_targets(made.root), _targets(job.root), strict=True):
        agreed = _agreed(now) if now.added != was.added else ""
        if agreed:
            return f"{agreed} of sink '{now.name}' has no {' and '.join(now.added)}"
    return ""


def has_lone_rows(job: Job) -> bool:
    """True where sinks that append would be told in vain that a row, alone at a flush, has met another one since."""
    appending = any(each.writes is not WriteMode.UPSERT for each in _targets(job.root))
    outer = (node for node in job.root.walk() if isinstance(node, JoinStreams) and node.kind in OUTER)
    return appending and not job.root.revises and any(outer)


def _flushed(node: Node) -> Node:
    if not isinstance(node, Aggregate) or not node.keeps_state:
        return node
    return replace(node, lateness=replace(node.lateness, flushed=True))


def _kept(job: Job) -> list[object]:
    """Where rows go to be remembered; joins of rows that may be corrected remember others."""
    joins = (JoinStreams, JoinTable)
    return [(type(node), node.spread, isinstance(node, joins) and node.revises) for node in job.keeping]


def _read(node: Node) -> tuple[str, ...]:
    return tuple(name for child in node.children for name in child.fields.names)


def _agreed(target: SinkTarget) -> str:
    """What fixes the columns of a sink before its first row; empty where columns can be added behind the others.

    A schema of a registry gets a version in which they may be missing, readers of Protobuf skip what they do not know.
    """
    if target.connector in _TABLES:
        return "the table"
    if target.format not in ("avro", "protobuf"):
        return ""
    if optional(target.settings, "schema.file"):
        return "the schema file"
    told = target.format == "protobuf" or optional(target.settings, "schema.registry.url")
    return "" if told else "the Avro schema, which no registry tells readers,"


def _targets(root: Node) -> list[SinkTarget]:
    return [target for node in root.walk() if isinstance(node, Sinks) for target in node.targets]
