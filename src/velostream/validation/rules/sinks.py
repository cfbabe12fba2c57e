"""Sinks: a key where rows are replaced by key, the guarantee that was asked for, a place that can be written."""

from __future__ import annotations

import os
from pathlib import Path

from velostream.sinks.base import Guarantee
from velostream.validation.bound import BoundQuery, BoundSink, BoundStatement
from velostream.validation.keys import message_key
from velostream.validation.rules.base import Look


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses sinks that cannot do what the statement asks of them."""
    if statement.query is None:
        return
    for sink in statement.sinks:
        _key(sink, statement, look)
        _guarantee(sink, statement, look)
        _path(sink, look)
        _columns(sink, statement.query, look)


def _columns(sink: BoundSink, query: BoundQuery, look: Look) -> None:
    if sink.settings.known.find("format") is None or sink.settings.get("format") != "csv":
        return
    for column in query.schema:
        if column.type.name in ("ARRAY", "MAP", "STRUCT"):
            message = f"'{sink.name}' writes CSV, which cannot hold '{column.name}', a {column.type.name}"
            hint = f"write TO_JSON({column.name}) AS {column.name}, or use the format jsonl"
            look.findings.error("unreachable-sink", message, column.span or sink.span, hint=hint)


def _key(sink: BoundSink, statement: BoundStatement, look: Look) -> None:
    if (
        sink.upserts
        and statement.query is not None
        and not message_key(statement.query)
        and not statement.query.schema.is_open
    ):
        message = f"'{sink.name}' replaces rows by key, and this statement has none"
        hint = f"mark the key: SELECT id PRIMARY KEY, …, or set '{sink.name}.write.mode' = 'append'"
        look.findings.error("missing-key", message, sink.span, hint=hint)


def _guarantee(sink: BoundSink, statement: BoundStatement, look: Look) -> None:
    if sink.settings.known.find("delivery.guarantee") is None:
        return
    mode = str(statement.settings.get("job.mode"))
    if not sink.connector.meets(mode, sink.settings):
        value = sink.settings.value("delivery.guarantee")
        given: Guarantee = sink.connector.guarantee(mode, sink.settings)
        message = f"'{sink.name}' must be exactly once, but in job mode '{mode}' it is {given.value}"
        hint = "set 'job.mode' = 'transactional'"
        look.findings.error("conflicting-properties", message, value.origin.span or sink.span, hint=hint)


def _path(sink: BoundSink, look: Look) -> None:
    if sink.connector.name != "file_sink" or sink.settings.get("path") is None:
        return
    path = Path(str(sink.settings.get("path")).removeprefix("file://"))
    parent = next((folder for folder in path.parents if folder.exists()), None)
    if parent is None:
        return
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        problem = "is not a folder" if not parent.is_dir() else "cannot be written"
        message = f"'{sink.name}' writes to '{path}', but '{parent}' {problem}"
        look.findings.error("unreachable-sink", message, sink.span, hint="correct the path")
