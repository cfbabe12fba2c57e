"""A stream that is read back from its sink: where the event time of its rows is there, and what corrects them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from velostream.catalog.relation import ReadBack
from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.errors import VeloError
from velostream.formats import FORMATS
from velostream.plan.build.context import Building, value_of
from velostream.plan.fields import Field
from velostream.plan.job import Definition
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Node,
    OrderLimit,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    SubqueryCheck,
    TopN,
    WrittenBy,
)
from velostream.plan.nodes.base import EMISSION, REVISION
from velostream.plan.passes.fuse_streams import fused
from velostream.plan.passes.recognise_top_n import with_top_n
from velostream.plan.time import EventTime, Watermark
from velostream.sinks.base import WriteMode
from velostream.types import TIMESTAMP

_SAME_ROWS = (Filter, Headers, Deduplicate, OrderLimit, TopN, SubqueryCheck, JoinTable, RowWindows)
"""Nodes whose rows have the fields of those that they read first."""


def as_written(scan: Scan, back: ReadBack, building: Building) -> Scan:
    """The scan of what a sink wrote, with the event time and the corrections of the rows that its statement makes."""
    definition = building.definitions[back.job]
    nodes = list(_walked(definition.root, building.definitions))
    _refuse_changes(scan, back)
    allowed = [each.lateness.allowed for each in nodes if isinstance(each, Aggregate | JoinStreams | RowWindows)]
    early = bool(value_of(scan.settings, "read.early", otherwise=False))
    written = WrittenBy(back.job, back.sink, early=early, lateness=max((0, *allowed)), settings=back.settings)
    made = replace(
        scan, read_back=written, event_time=_time(scan, back, nodes, building), watermark=_watermark(scan, nodes)
    )
    rows = with_top_n(fused(definition.root, building.definitions))
    return _corrected(made, replace(definition, root=rows), back) if rows.revises else made


def _walked(node: Node, definitions: Mapping[str, Definition]) -> Iterator[Node]:
    """A node and all below it, through the streams that it reads."""
    for each in node.walk():
        yield each
        if isinstance(each, ReadStream):
            yield from _walked(definitions[each.stream].root, definitions)


def _refuse_changes(scan: Scan, back: ReadBack) -> None:
    """A format of changes says by the key of the message whose row it is, and rows of a stream may share one."""
    form = str(value_of(back.settings, "format", ""))
    chosen = FORMATS.get(form)
    if chosen is not None and chosen.changelog:
        message = f"'{scan.source}' cannot be read back from '{back.sink}': {form} replaces rows by the key of messages"
        hint = "write another format, or a second sink, for those that read it"
        raise VeloError(message, hint=hint, code="unsupported")


def _time(scan: Scan, back: ReadBack, nodes: list[Node], building: Building) -> EventTime:
    """What a reader names, else the column that holds the event time, else the time of the message."""
    if scan.event_time.column or scan.event_time.semantics == "processing":
        return scan.event_time
    column = _column_of_time(building.definitions[back.job].root, building.definitions)
    scans = [each for each in nodes if isinstance(each, Scan)]
    timeless = any(each.event_time.fallback == "null" for each in scans)
    if column:
        fallback = "null" if timeless else scan.event_time.fallback
        return replace(scan.event_time, column=column, format="auto", fallback=fallback)
    if back.is_timed and not timeless:
        return scan.event_time
    why = "rows may have none, and messages have one always" if timeless and back.is_timed else "no column of it is"
    message = f"what sink '{back.sink}' writes does not tell the event time of '{scan.source}': {why}"
    hint = f"select it in '{back.job}': _event_time AS happened_at; or name a column: '{scan.source}.event.time.field'"
    raise VeloError(message, hint=hint, code="no-record-time")


def _watermark(scan: Scan, nodes: list[Node]) -> Watermark:
    """As the reader says; where it says nothing, rows may be as far out of order as the records that they were."""
    delay = scan.settings.find("watermark.max_out_of_orderness")
    behind = [each.watermark.out_of_orderness for each in nodes if isinstance(each, Scan)]
    if delay is not None or scan.watermark.strategy == "ascending" or scan.watermark.out_of_orderness:
        return scan.watermark
    return replace(scan.watermark, out_of_orderness=max((0, *behind)))


def _column_of_time(root: Node, definitions: Mapping[str, Definition]) -> str:
    """The column of rows whose value is their event time; empty where there is none."""
    same = _equals(root, root.time, definitions) if root.time else set()
    found = (member.name for member in root.fields.visible if member.name in same and member.type == TIMESTAMP)
    return next(found, "")


def _equals(node: Node, name: str, definitions: Mapping[str, Definition]) -> set[str]:
    """The fields of a node that always have the value of one of them."""
    if isinstance(node, Project):
        value = next(column.expression for column in node.columns if column.name == name)
        if not value.is_field:
            return {name}
        below = _equals(node.input, value.name, definitions)
        return {column.name for column in node.columns if column.is_renamed and column.expression.name in below}
    if isinstance(node, Scan) and name == node.time:
        spec = node.event_time
        own = f"{node.alias}.{spec.column}".casefold() if spec.semantics == "event" and spec.column else ""
        exact = spec.fallback != "record_time"
        return {name, *(each.name for each in node.columns if exact and each.name.casefold() == own)}
    if isinstance(node, ReadStream):
        root = definitions[node.stream].root
        inner = _equals(root, name.removeprefix(f"{node.alias}."), definitions)
        return {f"{node.alias}.{each}" for each in inner}
    if isinstance(node, _SAME_ROWS) and name in node.children[0].fields:
        return _equals(node.children[0], name, definitions)
    return {name}


def _corrected(scan: Scan, definition: Definition, back: ReadBack) -> Scan:
    """A scan of rows that may be corrected: the newest of those that are known by the same replaces the others."""
    sink = next(target for target in definition.targets if target.name == back.sink)
    known, visible = definition.root.identity, {member.name for member in definition.root.fields.visible}
    if sink.writes is WriteMode.UPSERT:
        hint = f"write them as they come: '{back.sink}.write.mode' = 'append'"
        raise _uncorrected(scan, f"sink '{back.sink}' replaces them and does not say so", hint)
    if not known or not set(known) <= visible:
        hidden = ", ".join(name for name in known if name not in visible) or "what rows are known by"
        hint = f"select it in '{back.job}', as in _window_start AS started_at; or EMIT FINAL without allowed.lateness"
        raise _uncorrected(scan, f"sink '{back.sink}' does not write {hidden}, by which one replaces another", hint)
    if scan.connector == "kafka_source" and not (sink.key and set(sink.key) <= set(known)):
        hint = f"mark what rows are known by in '{back.job}': {known[0]} PRIMARY KEY"
        raise _uncorrected(scan, "without a key of messages that tells whose row it is they come in no order", hint)
    added = tuple(Field(name, SYSTEM_COLUMNS[name].type) for name in (EMISSION, REVISION) if name not in visible)
    return replace(scan, changelog=True, key=known, declared=(*scan.declared, *added))


def _uncorrected(scan: Scan, why: str, hint: str) -> VeloError:
    message = f"rows of '{scan.source}' are corrected, and cannot be read back: {why}"
    return VeloError(message, hint=hint, code="unsupported")
