"""Settings that name columns name columns that exist: dedup.key, partition.by, the mark of punctuated watermarks."""

from __future__ import annotations

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
