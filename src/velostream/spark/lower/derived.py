"""What of tables made of other tables cannot be computed, and settings that mean nothing to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from velostream.config.origin import Layer
from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan, Job, LoadedTable
from velostream.plan.nodes import Aggregate, JoinTable, Materialise, Node, Print, Sinks, TableScan
from velostream.plan.versions import untold
from velostream.sources import SOURCES

if TYPE_CHECKING:
    from velostream.config.settings import Value

_JOB = ("preset", "config_file", "wait.timeout", "tables.load.parallelism")
"""Settings of the statement that hold for such a table; others speak of a stream."""
_TABLE = ("config_file", "refresh.interval", "wait.timeout", "missing.data.strategy")
_WITHOUT_USE = {
    "retention": ("its rows go when those go that they are made of", "set it for the table that it is made of"),
    "version.time": ("its rows hold from when on those do that they are made of", "set it for that table"),
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
    """As-of joins with tables that are made of others where nobody can tell what they were."""
    makers = {each.made.table: each for each in plan.derived}
    asked = [node for node in job.root.walk() if isinstance(node, JoinTable) and node.as_of is not None]
    for join in asked:
        names = [scan.table for scan in join.right.walk() if isinstance(scan, TableScan) and scan.table in makers]
        assert join.as_of is not None
        for name in names:
            for message in _without_versions(name, plan, makers):
                hint = "ask a table with versions FOR SYSTEM_TIME AS OF, or this one AS OF PROCTIME()"
                yield VeloError(message, hint=hint, span=join.as_of.span, code="join-as-of")


def _without_versions(name: str, plan: ApplicationPlan, makers: Mapping[str, Job]) -> Iterator[str]:
    """What keeps a table, or those that it is made of, from telling what it was."""
    maker = makers.get(name)
    if maker is not None:
        for why in untold(maker, plan.functions_by_name):
            yield f"table '{name}' is made of other tables, and what it was cannot be told: {why}"
        for each in maker.tables:
            yield from _without_versions(each, plan, makers)
    elif any(not _has_times(table) for table in plan.tables if table.name == name):
        yield f"rows of table '{name}' do not say from when on they hold: '{name}.version.time' is not set"
    elif name in plan.makers and not plan.makers[name].made.version:
        yield f"rows of table '{name}' have no event time from which on they hold"


def _has_times(table: LoadedTable) -> bool:
    settings = table.settings
    told = settings is not None and settings.find("version.time") is not None
    return SOURCES[table.connector].record_time or told
