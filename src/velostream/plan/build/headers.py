"""Headers: what a select list reads of them, sets and removes (SPEC A7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.plan.build.trees import calls_named
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.header_calls import SETTERS, reading
from velostream.plan.nodes import HeaderEdit

if TYPE_CHECKING:
    from velostream.functions.library import Library


def edits_of(expressions: list[Expression], fields: Fields, library: Library) -> tuple[HeaderEdit, ...]:
    """What SET_HEADER and REMOVE_HEADER do, in the order of the select list."""
    found = []
    for expression in expressions:
        for call in calls_named(expression.tree, *SETTERS):
            key = typed(call.expressions[0], fields, library)
            sets = str(call.this).upper() == "SET_HEADER"
            found.append(HeaderEdit(key, typed(call.expressions[1], fields, library) if sets else None))
    return tuple(found)


def without_edits(expression: Expression, base: str) -> Expression:
    """The value of an item that sets or removes a header: what is set, or what it was before, in the field `base`."""

    def value(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Anonymous) or str(node.this).upper() not in SETTERS:
            return node
        if str(node.this).upper() == "SET_HEADER":
            kept: exp.Expr = node.expressions[1]
            return kept.copy()
        return reading(exp.Anonymous(this="HEADER", expressions=[node.expressions[0].copy()]), base)

    return expression.with_parts(value)
