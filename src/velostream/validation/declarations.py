"""Column lists: the schema that CREATE STREAM x (…) declares, and what its WATERMARK says."""

from __future__ import annotations

from sqlglot import exp

from velostream import durations, types
from velostream.catalog import system_columns
from velostream.catalog.schema import Column, Schema
from velostream.catalog.system_columns import AS_WRITTEN
from velostream.config.origin import Entry, written
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.sql.nodes import WatermarkFor
from velostream.sql.printing.text import spark_sql
from velostream.sql.spans import span_of
from velostream.types import UNKNOWN
from velostream.validation.expressions.literals import interval_micros


def declared_schema(parts: list[exp.Expr], findings: Findings) -> Schema | None:
    """The schema of a column list; None where there is none."""
    columns: dict[str, Column] = {}
    keys = {name.casefold() for part in parts if isinstance(part, exp.PrimaryKey) for name in _names(part)}
    for part in parts:
        if not isinstance(part, exp.ColumnDef):
            continue
        column = _column(part, keys, findings)
        if column.name.casefold() in columns:
            message = f"column '{column.name}' is declared twice"
            findings.error("duplicate-name", message, span_of(part), hint="remove one")
        columns[column.name.casefold()] = column
    for part in parts:
        if isinstance(part, exp.PrimaryKey):
            for name in _names(part):
                if name.casefold() not in columns:
                    hint = "columns: " + ", ".join(column.name for column in columns.values())
                    findings.error(
                        "unknown-column", f"PRIMARY KEY names '{name}', which is not declared", span_of(part), hint=hint
                    )
    return Schema(tuple(columns.values())) if parts else None


def _names(part: exp.PrimaryKey) -> list[str]:
    return [member.name for member in part.expressions]


def _is_written(part: exp.ColumnDef) -> bool:
    """True in the declaration of what a job has written: its rows may have such columns, and are asked for them."""
    comments = [each.args.get("kind") for each in part.args.get("constraints") or []]
    return any(isinstance(each, exp.CommentColumnConstraint) and each.name == AS_WRITTEN for each in comments)


def _column(part: exp.ColumnDef, keys: set[str], findings: Findings) -> Column:
    name = part.name
    if system_columns.is_reserved(name) and not _is_written(part):
        hint = f"rename it in the column list, for example '{name.lstrip('_')}_value', or read it in a subquery with AS"
        findings.error("reserved-column", f"'{name}' is the name of a system column", span_of(part.this), hint=hint)
    kind = UNKNOWN
    declared = part.args.get("kind")
    if declared is not None:
        try:
            kind = types.parse(spark_sql(declared))
        except VeloError as error:
            findings.refuse(error, span_of(declared))
    key, nullable = name.casefold() in keys, True
    for constraint in part.args.get("constraints") or []:
        what = constraint.args.get("kind")
        if isinstance(what, exp.PrimaryKeyColumnConstraint):
            key = True
        elif isinstance(what, exp.NotNullColumnConstraint):
            nullable = bool(what.args.get("allow_null"))
        elif not isinstance(what, exp.CommentColumnConstraint):
            findings.error(
                "unsupported",
                f"this constraint on '{name}' is not supported",
                span_of(constraint),
                hint="use PRIMARY KEY or NOT NULL",
            )
    return Column(name, kind, nullable and not key, key, span_of(part))


def watermark_entries(parts: list[exp.Expr], schema: Schema | None, findings: Findings) -> tuple[Entry, ...]:
    """What `WATERMARK FOR ts AS ts - INTERVAL '5' SECOND` says, as properties."""
    entries: list[Entry] = []
    for part in parts:
        if not isinstance(part, WatermarkFor):
            continue
        span = span_of(part)
        name = part.this.name
        column = schema.find(name) if schema is not None else None
        if column is None:
            hint = "columns: " + ", ".join(schema.names if schema else ())
            findings.error(
                "unknown-column", f"WATERMARK names '{name}', which is not declared", span_of(part.this), hint=hint
            )
        elif column.type.is_known and not column.type.is_time:
            message = f"WATERMARK goes by time, but '{name}' is {column.type}"
            findings.error("window-time", message, span_of(part.this), hint="declare it as TIMESTAMP")
        if column is None:
            continue
        delay = _delay(part)
        if delay is None:
            message = "the watermark is not the column minus an interval"
            findings.error("syntax", message, span_of(part.expression), hint=f"write {name} - INTERVAL '5' SECOND")
            continue
        entries.append(written("event.time.field", name, span))
        entries.append(written("watermark.max_out_of_orderness", durations.show(delay), span))
    return tuple(entries)


def _delay(part: WatermarkFor) -> int | None:
    tree = part.expression
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.Column) and tree.name.casefold() == part.this.name.casefold():
        return 0
    if isinstance(tree, exp.Sub) and isinstance(tree.this, exp.Column):
        same = tree.this.name.casefold() == part.this.name.casefold()
        return interval_micros(tree.expression) if same else None
    return None
