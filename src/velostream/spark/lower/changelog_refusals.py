"""What cannot be done with a stream of changes, whose rows are replaced and taken away: each with a reason."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.durations import show
from velostream.errors import VeloError
from velostream.plan.build.context import value_of
from velostream.plan.job import Job
from velostream.plan.nodes import (
    Aggregate,
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
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    TopN,
    Union,
    Unnest,
)
from velostream.sources.streams.kafka_topics import is_several
from velostream.spark.lower.changelog_keys import of_keys, of_rankings, of_unions

_ABLE = (Aggregate, Distinct, Filter, Headers, Materialise, Print, Project, Sinks, TopN, Union)
"""The nodes that take the rows of changes as they are corrected."""
_TABLE = "a table may have changed when a row is taken back, and what it met before is not known any more"
_WHY: dict[type[Node], tuple[str, str]] = {
    JoinTable: ("this join with a table", _TABLE),
    SubqueryCheck: ("a subquery", _TABLE),
    JoinStreams: ("a join of streams", "it does not take back what it joined"),
    Unnest: ("UNNEST", "a row may come to have fewer elements"),
    RowWindows: ("OVER", "a row may come to have another time"),
    OrderLimit: ("ORDER BY or LIMIT", "a row that is taken away lets another in that is not kept"),
}


def unchangeable(job: Job) -> Iterator[VeloError]:
    """All that keeps a job from reading its streams of changes."""
    for scan, above in _changelogs(job.root, ()):
        yield from _of_source(scan)
        yield from _of_life(scan, above, job)
        yield from _of_tables(scan, above)
        reached = _reached(above)
        odd = next((node for node in reached if not isinstance(node, _ABLE)), None)
        if odd is not None:
            yield _no_way(scan, odd)
        else:
            yield from of_unions(scan, reached)
            yield from of_rankings(scan, reached)
            yield from of_keys(scan, reached)


def _changelogs(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Scan, tuple[Node, ...]]]:
    """The streams of changes below a node, each with the nodes above it, the nearest first."""
    if isinstance(node, Scan) and node.changelog:
        yield node, above
    for child in node.children:
        yield from _changelogs(child, (node, *above))


def _reached(above: tuple[Node, ...]) -> list[Node]:
    """The nodes that rows of changes reach, behind that which keeps the newest of each key; an aggregation makes
    rows of its own of them."""
    found: list[Node] = []
    newest = next(place for place, node in enumerate(above) if isinstance(node, TopN) and node.changes is not None)
    for node in above[newest + 1 :]:
        found.append(node)
        if isinstance(node, Aggregate):
            break
    return found


def _no_way(scan: Scan, odd: Node) -> VeloError:
    what, why = _WHY.get(type(odd), (type(odd).__name__, "it does not take rows back"))
    hint = f"group them first (GROUP BY … EMIT CHANGES), or declare a table: CREATE TABLE {scan.source} …"
    if isinstance(odd, JoinTable) and not odd.meets_one:
        why = "a row may meet several rows of the table, and more or fewer when it changes"
        hint = "join by the PRIMARY KEY of the table, or group the changes first (GROUP BY … EMIT CHANGES)"
    elif isinstance(odd, JoinTable) and odd.waits:
        why = "rows would wait for the table, and their corrections overtake them"
        hint = "join the newest version of the table, without wait_and_retry"
    elif isinstance(odd, JoinTable):
        hint = f"join '{scan.source}' itself: FROM {scan.source} JOIN … WHERE …"
    message = f"the changes of '{scan.source}' cannot go through {what} yet: {why}"
    return VeloError(message, hint=hint, code="unsupported")


def _of_source(scan: Scan) -> Iterator[VeloError]:
    place = scan.settings.find("format") if scan.settings is not None else None
    span = place.origin.span if place is not None else None
    if scan.infers:
        message = f"the columns of '{scan.source}' are not known, and its changes hold them twice"
        hint = f"declare them: CREATE STREAM {scan.source} (id BIGINT PRIMARY KEY, …) WITH (…)"
        yield VeloError(message, hint=hint, span=span, code="unknown-schema")
    elif not scan.identity:
        message = (
            f"nothing says whose row a change of '{scan.source}' is of: a {scan.connector} has no keys of messages"
        )
        hint = f"mark what rows are known by: CREATE STREAM {scan.source} (id BIGINT PRIMARY KEY, …) WITH (…)"
        yield VeloError(message, hint=hint, span=span, code="unsupported")
    if scan.connector == "kafka_source" and is_several(scan.settings):
        message = f"'{scan.source}' has changes of several topics, which nothing puts in order"
        yield VeloError(message, hint="declare a stream for each topic", span=span, code="unsupported")
    if value_of(scan.settings, "dedup.key", ()):
        message = f"'dedup.key' of '{scan.source}' would leave out changes of rows that came before"
        hint = "remove it: a change that comes twice changes nothing"
        yield VeloError(message, hint=hint, span=span, code="unsupported")


def _of_life(scan: Scan, above: tuple[Node, ...], job: Job) -> Iterator[VeloError]:
    """A row that is forgotten before its last correction would come once more, as a new one."""
    newest = next(node for node in above if isinstance(node, TopN) and node.changes is scan)
    if scan.read_back is None or newest.ttl is None or newest.ttl > scan.read_back.lateness:
        return
    place = job.settings.find("state.ttl") if job.settings is not None else None
    corrected = show(scan.read_back.lateness)
    message = (
        f"'state.ttl' of {show(newest.ttl)} forgets rows of '{scan.source}' that are corrected up to {corrected} late"
    )
    hint = f"make it longer than the 'allowed.lateness' of '{scan.read_back.job}': {corrected}"
    yield VeloError(message, hint=hint, span=place.origin.span if place else None, code="conflicting-properties")


def _of_tables(scan: Scan, above: tuple[Node, ...]) -> Iterator[VeloError]:
    """A table keeps the row of the latest event time, which goes back where a newer row of a group is taken away; that
    of a window stays."""
    table = next((node for node in above if isinstance(node, Materialise)), None)
    if table is not None and not any(isinstance(node, Aggregate) and node.window is not None for node in above):
        message = f"table '{table.table}' keeps rows by event time, which changes of '{scan.source}' may turn back"
        hint = f"declare the topic as a table: CREATE TABLE {scan.source} …, or write to a sink that upserts"
        yield VeloError(message, hint=hint, code="unsupported")
