"""What of tables made of other tables cannot be computed, and settings that mean nothing to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from velostream.config.origin import Layer
from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, JoinTable, Materialise, Node, Print, Sinks, TableScan

if TYPE_CHECKING:
    from velostream.config.settings import Value

_JOB = ("preset", "config_file", "wait.timeout", "tables.load.parallelism")
"""Settings of the statement that hold for such a table; others speak of a stream."""
_TABLE = ("config_file", "refresh.interval", "wait.timeout", "missing.data.strategy")
_WITHOUT_USE = {
    "retention": ("its rows go when those go that they are made of", "set it for the table that it is made of"),
    "version.time": ("what its rows were earlier is not kept", "set it for the table that it is made of"),
}
_MISSING = {"RIGHT": "skip_record", "FULL": "emit_with_nulls"}
"""What a join that keeps rows of its right side says of those on the left that meet nothing."""


def refused(job: Job) -> Iterator[VeloError]:
    """All that keeps a table from being computed from other tables, and what would be ignored."""
    from velostream.spark.lower.static import computes

    for value in (*(job.made.settings or ()), *_of_statement(job)):
        error = _setting(value, job)
        if error is not None:
            yield error
    if job.metrics or job.logs:
        message = f"table '{job.made.table}' is computed from other tables as a whole: it has no records to measure"
        yield VeloError(message, hint="put @metric and @log on a job that joins it with a stream", code="unsupported")
    for node in job.root.walk():
        if isinstance(node, Sinks):
            names = ", ".join(f"'{target.name}'" for target in node.targets)
            message = (
                f"table '{job.made.table}' is made of other tables, whose changes cannot be written to {names} yet"
            )
            yield VeloError(message, hint="remove INTO: velo query and jobs read the table", code="unsupported")
        elif not (isinstance(node, Materialise | Print) or computes(node)):
            yield _uncomputed(node, job)
        elif isinstance(node, Aggregate) and node.emission.explicit:
            message = f"EMIT says when rows of a stream go out, and table '{job.made.table}' reads none"
            yield VeloError(message, hint="remove EMIT", code="unsupported")
        elif isinstance(node, JoinTable) and node.missing.strategy != _MISSING.get(node.kind, node.missing.strategy):
            message = (
                f"a {node.kind} join of tables keeps its rows whatever they meet: {node.missing.strategy} says else"
            )
            yield VeloError(message, hint="remove missing.data.strategy, or use LEFT", code="unsupported")


def _uncomputed(node: Node, job: Job) -> VeloError:
    kind = {"RowWindows": "OVER", "TopN": "a ranking", "Aggregate": "this aggregation"}.get(type(node).__name__, "this")
    if isinstance(node, Aggregate) and node.window is not None:
        kind = "WINDOW"
    message = f"{kind} over tables alone cannot be computed yet, as table '{job.made.table}' asks for"
    return VeloError(message, hint="compute it in a job over a stream, or without it", code="unsupported")


def _of_statement(job: Job) -> Iterator[Value]:
    """What is set for the statement itself; what holds for all of them may mean others."""
    for value in job.settings or ():
        if value.origin.layer in (Layer.STATEMENT, Layer.OWN_CONFIG) and not value.key.startswith(_JOB):
            yield value


def _setting(value: Value, job: Job) -> VeloError | None:
    if value.origin.layer <= Layer.PRESET or value.key.startswith(_TABLE):
        return None
    if value.key == "refresh.mode" and value.value != "incremental":
        return None
    why, hint = "it reads no stream", "remove it"
    if value.key == "refresh.mode":
        why, hint = "it is computed as a whole, and what differs is written", "set it to 'full' or 'none'"
    why, hint = _WITHOUT_USE.get(value.key, (why, hint))
    message = f"'{value.key}' has no effect on table '{job.made.table}', which is made of other tables: {why}"
    return VeloError(message, hint=hint, span=value.origin.span, code="unsupported")


def refused_versions(job: Job, plan: ApplicationPlan) -> Iterator[VeloError]:
    """As-of joins with tables whose past nobody knows: they are computed from what other tables are now."""
    derived = {each.made.table for each in plan.derived}
    for join in job.root.walk():
        if not isinstance(join, JoinTable) or join.as_of is None:
            continue
        for scan in join.right.walk():
            if isinstance(scan, TableScan) and scan.table in derived:
                message = f"table '{scan.table}' is made of other tables as they are now: what it was is not kept"
                hint = "ask the table that it is made of FOR SYSTEM_TIME AS OF, or AS OF PROCTIME()"
                yield VeloError(message, hint=hint, span=join.as_of.span, code="join-as-of")
