"""SHOW and DESCRIBE over what a file declares: streams, tables, topics, functions, columns, settings, jobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.sql import statements as sql

if TYPE_CHECKING:
    from velostream.catalog.relation import Relation
    from velostream.config.settings import Value
    from velostream.functions.library import Library
    from velostream.validation.bound import BoundApplication, BoundStatement

OF_RUNNING = ("STATUS", "METRICS", "VERSIONS", "PARTITIONS")
"""What only a running job can answer."""


@dataclass(frozen=True, slots=True)
class Listing:
    """An answer as rows of texts under the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def shown(statement: sql.Show | sql.Describe, bound: BoundApplication, library: Library) -> Listing | None:
    """The answer to a SHOW or DESCRIBE; None where only a running job has it."""
    if isinstance(statement, sql.Describe):
        return columns_of(bound, statement.this.name)
    subject = str(statement.this)
    if subject in OF_RUNNING:
        return None
    if subject == "SCHEMA":
        return columns_of(bound, statement.args["target"].name)
    if subject.startswith("PROPERTIES"):
        return properties_of(bound, statement.args["target"].name)
    listing = _LISTS[subject](bound, library)
    like = statement.args.get("like")
    if like is None:
        return listing
    wanted = like_pattern(like.name)
    return Listing(listing.columns, tuple(row for row in listing.rows if wanted.fullmatch(row[0])))


def like_pattern(text: str) -> re.Pattern[str]:
    """LIKE's pattern in any letter case: `%` for any text, `_` for one character."""
    parts = (".*" if sign == "%" else "." if sign == "_" else re.escape(sign) for sign in text)
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def columns_of(bound: BoundApplication, name: str) -> Listing:
    """The columns of a stream or table."""
    rows = []
    for column in _relation(bound, name).schema:
        facts = (("key", column.key), ("not null", not column.nullable and not column.key))
        rows.append((column.name, str(column.type), ", ".join(word for word, holds in facts if holds)))
    return Listing(("column", "type", "about"), tuple(rows))


def properties_of(bound: BoundApplication, name: str) -> Listing:
    """What is set for a stream or table, and where; secrets are masked."""
    relation = _relation(bound, name)
    settings = relation.settings
    if settings is None:
        made = next((one for one in bound.statements if one.creates is relation), None)
        settings = made.settings if made is not None else None
    values: Iterable[Value] = settings if settings is not None else ()
    return Listing(("property", "value", "from"), tuple((one.key, one.shown, str(one.origin)) for one in values))


def _relation(bound: BoundApplication, name: str) -> Relation:
    found = bound.relations.get(name.casefold())
    if found is None:
        names = [relation.name for relation in bound.relations.values()]
        hint = did_you_mean(name, names, "streams and tables") or "create it first"
        raise VeloError(f"there is no stream or table '{name}'", hint=hint, code="unknown-stream")
    return found


def _streams(bound: BoundApplication, library: Library) -> Listing:
    return _relations(relation for relation in bound.relations.values() if not relation.is_table)


def _tables(bound: BoundApplication, library: Library) -> Listing:
    return _relations(relation for relation in bound.relations.values() if relation.is_table)


def _relations(relations: Iterable[Relation]) -> Listing:
    rows = []
    for one in sorted(relations, key=lambda relation: relation.name.casefold()):
        made = one.connector.name if one.connector is not None else f"statement {one.statement}"
        rows.append((one.name, made, ", ".join(one.schema.names)))
    return Listing(("name", "from", "columns"), tuple(rows))


def _topics(bound: BoundApplication, library: Library) -> Listing:
    """The topics that the file reads and writes."""
    owners = [(one.name, one.settings, "reads") for one in bound.relations.values() if one.is_external]
    owners += [(sink.name, sink.settings, "writes") for one in bound.statements for sink in one.sinks]
    rows = []
    for name, settings, does in owners:
        topic = settings.get("topic") if settings is not None and settings.known.find("topic") is not None else None
        if topic is not None:
            rows.append((str(topic), does, name))
    return Listing(("topic", "does", "by"), tuple(sorted(set(rows))))


def _functions(bound: BoundApplication, library: Library) -> Listing:
    functions = sorted(library.functions, key=lambda function: function.name)
    rows = tuple((one.name, one.signature, one.family, one.doc) for one in functions)
    return Listing(("function", "signature", "family", "does"), rows)


def _jobs(bound: BoundApplication, library: Library) -> Listing:
    rows = tuple((one.name, str(one.parsed.span.line), _writes(one)) for one in bound.statements if one.is_job)
    return Listing(("job", "line", "writes"), rows)


def _writes(statement: BoundStatement) -> str:
    names = [sink.name for sink in statement.sinks]
    if statement.creates is not None and statement.creates.is_table:
        names.append(f"table {statement.creates.name}")
    return ", ".join(names) or "the terminal"


_LISTS: dict[str, Callable[[BoundApplication, Library], Listing]] = {
    "STREAMS": _streams,
    "TABLES": _tables,
    "TOPICS": _topics,
    "FUNCTIONS": _functions,
    "JOBS": _jobs,
}
