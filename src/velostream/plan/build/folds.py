"""Aggregations in subqueries whose rows are found by more than equalities: what each call makes of the rows found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.catalog.schema import Column, Schema
from velostream.errors import VeloError
from velostream.plan.build.calls import CallParts
from velostream.plan.build.one_group import is_one
from velostream.plan.build.typing import planned
from velostream.plan.expression import Expression, parts_of
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.subquery_check import FOLDS
from velostream.types import INT
from velostream.validation.bound import BoundExpression, BoundQuery, BoundSelect
from velostream.validation.inputs import scope_input

if TYPE_CHECKING:
    from velostream.functions.library import Library


def folds(query: BoundQuery) -> bool:
    """True for one group whose rows have something else than equalities to do with the row around."""
    if not is_one(query) or not isinstance(query, BoundSelect) or query.where is None:
        return False
    own = tuple(f"{member.alias}." for member in query.inputs)
    return any(_spans(part, own) for part in parts_of(planned(query.where)))


def _spans(part: Expression, own: tuple[str, ...]) -> bool:
    """True where a condition reads both sides otherwise than by comparing them with =."""
    if part.tree.find(exp.Query) is not None or all(name.startswith(own) for name in part.fields):
        return False
    if not isinstance(part.tree, exp.EQ):
        return True
    sides = [[each.name for each in side.find_all(exp.Column)] for side in (part.tree.this, part.tree.expression)]
    mine = [bool(names) and all(name.startswith(own) for name in names) for names in sides]
    return mine.count(True) != 1


def rows_of(call: exp.Expr, select: BoundSelect, outer: Fields, library: Library) -> tuple[BoundSelect, CallParts]:
    """The query whose rows' values a call is made of, not grouped, and what stands in the call."""
    fields = Fields(
        tuple(
            Field(f"{member.alias}.{column.name}", column.type)
            for member in select.inputs
            for column in scope_input(member).schema
        )
    )
    known = fields.plus(tuple(field for field in outer if field.name not in fields))
    parts = CallParts.of(call, known, library)
    name = str(call.this).upper() if isinstance(call, exp.Anonymous) else ""
    kind = parts.arguments[0].type if parts.arguments else INT
    if name not in FOLDS or len(parts.arguments) > 1 or (name == "AVG" and kind.name == "DECIMAL"):
        what = f"{name or call.key.upper()} of {kind}" if name in FOLDS else f"{name or call.key.upper()}"
        message = f"a subquery that compares its rows otherwise than by = cannot compute {what}"
        hint = f"use {', '.join(FOLDS)}, or compare with = in the subquery's WHERE"
        raise VeloError(message, hint=hint, span=select.span, code="subquery")
    value = parts.arguments[0].tree if parts.arguments else exp.Literal.number(1)
    item = replace(select.items[0], name="value", expression=BoundExpression(value, kind, select.span))
    schema = Schema((Column("value", kind),))
    rows = replace(
        select, items=(item,), schema=schema, having=None, order=(), limit=None, distinct=False, aggregated=False
    )
    return rows, parts
