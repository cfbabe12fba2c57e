"""Settings and annotations that are written where nothing can use them."""

from __future__ import annotations

from velostream.catalog.relation import Relation
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


def _table_settings(relation: Relation, look: Look) -> None:
    if relation.is_table or relation.connector is None or relation.settings is None:
        return
    for name in _OF_TABLES:
        value = relation.settings.values.get(name)
        if value is not None:
            message = f"'{name}' is a setting of tables, and '{relation.name}' is read as a stream"
            look.findings.error("unknown-property", message, value.origin.span or relation.span, hint="remove it")
