"""Nodes made by hand: streams, tables, and expressions over fields from a line of SQL."""

from __future__ import annotations

from sqlglot import exp

from velostream.plan.expression import Expression, column
from velostream.plan.fields import Field
from velostream.plan.nodes import Column, Project, Scan, TableScan
from velostream.plan.time import EventTime, Watermark
from velostream.sql.parse import parse_expression
from velostream.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, TIMESTAMP, Type


def value(text: str, kind: Type = BOOLEAN) -> Expression:
    """An expression over fields: `t.price` is the field of that name."""

    def as_field(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        return column(".".join(part.name for part in node.parts))

    return Expression(parse_expression(text).transform(as_field), kind)


def stream(alias: str = "t", *, ends: bool = False, **columns: Type) -> Scan:
    """A stream with symbol, price and quantity, or with other columns."""
    chosen = columns or {"symbol": STRING, "price": DOUBLE, "quantity": INT}
    system = {"_event_time": TIMESTAMP, "_partition": INT, "_offset": BIGINT, "_source": STRING}
    fields = [Field(f"{alias}.{name}", kind) for name, kind in chosen.items()]
    fields += [Field(f"{alias}.{name}", kind, system=True) for name, kind in system.items()]
    return Scan("trades", alias, "kafka_source", tuple(fields), EventTime("at"), Watermark(), ends=ends)


def table(alias: str = "l") -> TableScan:
    """A table of limits by symbol."""
    fields = (Field(f"{alias}.symbol", STRING), Field(f"{alias}.most", INT))
    return TableScan("limits", alias, fields, ("symbol",), connector="file_source")


def project(node: Scan, **columns: str) -> Project:
    """A select list of plain fields: `project(stream(), symbol="t.symbol")`."""
    chosen = (Column(name, Expression(column(f), node.fields.of(f).type)) for name, f in columns.items())
    return Project(node, tuple(chosen))
