"""Where a statement writes: INTO, a sink of the created stream's own name, the target of INSERT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from velostream.catalog.properties import connectors_of
from velostream.catalog.relation import Relation
from velostream.catalog.schema import Column, Schema
from velostream.diagnostics import Findings
from velostream.registry import did_you_mean
from velostream.sinks import SINKS
from velostream.sql import statements as sql
from velostream.sql.spans import span_of
from velostream.validation import coercion
from velostream.validation.bound import BoundQuery, BoundSelect, BoundSink
from velostream.validation.context import Context
from velostream.validation.declarations import declared_schema
from velostream.validation.owners import StatementSettings, created_kind
from velostream.validation.select import SelectBinder
from velostream.validation.units import Unit, name_of


def bind_sinks(
    unit: Unit, settings: StatementSettings, relations: Mapping[str, Relation], findings: Findings
) -> tuple[BoundSink, ...]:
    """The sinks of a statement."""
    sinks: list[BoundSink] = []
    if unit.creates:
        own = settings.of(unit.creates)
        word = own.find("type") if own is not None and not is_table(unit) else None
        connector = connectors_of(word.text)[1] if word is not None else None
        if connector is not None:
            sinks.append(BoundSink(unit.creates, connector, own, span_of(unit.tree.this)))
    for table in unit.writes:
        sink = _sink(table, settings, relations, findings)
        if sink is None:
            continue
        if any(other.name.casefold() == sink.name.casefold() for other in sinks):
            findings.error("duplicate-name", f"'{sink.name}' is written twice", span_of(table), hint="remove one")
        sinks.append(sink)
    return tuple(sinks)


def is_table(unit: Unit) -> bool:
    """True where the statement makes a table."""
    return created_kind(unit.tree) == "TABLE"


def _sink(
    table: exp.Table, settings: StatementSettings, relations: Mapping[str, Relation], findings: Findings
) -> BoundSink | None:
    name = name_of(table)
    own = settings.of_sink(name)
    word = own.find("type") if own is not None else None
    if name.casefold() in settings.refused or (own is not None and word is None and own.values):
        return None  # what is wrong with it has been said
    if own is None or word is None:
        relation = relations.get(name.casefold())
        known = [other.name for other in relations.values()]
        hint = did_you_mean(name, known) or f"give it a type: WITH ('{name}.type' = 'kafka_sink', …)"
        if relation is not None and relation.statement:
            hint = f"'{name}' is made by a statement: write to a sink and let both use it"
        findings.error("unknown-sink", f"there is no sink '{name}'", span_of(table), hint=hint)
        return None
    connector = connectors_of(word.text)[1]
    if connector is None:
        hint = "use one of " + ", ".join(SINKS)
        findings.error(
            "unreachable-sink", f"'{name}' is a {word.text}, which cannot be written", span_of(table), hint=hint
        )
        return None
    return BoundSink(settings.sinks[name.casefold()], connector, own, span_of(table))


def fit_columns(unit: Unit, query: BoundQuery, findings: Findings) -> BoundQuery:
    """`CREATE STREAM x (a INT, …) AS SELECT …`: what is listed is what comes out, so named."""
    listed = declared_schema(list(unit.tree.args.get("columns") or []), findings)
    if listed is None or query.schema.is_open:
        return query
    wanted = list(listed)
    if len(wanted) != len(query.schema):
        message = f"{len(query.schema)} columns for the {len(wanted)} that '{unit.creates}' lists"
        findings.error("insert-mismatch", message, query.span, hint="list as many columns as are selected")
        return query
    for value, column in zip(query.schema, wanted, strict=True):
        if value.type != column.type and value.type.is_known and column.type.is_known:
            message = f"'{value.name}' is {value.type}, but '{unit.creates}.{column.name}' is {column.type}"
            findings.error("insert-mismatch", message, value.span, hint=f"CAST(… AS {column.type})")
    return _renamed(query, wanted)


def check_insert(
    unit: Unit, query: BoundQuery | None, relations: Mapping[str, Relation], context: Context
) -> BoundQuery | None:
    """INSERT INTO x: the rows fit the columns of the target, and take their names."""
    if not isinstance(unit.tree, sql.InsertInto):
        return query
    target = relations.get(name_of(unit.tree.this).casefold())
    if target is None or target.schema.is_open:
        return query
    findings = context.findings
    named = unit.tree.args.get("columns") or []
    for column in named:
        if target.schema.find(column.name) is None:
            hint = did_you_mean(column.name, target.schema.names, "columns")
            findings.error(
                "unknown-column", f"'{target.name}' has no column '{column.name}'", span_of(column), hint=hint
            )
    wanted = [found for column in named if (found := target.schema.find(column.name))] or list(target.schema)
    if query is None:
        _check_values(unit, wanted, target, context)
        return None
    _check_columns(query, wanted, target, findings)
    return _renamed(query, wanted)


def _renamed(query: BoundQuery, wanted: list[Column]) -> BoundQuery:
    """The query with the target's column names."""
    if not isinstance(query, BoundSelect) or len(query.schema) != len(wanted):
        return query
    names = iter(column.name for column in wanted)
    items = tuple(replace(item, name=next(names)) if item.visible else item for item in query.items)
    columns = tuple(replace(column, name=new.name) for column, new in zip(query.schema, wanted, strict=True))
    return replace(query, items=items, schema=Schema(columns))


def _check_columns(query: BoundQuery, wanted: list[Column], target: Relation, findings: Findings) -> None:
    given = list(query.schema)
    if query.schema.is_open:
        return
    if len(given) != len(wanted):
        message = f"{len(given)} columns for the {len(wanted)} of '{target.name}'"
        hint = "columns: " + ", ".join(f"{column.name} {column.type}" for column in wanted)
        findings.error("insert-mismatch", message, query.span, hint=hint)
        return
    for value, column in zip(given, wanted, strict=True):
        if not coercion.assignable(value.type, column.type):
            message = f"'{value.name}' is {value.type}, but '{target.name}.{column.name}' is {column.type}"
            findings.error("insert-mismatch", message, value.span, hint=f"CAST(… AS {column.type})")


def _check_values(unit: Unit, wanted: list[Column], target: Relation, context: Context) -> None:
    binder = SelectBinder(context).rows
    for row in unit.tree.args["query"].expressions:
        values = row.expressions if isinstance(row, exp.Tuple) else [row]
        if len(values) != len(wanted):
            message = f"{len(values)} values for the {len(wanted)} columns of '{target.name}'"
            hint = "columns: " + ", ".join(column.name for column in wanted)
            context.findings.error("insert-mismatch", message, span_of(row), hint=hint)
            continue
        for value, column in zip(values, wanted, strict=True):
            bound = binder.bind(value)
            if not coercion.assignable(bound.type, column.type):
                message = f"{bound.type} does not fit '{target.name}.{column.name}', which is {column.type}"
                context.findings.error("insert-mismatch", message, bound.span, hint=f"CAST(… AS {column.type})")
