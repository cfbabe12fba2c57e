"""Aggregations without GROUP BY in subqueries: one row whatever is aggregated, unless HAVING takes it away."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from velostream.catalog.schema import Column, Schema
from velostream.types import BOOLEAN
from velostream.validation.bound import BoundQuery, BoundSelect


def is_one(query: BoundQuery) -> bool:
    """True where all rows become one."""
    return isinstance(query, BoundSelect) and query.aggregated and not query.grouping and query.window is None


def may_lack(query: BoundQuery) -> bool:
    """True where HAVING may take the row away."""
    return isinstance(query, BoundSelect) and query.having is not None


def values(select: BoundSelect) -> tuple[BoundSelect, ...]:
    """The columns, each as a query of its own that always has a row."""
    shown = [item for item in select.items if item.visible]
    whole = replace(select, having=None, order=(), limit=None, distinct=False)
    columns = zip(shown, select.schema.columns, strict=True)
    return tuple(replace(whole, items=(item,), schema=Schema((column,))) for item, column in columns)


def condition(select: BoundSelect) -> BoundSelect | None:
    """HAVING as the value of such a query; None where the row is always there."""
    if select.having is None:
        return None
    item = replace(select.items[0], name="having", expression=select.having)
    schema = Schema((Column("having", BOOLEAN),))
    return replace(select, items=(item,), schema=schema, having=None, order=(), limit=None, distinct=False)


def given(there: exp.Expr | None, value: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    """The value where there is a row."""
    if there is None:
        return value
    return exp.Paren(this=exp.Case(ifs=[exp.If(this=there, true=value)], default=otherwise))
