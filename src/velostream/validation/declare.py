"""Relations that are read from outside: their connector, their columns, and their system columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.catalog.inference import columns_from_settings
from velostream.catalog.properties import connectors_of
from velostream.catalog.relation import Relation, RelationKind
from velostream.catalog.schema import Column, Schema
from velostream.config.settings import Settings
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.formats.field import Field
from velostream.positions import Span
from velostream.sources.base import Extent
from velostream.sources.datagen import DATAGEN_SOURCE
from velostream.sql.spans import span_of
from velostream.validation.columns import KEPT
from velostream.validation.declarations import declared_schema
from velostream.validation.owners import StatementSettings, created_kind
from velostream.validation.units import Unit

if TYPE_CHECKING:
    from velostream.sql.statements import Statement


class Declarer:
    """Makes relations of what declarations and settings say."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        self.folder = folder
        self.findings = findings

    def relation(self, unit: Unit, tree: Statement, settings: StatementSettings) -> Relation:
        """What `CREATE STREAM x (columns) WITH (…)` declares."""
        own = settings.of(unit.creates)
        parts = list(tree.args.get("columns") or [])
        declared = declared_schema(parts, self.findings)
        kind = RelationKind.TABLE if created_kind(tree) == "TABLE" and _has_key(declared) else RelationKind.STREAM
        span = span_of(tree.this)
        if created_kind(tree) == "TABLE" and kind is RelationKind.STREAM and self._is_source(own):
            message = f"table '{unit.creates}' has no key, so it is read as a stream"
            hint = "declare one: symbol STRING PRIMARY KEY; or write CREATE STREAM"
            self.findings.warning("missing-key", message, span, hint=hint)
        if own is None:
            return Relation(unit.creates, kind, declared or Schema((), is_open=True), settings=None, span=span)
        return self._relation(unit.creates, kind, declared, own, span)

    @staticmethod
    def _is_source(settings: Settings | None) -> bool:
        word = settings.find("type") if settings is not None else None
        return word is not None and connectors_of(word.text)[0] is not None

    def sources(self, unit: Unit, settings: StatementSettings, known: Mapping[str, Relation]) -> dict[str, Relation]:
        """The relations that a query reads and no statement declares, by their name in small letters."""
        found: dict[str, Relation] = {}
        for name, table in unit.reads.items():
            own = settings.of(name)
            relation = known.get(name.casefold())
            if own is None:
                continue
            back = settings.read_back.get(relation.name.casefold()) if relation is not None else None
            if relation is not None and back is not None:
                read = self._relation(relation.name, RelationKind.STREAM, relation.schema, own, relation.span)
                found[name.casefold()] = replace(read, key=(), read_back=back, revises=relation.revises)
                continue
            if relation is None and own.find("type") is not None:
                label = settings.names[name.casefold()]
                found[name.casefold()] = self._relation(label, RelationKind.STREAM, None, own, span_of(table.this))
            elif relation is not None and not relation.statement:
                found[name.casefold()] = self._relation(
                    relation.name, relation.kind, relation.schema, own, relation.span
                )
        return found

    def _relation(
        self, name: str, kind: RelationKind, declared: Schema | None, settings: Settings, span: Span | None
    ) -> Relation:
        word = settings.find("type")
        connector = connectors_of(word.text)[0] if word is not None else None
        schema = declared if declared is not None and not declared.is_open else self._schema(name, settings, span)
        return Relation(
            name,
            kind,
            schema,
            connector=connector,
            settings=settings,
            record_columns=_record_columns(kind, connector),
            key=tuple(column.name for column in schema if column.key),
            bounded=connector is not None and connector.extent(settings) is not Extent.UNBOUNDED,
            span=span,
        )

    def _schema(self, name: str, settings: Settings, span: Span | None) -> Schema:
        """Columns by a schema file, by a list in the settings, or by sampling; an open schema where none can be had."""
        try:
            fields = columns_from_settings(settings, self.folder)
        except VeloError as error:
            self.findings.refuse(error, span)
            return Schema((), is_open=True)
        if fields is None and settings.get("type") == DATAGEN_SOURCE.name:
            hint = f"CREATE STREAM {name} (column TYPE, …) WITH ('type' = 'datagen_source'), or set '{name}.schema'"
            self.findings.error("invalid-schema", f"'{name}' makes up data and needs columns", span, hint=hint)
            return Schema((), is_open=True)
        if fields is None:
            hint = f"declare them: CREATE STREAM {name} (column TYPE, …) WITH (…), or set '{name}.schema.file'"
            message = f"the columns of '{name}' are known only when it runs, so they are not checked"
            self.findings.warning("unknown-schema", message, span, hint=hint)
            return Schema((), is_open=True)
        return Schema(tuple(_column(field, span) for field in fields))


def _column(field: Field, span: Span | None) -> Column:
    return Column(field.name, field.type, field.nullable, field.key, span)


def _has_key(schema: Schema | None) -> bool:
    return schema is not None and any(column.key for column in schema)


def _record_columns(kind: RelationKind, connector: Any) -> tuple[str, ...]:
    if connector is None:
        return ()
    return KEPT if kind is RelationKind.TABLE else tuple(connector.record_columns)
