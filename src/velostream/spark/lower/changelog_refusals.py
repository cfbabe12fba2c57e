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
    Materialise,
    Node,
    OrderLimit,
    Print,
    Project,
    Scan,
    Sinks,
    TopN,
)
from velostream.sinks.base import WriteMode
from velostream.sources.streams.kafka_topics import is_several

_ABLE = (Aggregate, Distinct, Filter, Headers, Materialise, OrderLimit, Print, Project, Sinks, TopN)
"""The nodes that take the rows of changes as they are corrected."""


def unchangeable(job: Job) -> Iterator[VeloError]:
    """All that keeps a job from reading its streams of changes."""
    for scan, above in _changelogs(job.root, ()):
        yield from _of_source(scan)
        reached = _reached(above)
        odd = next((node for node in reached if not isinstance(node, _ABLE)), None)
        if odd is not None:
            message = f"the changes of '{scan.source}' cannot go through {type(odd).__name__} yet"
            hint = f"aggregate them first, or declare it as a table: CREATE TABLE {scan.source} …"
            yield VeloError(message, hint=hint, code="unsupported")
        elif not any(isinstance(node, Aggregate) for node in reached):
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


def _of_keys(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """Whoever replaces rows by another key than that of the changes would keep rows whose key has changed."""
    for node in reached:
        rows = set(node.children[0].identity)
        targets = node.targets if isinstance(node, Sinks) else ()
        keys = {target.name: target.identity for target in targets if target.writes is WriteMode.UPSERT}
        if isinstance(node, Materialise):
            keys[node.table] = node.key
        for name, key in keys.items():
            if set(key) != rows:
                known = "the key of the message" if scan.key == ("_key",) else ", ".join(scan.key)
                message = f"'{name}' replaces rows by ({', '.join(key)}), those of '{scan.source}' are known by {known}"
                hint = f"mark the same columns with PRIMARY KEY in CREATE STREAM {scan.source} and in the SELECT"
                yield VeloError(message, hint=hint, code="unsupported")
