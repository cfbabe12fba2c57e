"""A stream can be read back only from a sink that is a source too, and from what that sink writes."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.config.settings import Settings, Value
from velostream.positions import Span
from velostream.validation.bound import BoundSink, BoundStatement
from velostream.validation.read_back import ASKS, FIXED, as_source, says_so, source_of
from velostream.validation.rules.base import Look
from velostream.validation.walk import sources_of

_HINT = "give it a Kafka or file sink, or remove the setting: it is computed along with its readers then"
_WHY = {
    "console_sink": "a console shows rows and keeps none",
    "memory_sink": "memory is gone with the process that wrote it",
    "http_sink": "what an address was sent cannot be asked for again",
    "database_sink": "a table has no order of arrival, and its rows are replaced in place",
    "delta_sink": "there is no source of Delta tables",
}


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses sinks that cannot be read, streams without one, and readers that name another place than the sink's."""
    for sink in statement.sinks:
        if says_so(sink) and not source_of(sink):
            _refuse(sink.name, (sink,), sink.settings.value(ASKS), look)
        elif says_so(sink) and (statement.creates is None or statement.creates.is_table):
            message = f"'{sink.name}' is no sink of a stream, so that nothing reads it back"
            hint = "remove the setting, or CREATE STREAM … AS SELECT"
            look.findings.error("conflicting-properties", message, _span(sink.settings.value(ASKS)), hint=hint)
    made = {one.creates.name.casefold(): one for one in look.statements.values() if one.creates is not None}
    read = {member.relation.name.casefold() for member in sources_of(statement.query) if member.relation.read_back}
    for name, settings in statement.owner_settings.items():
        if name in read:
            _elsewhere(settings, made[name], look)
        elif _asks(settings) and name in made and made[name] is not statement:
            _refuse(name, made[name].sinks, settings.value(ASKS), look)
    for member in sources_of(statement.query):
        if member.relation.read_back is not None and member.relation.schema.is_open:
            message = f"'{member.relation.name}' cannot be read back: its columns are known only when it runs"
            hint = "declare the columns of the source that it reads"
            look.findings.error("unknown-schema", message, member.span, hint=hint)


def _asks(settings: Settings) -> bool:
    return settings.known.find(ASKS) is not None and bool(settings.get(ASKS))


def _refuse(name: str, sinks: Iterable[BoundSink], value: Value | None, look: Look) -> None:
    reasons = [_WHY.get(sink.connector.name, f"nothing reads a {sink.connector.name}") for sink in sinks]
    message = f"'{name}' cannot be read back: {reasons[0] if reasons else 'it has no sink'}"
    look.findings.error("conflicting-properties", message, _span(value), hint=_HINT)


def _elsewhere(settings: Settings, maker: BoundStatement, look: Look) -> None:
    """Where rows were written is said by the sink; a reader that says otherwise would read something else."""
    names = {sink.name: as_source(sink, settings.owner) for sink in maker.sinks if source_of(sink)}
    for key in FIXED:
        value = settings.values.get(key)
        if value is None or any(key in base.values and base.values[key].text == value.text for base in names.values()):
            continue
        message = f"'{settings.owner}' is read back from its sink, which says where that is: '{key}' cannot be set"
        hint = f"remove it, or declare a stream of its own over '{value.text}'"
        look.findings.error("conflicting-properties", message, _span(value), hint=hint)


def _span(value: Value | None) -> Span | None:
    return value.origin.span if value is not None else None
