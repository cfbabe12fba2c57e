"""Settings that name columns name columns that exist: dedup.key, partition.by, the mark of punctuated watermarks."""

from __future__ import annotations

from sqlglot import exp

from velostream.catalog import system_columns
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.validation.bound import BoundSource, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import sources_of

_NAMING = ("dedup.key", "partition.by")


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses names of columns that a source does not have."""
    for member in sources_of(statement.query):
        if member.relation.settings is None or member.relation.schema.is_open or member.relation.connector is None:
            continue
        for name in _NAMING:
            _check(member, name, look)
        _punctuation(member, look)


def _punctuation(member: BoundSource, look: Look) -> None:
    """The condition that marks watermarks reads columns of its source."""
    value = member.relation.settings.value("watermark.punctuation")
    if value is None:
        return
    from velostream.sql.parse import parse_expression

    try:
        tree = parse_expression(value.text, value.origin.span)
    except VeloError as error:
        look.findings.refuse(error, value.origin.span)
        return
    for column in tree.find_all(exp.Column):
        known = member.relation.schema.find(column.parts[0].name) or system_columns.find(column.name)
        if known is None:
            hint = did_you_mean(column.name, member.relation.schema.names, "columns")
            message = f"'watermark.punctuation' of '{member.alias}' reads '{column.name}', which is no column"
            look.findings.error("unknown-column", message, value.origin.span or member.span, hint=hint)


def _check(member: BoundSource, name: str, look: Look) -> None:
    if member.relation.settings.known.find(name) is None:
        return
    value = member.relation.settings.value(name)
    if value is None:
        return
    names = value.value if isinstance(value.value, tuple) else (value.value,)
    for column in names:
        word = str(column)
        spare = (*member.relation.record_columns, "file") if name == "partition.by" else member.relation.record_columns
        if member.relation.schema.find(word) is None and word.casefold() not in spare:
            hint = did_you_mean(word, member.relation.schema.names, "columns")
            message = f"'{name}' of '{member.alias}' names '{word}', which is no column"
            look.findings.error("unknown-column", message, value.origin.span or member.span, hint=hint)
