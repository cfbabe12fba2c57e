"""What cannot be done with a stream of changes, whose rows are replaced and taken away: each with a reason."""

from __future__ import annotations

from collections.abc import Iterator

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
from velostream.sinks.base import WriteMode
from velostream.sources.streams.kafka_topics import is_several

_ABLE = (Aggregate, Distinct, Filter, Headers, Materialise, Print, Project, Sinks, TopN)
"""The nodes that take the rows of changes as they are corrected."""
_TABLE = "a table may have changed when a row is taken back, and what it met before is not known any more"
_WHY: dict[type[Node], tuple[str, str]] = {
    JoinTable: ("a join with a table", _TABLE),
    SubqueryCheck: ("a subquery", _TABLE),
    JoinStreams: ("a join of streams", "it does not take back what it joined"),
    Union: ("UNION", "the same key may stand for a row of each side"),
    Unnest: ("UNNEST", "a row may come to have fewer elements"),
    RowWindows: ("OVER", "a row may come to have another time"),
    OrderLimit: ("ORDER BY or LIMIT", "a row that is taken away lets another in that is not kept"),
}


def unchangeable(job: Job) -> Iterator[VeloError]:
    """All that keeps a job from reading its streams of changes."""
    for scan, above in _changelogs(job.root, ()):
        yield from _of_source(scan)
        yield from _of_tables(scan, above)
        reached = _reached(above)
        odd = next((node for node in reached if not isinstance(node, _ABLE)), None)
        if odd is not None:
            what, why = _WHY.get(type(odd), (type(odd).__name__, "it does not take rows back"))
            message = f"the changes of '{scan.source}' cannot go through {what} yet: {why}"
            hint = f"group them first (GROUP BY … EMIT CHANGES), or declare a table: CREATE TABLE {scan.source} …"
            yield VeloError(message, hint=hint, code="unsupported")
        else:
            yield from _of_rankings(scan, reached)
            yield from _of_keys(scan, reached)


def _changelogs(node: Node, above: tuple[Node, ...]) -> Iterator[tuple[Scan, tuple[Node, ...]]]:
    """The streams of changes below a node, each with the nodes above it, the nearest first."""
    if isinstance(node, Scan) and node.changelog:
        yield node, above
    for child in node.children:
        yield from _changelogs(child, (node, *above))


def _reached(above: tuple[Node, ...]) -> list[Node]:
    """The nodes that rows of changes reach as such: an aggregation makes rows of its own of them."""
    found: list[Node] = []
    for node in above[1:]:  # the first keeps the newest row of each key
        found.append(node)
        if isinstance(node, Aggregate):
            break
    return found


def _of_source(scan: Scan) -> Iterator[VeloError]:
    place = scan.settings.find("format") if scan.settings is not None else None
    span = place.origin.span if place is not None else None
    if scan.infers:
        message = f"the columns of '{scan.source}' are not known, and its changes hold them twice"
        hint = f"declare them: CREATE STREAM {scan.source} (id BIGINT PRIMARY KEY, …) WITH (…)"
        yield VeloError(message, hint=hint, span=span, code="unknown-schema")
    if scan.connector == "kafka_source" and is_several(scan.settings):
        message = f"'{scan.source}' has changes of several topics, which nothing puts in order"
        yield VeloError(message, hint="declare a stream for each topic", span=span, code="unsupported")
    if value_of(scan.settings, "dedup.key", ()):
        message = f"'dedup.key' of '{scan.source}' would leave out changes of rows that came before"
        hint = "remove it: a change that comes twice changes nothing"
        yield VeloError(message, hint=hint, span=span, code="unsupported")


def _of_tables(scan: Scan, above: tuple[Node, ...]) -> Iterator[VeloError]:
    """A table keeps the row of the latest event time, which goes back where a newer row of a group is taken away; that
    of a window stays."""
    table = next((node for node in above if isinstance(node, Materialise)), None)
    if table is not None and not any(isinstance(node, Aggregate) and node.window is not None for node in above):
        message = f"table '{table.table}' keeps rows by event time, which changes of '{scan.source}' may turn back"
        hint = f"declare the topic as a table: CREATE TABLE {scan.source} …, or write to a sink that upserts"
        yield VeloError(message, hint=hint, code="unsupported")


def _of_rankings(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """A row that goes from one partition of a ranking to another is taken back in one and comes in the other, in no
    order that whoever knows it by its key could go by."""
    ranked = next((place for place, node in enumerate(reached) if isinstance(node, TopN | Distinct)), None)
    above = [] if ranked is None else reached[ranked + 1 :]
    for node in above:
        if node.keeps_state or (isinstance(node, Sinks) and _upserts(node)):
            message = f"rows of a ranking or DISTINCT over the changes of '{scan.source}' can only be appended yet"
            hint = "write them to a sink with 'write.mode' = 'append', which tells what is taken back"
            yield VeloError(message, hint=hint, code="unsupported")
            return


def _of_keys(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """A sink that replaces rows by another key than that of the changes would keep rows whose key has changed."""
    if any(isinstance(node, Aggregate | TopN | Distinct) for node in reached):
        return
    for node in (each for each in reached if isinstance(each, Sinks)):
        for name, key in _upserts(node).items():
            if set(key) != set(node.input.identity):
                known = "the key of the message" if scan.key == ("_key",) else ", ".join(scan.key)
                message = f"'{name}' replaces rows by ({', '.join(key)}), those of '{scan.source}' are known by {known}"
                hint = f"mark the same columns with PRIMARY KEY in CREATE STREAM {scan.source} and in the SELECT"
                yield VeloError(message, hint=hint, code="unsupported")


def _upserts(node: Sinks) -> dict[str, tuple[str, ...]]:
    """What the sinks replace rows by that do, by name."""
    return {target.name: target.identity for target in node.targets if target.writes is WriteMode.UPSERT}
