"""Settings and annotations that are written where nothing can use them."""

from __future__ import annotations

from velostream.catalog.relation import Relation
from velostream.sinks.base import Sink
from velostream.sql.annotations import kind_of
from velostream.validation.bound import BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import sources_of

_OF_TABLES = ("refresh.mode", "refresh.interval", "version.time")


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses metrics of declarations, table settings of streams, columns of generated data that are not there."""
    if statement.query is None:
        for annotation in statement.parsed.annotations:
            kind = kind_of(annotation.name)
            if kind is not None and kind.leads:
                message = f"'@{annotation.name}' speaks of rows, and this statement makes none"
                hint = "put it before the statement whose rows are meant"
                look.findings.error("invalid-annotation", message, annotation.span, hint=hint)
    relations = [statement.creates] if statement.query is None and statement.creates is not None else []
    relations += [member.relation for member in sources_of(statement.query)]
    if statement.creates is None or not statement.creates.is_table:
        for relation in relations:
            _table_settings(relation, look)
    _read_back(statement, look)


def _table_settings(relation: Relation, look: Look) -> None:
    if relation.is_table or relation.connector is None or relation.settings is None:
        return
    for name in _OF_TABLES:
        value = relation.settings.values.get(name)
        if value is not None:
            message = f"'{name}' is a setting of tables, and '{relation.name}' is read as a stream"
            look.findings.error("unknown-property", message, value.origin.span or relation.span, hint="remove it")


def _read_back(statement: BoundStatement, look: Look) -> None:
    """A stream can be read back only from a sink that is a source too."""
    for name, settings in statement.owner_settings.items():
        if settings.known.find("read.from.sink") is None or not settings.get("read.from.sink"):
            continue
        maker = look.statements.get(name)
        sinks = maker.sinks if maker is not None else ()
        if not any(_readable(sink.connector) for sink in sinks):
            value = settings.value("read.from.sink")
            message = f"'{name}' cannot be read back: it has no sink that can be read"
            hint = "give it a Kafka or file sink, or remove the setting"
            look.findings.error("conflicting-properties", message, value.origin.span, hint=hint)


def _readable(sink: Sink) -> bool:
    return sink.name in ("kafka_sink", "file_sink", "database_sink")
