"""What of a plan cannot be run yet: `velo validate` says it as well as a run does, and needs no Spark for that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from velostream.errors import VeloError, placed
from velostream.plan.job import SMART, STICKY, Job, LoadedTable
from velostream.plan.nodes import Aggregate, JoinStreams, JoinTable, Node, Scan, Sinks, Union
from velostream.plan.nodes.join_table import OUTER_TO_TABLE
from velostream.plan.passes.separate_tables import is_derived
from velostream.sinks.writers import check
from velostream.sources.streams.refusing import refusals as of_source
from velostream.spark.lower.changelog_refusals import unchangeable
from velostream.spark.lower.cold import refused_cold
from velostream.spark.lower.derived import refused, refused_versions
from velostream.spark.lower.honoured import ignored
from velostream.spark.lower.joined_corrections import unjoinable
from velostream.spark.warm import refused_mixture

if TYPE_CHECKING:
    from velostream.positions import Span
    from velostream.validation import Validated

FORGETS = ("discarding", "update_previous")
"""Ways to emit and to treat late rows that forget what went out."""
_BEFORE = "join before the window, or set 'allowed.lateness' to 0 with EMIT FINAL below the join"


def find(answer: Validated) -> None:
    """Adds to the findings of an application what keeps it from being planned or run."""
    from velostream.plan import plan

    if not answer.ok:
        return
    found: dict[str, tuple[VeloError, Span | None]] = {}
    places = {statement.parsed.span.line: statement.parsed.span for statement in answer.bound.statements}
    try:
        planned = plan(answer.bound, answer.library)
        for job in planned.statements:
            for error in (*refusals(job), *refused_versions(job, planned), *refused_mixture(job, planned)):
                found.setdefault(f"{error.message} {error.span}", (error, places.get(job.line)))
        for table in planned.tables:
            for error in unloadable(table):
                found.setdefault(f"{error.message} {error.span}", (error, None))
    except VeloError as unplanned:
        found[unplanned.message] = unplanned, None
    for each, place in found.values():
        answer.findings.refuse(each, place)


def refusals(job: Job) -> Iterator[VeloError]:
    """All that keeps a job from being run: its sinks, settings without an effect, and what nodes cannot do yet."""
    for node in job.root.walk():
        for target in node.targets if isinstance(node, Sinks) else ():
            try:
                check(target.connector, target.name, target.settings)
            except VeloError as error:
                yield error
    yield from ignored(job)
    yield from refused_cold(job)
    yield from _placed(job)
    if is_derived(job):
        yield from refused(job)
    yield from unchangeable(job)
    for node in job.root.walk():
        if isinstance(node, Scan):
            yield from of_source(node.connector, node.source, node.declared, node.settings)
        if isinstance(node, Aggregate) and node.keeps_state:
            yield from _aggregation(node, job)
        if isinstance(node, JoinTable) and not node.static and node.kind in OUTER_TO_TABLE:
            message = f"a {node.kind} join of a stream with a table in job '{job.name}' cannot be run yet"
            yield VeloError(message, hint="swap the sides and use LEFT", code="unsupported")
        if isinstance(node, JoinTable) and node.keeps_state and node.left.revises:
            yield waiting_corrections()
        if isinstance(node, JoinStreams) and node.revises:
            yield from unjoinable(node)
        if node.keeps_state and any(is_mixed(union) for union in _unions(node)):
            yield mixed()


def _placed(job: Job) -> Iterator[VeloError]:
    """What of @partitioning_strategy cannot be had."""
    strategy = job.placement.strategy
    value = job.settings.find("partitioning_strategy") if job.settings is not None else None
    span = value.origin.span if value is not None else None
    if strategy == STICKY:
        message = "partitioning strategy 'sticky' would split groups of a topic that gets more partitions"
        yield VeloError(message, hint="use hash", span=span, code="unsupported")
    combining = [node.combining for node in job.root.walk() if isinstance(node, Aggregate) and node.combining]
    if strategy == SMART and not any(one.before_shuffle for one in combining):
        reason = combining[0].reason if combining else "nothing is aggregated"
        message = f"partitioning strategy 'smart' cannot combine records of job '{job.name}': {reason}"
        yield VeloError(message, hint="use hash, which sends them one by one there", span=span, code="unsupported")


def unloadable(table: LoadedTable) -> Iterator[VeloError]:
    """All that keeps a table from being loaded: sources without an end, formats that cannot be read."""
    place = table.settings.find("type")
    span = place.origin.span if place is not None else None
    if table.connector == "datagen_source" and table.settings.get("rows") is None:
        message = f"table '{table.name}' is made by a datagen_source without `rows`, so that it is never loaded"
        yield VeloError(message, hint=f"set '{table.name}.rows'", span=span, code="unsupported")
    elif table.connector == "http_source" and table.settings.get("listen") is not None:
        message = f"table '{table.name}' listens for records, so that it is never loaded"
        hint = "CREATE STREAM … to listen, and CREATE TABLE … AS SELECT … FROM it"
        yield VeloError(message, hint=hint, span=table.settings.find("listen").origin.span, code="unsupported")
    else:
        yield from of_source(table.connector, table.name, table.columns, table.settings)


def _aggregation(node: Aggregate, job: Job) -> Iterator[VeloError]:
    """What no accumulator can compute, and what cannot be done over rows that are corrected."""
    from velostream.spark.lower.aggregation import settings_of
    from velostream.windows.accumulators import accumulator
    from velostream.windows.accumulators.python import Python

    span: Span | None = None
    try:
        for call, place in zip_longest(settings_of(node).calls, (each.span for each in node.calls)):
            span = place
            unknown = call.name == Python.name or not all(kind.is_known for kind in call.types)
            if not unknown:  # else what it calls, or the type of a column, is known when a run begins
                accumulator(call)
    except VeloError as error:
        yield placed(error, span)
    if not node.input.revises:
        return
    chosen = {"emit.accumulation": node.emission.accumulation, "late.data.strategy": node.lateness.strategy}
    for name, value in chosen.items():
        if value in FORGETS:
            found = job.settings.find(name) if job.settings is not None else None
            message = f"'{value}' over rows that may be corrected would count what they said beside what they say now"
            hint = f"choose another '{name}', or set 'allowed.lateness' to 0 with EMIT FINAL below"
            span = found.origin.span if found is not None else None
            yield VeloError(message, hint=hint, span=span, code="unsupported")


def waiting_corrections() -> VeloError:
    """Of rows that would have to wait for a table."""
    message = "rows that may be corrected cannot wait in a join with a table: their corrections would overtake them"
    return VeloError(message, hint=_BEFORE, code="unsupported")


def mixed() -> VeloError:
    """Of a union that a stateful node reads."""
    message = "a UNION of records with results of windows or groups cannot be read by a window or group yet"
    return VeloError(message, hint="write it to a sink, or aggregate each side by itself", code="unsupported")


def is_mixed(union: Union) -> bool:
    """True where records of sources and rows of stateful nodes meet: who counts them, nobody could tell."""
    return not union.position and any(isinstance(node, Scan) for node in _between(union))


def _unions(node: Node) -> Iterator[Union]:
    return (each for each in _between(node) if isinstance(each, Union))


def _between(node: Node) -> Iterator[Node]:
    """The nodes below one, down to its sources and to the next stateful nodes."""
    for child in node.children:
        if not child.keeps_state and not child.static:
            yield child
            yield from _between(child)
