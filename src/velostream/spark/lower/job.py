"""A job on Spark: one streaming query up to its last stateful node, and what is done with each micro-batch of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import (
    Aggregate,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
    Print,
    Project,
    Scan,
    Sinks,
    SubqueryCheck,
    TopN,
    Union,
    Unnest,
)
from velostream.plan.nodes.filter import WITHDRAW
from velostream.spark.lower.context import JoinCount, Lowering, column
from velostream.spark.lower.derived import refused_versions
from velostream.spark.lower.finishing import finisher
from velostream.spark.lower.functions import with_aggregates
from velostream.spark.lower.headers import lower_headers
from velostream.spark.lower.join_table import lower_join_table, tables_of
from velostream.spark.lower.refusals import is_mixed, mixed, refusals
from velostream.spark.lower.rows import lower_filter, lower_project
from velostream.spark.lower.scan import lower_scan
from velostream.spark.lower.stage import CONTROL, Stage, reads_sources
from velostream.spark.lower.stateful import lower_stateful
from velostream.spark.lower.static import lower_static
from velostream.spark.lower.subquery import lower_subquery
from velostream.spark.lower.time_order import moves_in_time
from velostream.spark.lower.union import lower_union
from velostream.spark.lower.unnest import lower_unnest
from velostream.spark.lower.watermarks import below
from velostream.spark.lower.worker_scan import route_early
from velostream.spark.stateful.control import open_control
from velostream.spark.stateful.layout import MARK, NO_FAULT
from velostream.spark.warm import refused_mixture

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Rule = Callable[[Any, Any, Lowering], Any]
_ROWS: dict[type[Node], Rule] = {
    Filter: lower_filter,
    Project: lower_project,
    Unnest: lower_unnest,
    Headers: lower_headers,
}
_WITH_TABLES: dict[type[Node], Callable[[Any, Any, Any, Lowering], Any]] = {
    JoinTable: lower_join_table,
    SubqueryCheck: lower_subquery,
}
"""Nodes that ask tables about the rows of a stream."""


@dataclass(frozen=True)
class LoweredJob:
    """`stream` is what the query runs; `rows` makes the job's output rows of one of its micro-batches.

    With `packed` the stream is that of a stateful node, payloads and all; else it has rows, with marks among them for
    what stateful nodes say. `roles` says how the records that each stateful node sees are counted.
    """

    stream: DataFrame
    rows: Callable[[DataFrame], DataFrame]
    packed: bool
    stateful: bool
    roles: dict[int, Role] = field(default_factory=dict)
    observed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    counting: list[JoinCount] = field(default_factory=list)
    """What joins count: those of the stream by the names that Spark reports, those of `rows` since it was called."""
    joined: tuple[tuple[str, str], ...] = ()
    """Table and missing-data strategy of joins whose rows carry what they met (velostream.spark.lower.join_counts)."""
    local: Callable[[Sequence[bytes]], DataFrame] | None = None
    """Where the stream is packed: the job's output rows of payloads that are in the driver already."""
    table: Callable[[Sequence[bytes]], pa.Table] | None = None
    """The same without Spark, where columns are only picked and named."""
    shared: bool = False
    """True where `rows` leaves those out that another version of the job writes."""


@dataclass(frozen=True)
class Role:
    """How a stateful node counts: whether records of sources reach it, whether it is the first that they reach, and
    whether its rows reach no other."""

    records: bool
    first: bool
    last: bool
    table: str = ""
    """The tables that are joined, where it is a join in which rows wait."""


def lower_job(job: Job, lowering: Lowering) -> LoweredJob:
    """The plan of a job as a Spark query. A node that cannot be run is an error that names it."""
    top = with_aggregates(rows_of(job), lowering.functions)
    above, last = _above(top)
    if last is None:
        stream = _with_faults(_stream(top, lowering))
        stateful = bool(lowering.stages)
        if job.tables and not stateful:
            stream = _with_commands(stream, lowering)
        joined = tuple(lowering.joined)
        return LoweredJob(stream, _records, False, stateful, _roles(lowering), lowering.observed, joined=joined)
    stage = _stage(last, lowering, keeps_previous=_withdraws(above))

    def finished(made: DataFrame) -> DataFrame:
        for node in reversed(above):
            made = _step(node, made, lowering)
        return _with_faults(made)

    finish = finisher(above, stage.shape.made, stage.shape.identity)
    return LoweredJob(
        stage.frame,
        lambda batch: finished(stage.rows(batch)),
        packed=True,
        stateful=True,
        roles=_roles(lowering),
        observed=lowering.observed,
        counting=lowering.counting,
        joined=tuple(lowering.joined),
        local=lambda payloads: finished(stage.local(payloads, lowering.spark)),
        table=None if finish is None else lambda payloads: finish(stage.table(payloads)),
    )


def _with_faults(stream: DataFrame) -> DataFrame:
    """Only of records that something is wrong with is told what they were and where they stood."""
    from pyspark.sql import functions as F  # noqa: N812

    status = column("_status")
    wrong = status.isNotNull() & ~status.isin(*NO_FAULT)
    told = {name: F.when(wrong, column(name)) for name in ("_record", "_place")}
    return stream.withColumns({name: value for name, value in told.items() if name in stream.columns})


def _with_commands(stream: DataFrame, lowering: Lowering) -> DataFrame:
    """The rows and, as marks among them, commands: one makes a micro-batch that takes newer tables over."""
    control = open_control(lowering.spark, lowering.run.checkpoint / CONTROL, "control")
    return stream.unionByName(control.withColumnRenamed("facts", MARK), allowMissingColumns=True)


