"""Prune columns: every node has the fields that something above it reads, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from velostream.plan.expression import reads
from velostream.plan.fields import Fields
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import (
    Aggregate,
    Column,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
)
from velostream.plan.nodes.headers import EDITED
from velostream.plan.passes.walking import each_definition
from velostream.plan.visitor import Visitor

PRUNE: Visitor[Node] = Visitor("prune columns")
"""`PRUNE(node, required)`: the node with at least the fields of `required`, a set of names."""

Names = set[str]


def prune_columns(plan: ApplicationPlan) -> ApplicationPlan:
    """Sources read only the columns that results depend on."""
    jobs = tuple(replace(job, root=PRUNE(job.root, _measured(job))) for job in plan.jobs)
    definitions = each_definition(plan, lambda root: PRUNE(root, {member.name for member in root.fields.visible}))
    return replace(plan, jobs=jobs, definitions=definitions)


def _measured(job: Job) -> Names:
    """What metrics and log lines read of the rows."""
    parts = [part for metric in job.metrics for part in (metric.condition, metric.field) if part is not None]
    parts += [log.condition for log in job.logs if log.condition is not None]
    gauges = any(each.metric.kind == "gauge" for each in job.metrics)
    times = {job.root.time} & set(job.root.fields.names) if gauges else set()  # the newest row is what a gauge shows
    kept = set(job.kept) & set(job.root.fields.names)
    read = {name for part in parts for name in part.fields}
    return read | {name for metric in job.metrics for name in metric.labels} | times | kept


def _read(node: Node, required: Iterable[str]) -> Names:
    """All that a node must find in its children: what is asked of it, and what it reads itself."""
    own = {name for expression in node.expressions for name in expression.fields}
    return {*required, *own, *node.needs}


def _of(names: Names, fields: Fields) -> Names:
    return {name for name in names if name in fields}


def _same(node: Node, required: Names) -> Node:
    wanted = _read(node, required)
    return node.with_children([PRUNE(child, _of(wanted, child.fields)) for child in node.children])


@PRUNE.on(JoinTable)
def _join_table(node: JoinTable, required: Names) -> Node:
    """A default goes with its column: one that nobody reads has none to fill."""
    wanted = _read(node, required)
    defaults = tuple((name, value) for name, value in node.missing.defaults if name in wanted)
    children = [PRUNE(child, _of(wanted, child.fields)) for child in node.children]
    # Both at once: a node is checked when it is made.
    return replace(node, left=children[0], right=children[1], missing=replace(node.missing, defaults=defaults))


@PRUNE.on(Filter, Unnest, JoinStreams, Deduplicate, Distinct, OrderLimit, Sinks, Materialise, Print)
def _passing(node: Node, required: Names) -> Node:
    return _same(node, required)


@PRUNE.on(Scan)
def _scan(node: Scan, required: Names) -> Node:
    marks = node.watermark.punctuation
    kept = {*required, *(marks.fields if marks is not None else ())}
    return _narrowed(node, kept)


@PRUNE.on(TableScan, ReadStream)
def _table(node: TableScan | ReadStream, required: Names) -> Node:
    return _narrowed(node, required)


def _narrowed(node: Scan | TableScan | ReadStream, kept: Names) -> Node:
    columns = tuple(member for member in node.columns if member.name in kept)
    return node if len(columns) == len(node.columns) else replace(node, columns=columns)


@PRUNE.on(Values)
def _values(node: Values, required: Names) -> Node:
    kept = [place for place, member in enumerate(node.columns) if member.name in required]
    columns = tuple(node.columns[place] for place in kept)
    return Values(columns, tuple(tuple(row[place] for place in kept) for row in node.rows))


@PRUNE.on(Project)
def _project(node: Project, required: Names) -> Node:
    columns = tuple(column for column in node.columns if column.name in required)
    time = node.event_time if node.event_time in required else ""
    below = {name for column in columns for name in column.expression.fields}
    if len(columns) == len(node.columns):
        pruned = node.with_children([PRUNE(node.input, below)])
    else:
        pruned = replace(node, input=PRUNE(node.input, below), columns=columns, event_time=time)
    return pruned.input if _does_nothing(pruned) else pruned


def _does_nothing(node: Project) -> bool:
    """True where all fields go through as they are."""
    if node.star or not all(column.is_carried for column in node.columns):
        return False
    same_time = node.time == node.input.time
    shown = [(column.name, column.system) for column in node.columns]
    return same_time and shown == [(member.name, member.system) for member in node.input.fields]


@PRUNE.on(Aggregate)
def _aggregate(node: Aggregate, required: Names) -> Node:
    calls = tuple(call for call in node.calls if call.name in required)
    fewer = node if len(calls) == len(node.calls) else replace(node, calls=calls)
    return fewer.with_children([PRUNE(node.input, _read(fewer, ()))])


@PRUNE.on(RowWindows)
def _row_windows(node: RowWindows, required: Names) -> Node:
    calls = tuple(call for call in node.calls if call.name in required)
    if not calls and node.buffer is None:
        return PRUNE(node.input, _of(required, node.input.fields))
    return _same(replace(node, calls=calls) if calls else node, _of(required, node.input.fields))


@PRUNE.on(TopN)
def _top_n(node: TopN, required: Names) -> Node:
    fewer = node if node.rank in required else replace(node, rank="")
    return _same(fewer, _of(required, node.input.fields))


@PRUNE.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck, required: Names) -> Node:
    if node.name not in required:
        return PRUNE(node.input, required)
    return _same(node, required)


@PRUNE.on(Headers)
def _headers(node: Headers, required: Names) -> Node:
    if EDITED not in required:
        return PRUNE(node.input, required)
    return _same(node, required - {EDITED})


@PRUNE.on(Union)
def _union(node: Union, required: Names) -> Node:
    """Sides keep the same columns in the same places; a side that must have more of its own is cut to them."""
    places = [place for place, member in enumerate(node.fields.visible) if member.name in required]
    system = [member.name for member in node.fields if member.system and member.name in required]
    return node.with_children([_side(branch, places, system) for branch in node.inputs])


def _side(branch: Node, places: list[int], system: list[str]) -> Node:
    visible = [branch.fields.visible[place].name for place in places]
    wanted = [*visible, *(name for name in system if name in branch.fields)]
    pruned = PRUNE(branch, set(wanted))
    if [member.name for member in pruned.fields.visible] == visible:
        return pruned
    columns = [Column(f.name, reads(f.name, f.type), f.system) for f in map(pruned.fields.of, wanted)]
    return Project(pruned, tuple(columns))
