"""A job on Spark: one streaming query up to its last stateful node, and what is done with each micro-batch of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.plan.job import Job
from velostream.plan.nodes import Aggregate, Filter, Node, Print, Project, Scan, Sinks
from velostream.plan.nodes.filter import WITHDRAW
from velostream.sinks.writers import check
from velostream.spark.lower.aggregate import Stage, lower_aggregate
from velostream.spark.lower.context import Lowering
from velostream.spark.lower.honoured import refuse_ignored
from velostream.spark.lower.rows import lower_filter, lower_project
from velostream.spark.lower.scan import lower_scan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROWS: dict[type[Node], Callable[[Any, Any, Lowering], Any]] = {Filter: lower_filter, Project: lower_project}


@dataclass(frozen=True)
class LoweredJob:
    """`stream` is what the query runs; `rows` makes the job's output rows of one of its micro-batches."""

    stream: DataFrame
    rows: Callable[[DataFrame], DataFrame]
    stateful: bool


def lower_job(job: Job, lowering: Lowering) -> LoweredJob:
    """The plan of a job as a Spark query. A node that cannot be run is an error that names it."""
    _refuse_ends(job, lowering)
    node = job.root.children[0]
    above: list[Node] = []
    while not isinstance(node, Aggregate) and len(node.children) == 1:
        above.append(node)
        node = node.children[0]
    if isinstance(node, Aggregate):
        withdrawing = [each for each in above if isinstance(each, Filter) and each.mode == WITHDRAW]
        for each in above:
            if type(each) not in _ROWS or (withdrawing and each in withdrawing and each is not above[-1]):
                raise lowering.refuse(each)
        stream = _stream(node.input, lowering)
        stage = lower_aggregate(node, stream, lowering, keeps_previous=bool(withdrawing))
        return LoweredJob(stage.frame, lambda batch: _apply(stage, above, batch, lowering), stateful=True)
    return LoweredJob(_stream(job.root.children[0], lowering), lambda batch: batch, stateful=False)


def _refuse_ends(job: Job, lowering: Lowering) -> None:
    """Sources and sinks that cannot be run yet are said before anything starts."""
    if not isinstance(job.root, (Sinks, Print)):
        raise lowering.refuse(job.root)
    targets = job.root.targets if isinstance(job.root, Sinks) else ()
    for target in targets:
        check(target.connector, target.name, target.settings)
    refuse_ignored(job)
    for scan in job.scans:
        if scan.infers:
            message = f"the columns of '{scan.source}' are not known"
            hint = "declare them: CREATE STREAM name (column TYPE, …) WITH (…)"
            raise VeloError(message, hint=hint, code="unknown-schema")


def _apply(stage: Stage, above: list[Node], batch: DataFrame, lowering: Lowering) -> DataFrame:
    rows = stage.rows(batch)
    for node in reversed(above):
        rows = _step(node, rows, lowering)
    return rows


def _stream(node: Node, lowering: Lowering) -> DataFrame:
    if isinstance(node, Scan):
        return lower_scan(node, lowering)
    if len(node.children) != 1:
        raise lowering.refuse(node)
    return _step(node, _stream(node.children[0], lowering), lowering)


def _step(node: Node, frame: DataFrame, lowering: Lowering) -> DataFrame:
    rule = _ROWS.get(type(node))
    if rule is None:
        raise lowering.refuse(node)
    lowered: DataFrame = rule(node, frame, lowering)
    return lowered