def rows_of(job: Job) -> Node:
    """The node whose rows a job writes."""
    node = job.root
    while isinstance(node, Sinks | Materialise | Print):
        node = node.children[0]
    return node


def sinks_of(job: Job) -> Sinks | None:
    """The sinks of a job; those of a table are written beside it."""
    return next((node for node in job.root.walk() if isinstance(node, Sinks)), None)


def _above(top: Node) -> tuple[list[Node], Node | None]:
    """The nodes over the last stateful node, and that node; None where there is none, or where several meet."""
    above: list[Node] = []
    node = top
    while not node.keeps_state:
        streams = [child for child in node.children if not child.static]
        if len(streams) != 1:
            return above, None
        above.append(node)
        node = streams[0]
    return above, node


def _records(batch: DataFrame) -> DataFrame:
    return batch.filter(column("_mark").isNull())


def _withdraws(above: list[Node]) -> bool:
    return any(isinstance(node, Filter) and node.mode == WITHDRAW for node in above)


def _roles(lowering: Lowering) -> dict[int, Role]:
    inner = {id(each) for node in lowering.stages for each in below(node)}
    return {
        number: Role(
            records=any(child.position for child in node.children),
            first=reads_sources(node),
            last=id(node) not in inner,
            table=", ".join(tables_of(node)) if isinstance(node, JoinTable) else "",
        )
        for number, node in enumerate(lowering.stages, start=1)
    }


def refuse_ends(plan: ApplicationPlan) -> None:
    """Sources and sinks that cannot be run yet, and tables that cannot be computed, are said before anything starts."""
    for job in plan.statements:
        for error in (*refusals(job), *refused_versions(job, plan), *refused_mixture(job, plan)):
            raise error
    for scan in (scan for job in plan.jobs for scan in job.scans):
        if scan.infers:
            message = f"the columns of '{scan.source}' are not known"
            hint = "declare them: CREATE STREAM name (column TYPE, …) WITH (…)"
            raise VeloError(message, hint=hint, code="unknown-schema")


def _stage(node: Node, lowering: Lowering, *, keeps_previous: bool) -> Stage:
    route_early(node, lowering)
    frames = [_stream(child, lowering, above=node) for child in node.children if not child.static]
    return lower_stateful(node, frames, lowering, keeps_previous=keeps_previous)


def _stream(node: Node, lowering: Lowering, above: Node | None = None, *, withdraws: bool = False) -> DataFrame:
    """The rows of a node as a stream; `withdraws` says that something above asks what corrected rows said before."""
    if isinstance(node, Scan):
        return _scan(node, lowering)
    if node.keeps_state:
        moved = above is not None and _moves(above, node)
        if isinstance(above, Aggregate) and above.window is not None and _is_timeless(node):
            lowering.timed.add(id(node))
        return _stage(node, lowering, keeps_previous=withdraws or moved).stream()
    withdraws = withdraws or _withdraws([node])
    streams = [child for child in node.children if not child.static]
    frames = [_stream(child, lowering, above, withdraws=withdraws) for child in streams]
    if isinstance(node, Union):
        if above is not None and is_mixed(node):
            raise mixed()
        return lower_union(node, frames)
    if len(frames) != 1:
        raise lowering.refuse(node)
    return _step(node, frames[0], lowering)


def _moves(above: Node, node: Node) -> bool:
    """True where a correction may move a row of `node` to another group, or window, of the stateful node above it."""
    if not node.revises:
        return False
    children = [child for child in above.children if any(each is node for each in child.walk())]
    if isinstance(above, JoinStreams):
        keys = {id(above.left): above.route, id(above.right): above.right_route}
        return any(not set(keys[id(child)]) <= set(child.identity) for child in children)
    if isinstance(above, Aggregate) and above.window is not None and (isinstance(node, TopN) or moves_in_time(above)):
        return True
    return any(not child.identity or set(above.route) != _keys(above) for child in children)


def _is_timeless(node: Node) -> bool:
    """True for groups without a window: the event time of their rows is that of the newest record."""
    return isinstance(node, Aggregate) and node.window is None


def _keys(node: Node) -> set[str]:
    keys = getattr(node, "keys", ()) or getattr(node, "partition", ())
    return {key if isinstance(key, str) else getattr(key, "expression", key).name for key in keys}


def _scan(node: Scan, lowering: Lowering) -> DataFrame:
    """The records of a source; where another scan of it came before, each is one more row of its record."""
    from pyspark.sql import functions as F  # noqa: N812

    label = lowering.label(node)
    frame = lower_scan(replace(node, source=label), lowering)
    if lowering.run.spread is not None:
        frame = frame.repartition(lowering.run.spread)
    if node.watermark.strategy == "punctuated":
        assert node.watermark.punctuation is not None
        alive = column("_status").isNull() & column("_mark").isNull()
        told = F.when(alive, F.expr(node.watermark.punctuation.spark))
        if node.watermark.punctuation.type.is_time:
            told = F.unix_micros(told)
        frame = frame.withColumn("_punctuation", told)
    return frame.withColumn("_expanded", F.lit(True)) if label != node.source else frame


def _step(node: Node, frame: DataFrame, lowering: Lowering) -> DataFrame:
    asks = _WITH_TABLES.get(type(node))
    tables = [child for child in node.children if child.static]
    lowered: DataFrame
    if asks is not None and len(tables) == 1:
        lowered = asks(node, frame, lower_static(tables[0], lowering), lowering)
        return lowered
    rule = _ROWS.get(type(node))
    if rule is None:
        raise lowering.refuse(node)
    lowered = rule(node, frame, lowering)
    return lowered
