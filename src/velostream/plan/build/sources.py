"""What stands in FROM: streams outside, tables, and streams of other statements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from velostream.catalog.schema import Schema
from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.formats import FORMATS
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.read_back import as_written
from velostream.plan.build.settings import event_time_of, watermark_of
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, reads
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes import Column, Deduplicate, Node, Order, Project, ReadStream, Scan, TableScan, TopN
from velostream.plan.nodes.base import EVENT_TIME
from velostream.plan.nodes.scan import SOURCE
from velostream.types import BIGINT, STRING, UNKNOWN
from velostream.validation.bound import BoundSource

_ALWAYS = ("_timestamp", EVENT_TIME, "_processing_time")


def plan_source(source: BoundSource, building: Building, read: Iterable[str]) -> Node:
    """The rows of a relation under its alias. `read` are the fields that the query reads, for open schemas."""
    relation = source.relation
    if relation.is_table:
        return _table(source, building, read)
    if relation.is_external:
        return _scan(source, building, read)
    definition = building.definitions[relation.statement or relation.name]
    settings = building.owner_settings(relation.name)
    return ReadStream(
        stream=definition.name,
        alias=source.alias,
        columns=tuple(Field(f"{source.alias}.{f.name}", f.type, f.system) for f in definition.root.fields),
        read_early=bool(value_of(settings, "read.early", otherwise=False)),
        may_revise=definition.root.revises,
        key=definition.root.identity,
        ends=definition.root.bounded,
        settings=settings,
    )


def renamed(node: Node, alias: str) -> Project:
    """The rows of a query under an alias: `name` becomes `alias.name`."""
    columns = tuple(Column(f"{alias}.{f.name}", reads(f.name, f.type), f.system) for f in node.fields)
    return Project(node, columns, event_time=f"{alias}.{node.time}" if node.time else "")


def _scan(source: BoundSource, building: Building, read: Iterable[str]) -> Node:
    relation, alias = source.relation, source.alias
    settings = building.owner_settings(relation.name, relation.settings)
    columns = _columns(alias, relation.schema, read)
    system = dict.fromkeys((*_ALWAYS, *relation.record_columns))
    fields = [Field(f"{alias}.{name}", SYSTEM_COLUMNS[name].type, system=True) for name in system]
    everything = (*columns, *fields, Field(f"{alias}.{SOURCE}", STRING, system=True))
    scan = Scan(
        source=relation.name,
        alias=alias,
        connector=name_of(relation.connector),
        columns=everything,
        event_time=event_time_of(source, settings, building.settings),
        watermark=watermark_of(
            source, settings, building.settings, _punctuation(alias, settings, Fields(everything), building)
        ),
        settings=settings,
        ends=relation.bounded,
        infers=relation.schema.is_open,
        changelog=_is_changelog(settings),
        key=_known_by(relation.key, settings),
        declared=tuple(Field(column.name, column.type) for column in relation.schema),
    )
    if relation.read_back is not None:
        scan = as_written(scan, relation.read_back, building)
    return _newest(scan, building) if scan.changelog else _deduplicated(scan, settings)


def _known_by(key: tuple[str, ...], settings: Any) -> tuple[str, ...]:
    """What the rows of changes are known by: the key that is declared, else that of the message."""
    return key or (("_key",) if _is_changelog(settings) else ())


def _newest(scan: Scan, building: Building) -> TopN:
    """Of each key the row as its newest change leaves it, which knows what it was before. Rows of a database are there
    until it says otherwise; of those that a job of the application wrote it is known how long they may be corrected."""
    key = tuple(reads(name, scan.fields.of(name).type) for name in scan.identity)
    ttl = None if scan.read_back is None else value_of(building.settings, "state.ttl")
    offset = next(name for name in scan.position if name.endswith("._offset"))
    return TopN(scan, 1, (Order(reads(offset, BIGINT), descending=True, nulls_first=False),), key, ttl=ttl)


def _punctuation(alias: str, settings: Any, fields: Fields, building: Building) -> Expression | None:
    text = value_of(settings, "watermark.punctuation")
    if text is None:
        return None
    from velostream.sql.parse import parse_expression

    names = {name.casefold(): name for name in fields.names}
    tree = parse_expression(str(text), None).copy()
    holder = Expression(tree, UNKNOWN)
    mapping = {each: names.get(f"{alias}.{each}".casefold(), each) for each in holder.fields}
    return typed(holder.over(mapping).tree, fields, building.library)


def _deduplicated(scan: Scan, settings: Any) -> Node:
    names = value_of(settings, "dedup.key", ())
    if not names:
        return scan
    folded = {member.name.casefold(): member for member in scan.fields}
    keys = tuple(reads(folded[f"{scan.alias}.{name}".casefold()].name, UNKNOWN) for name in names)
    typed_keys = tuple(reads(key.name, scan.fields.of(key.name).type) for key in keys)
    return Deduplicate(scan, typed_keys, value_of(settings, "dedup.ttl"))


def _table(source: BoundSource, building: Building, read: Iterable[str]) -> TableScan:
    relation, alias = source.relation, source.alias
    settings = building.owner_settings(relation.name, relation.settings)
    fields = [Field(f"{alias}.{name}", SYSTEM_COLUMNS[name].type, system=True) for name in relation.record_columns]
    mode = value_of(settings, "refresh.mode", "")
    return TableScan(
        table=relation.name,
        alias=alias,
        columns=(*_columns(alias, relation.schema, read), *fields),
        key=relation.key,
        statement=relation.statement,
        connector=name_of(relation.connector) if relation.is_external else "",
        settings=settings,
        version_time=str(value_of(settings, "version.time", "")),
        refresh="" if relation.statement or not mode else str(mode),
    )


def _is_changelog(settings: Any) -> bool:
    chosen = FORMATS.get(str(value_of(settings, "format", "")))
    return chosen is not None and chosen.changelog


def _columns(alias: str, schema: Schema, read: Iterable[str]) -> tuple[Field, ...]:
    """The declared columns; of an open schema also those that the query reads, whose types are known when it runs."""
    declared = {f"{alias}.{each.name}": Field(f"{alias}.{each.name}", each.type) for each in schema}
    if schema.is_open:
        for name in read:
            column = name.removeprefix(f"{alias}.")
            if column != name and column not in SYSTEM_COLUMNS:
                declared.setdefault(name, Field(name, UNKNOWN))
    return tuple(declared.values())


def name_of(connector: Any) -> str:
    """The name of a connector's declaration, which is its `x.type`."""
    return connector if isinstance(connector, str) else str(getattr(connector, "name", connector))
