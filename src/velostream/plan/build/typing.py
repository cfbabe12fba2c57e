"""Types of parts of bound expressions: the binder's own rules, over the fields of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.diagnostics import Findings
from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.header_calls import as_written
from velostream.positions import Span
from velostream.validation.bound import BoundExpression
from velostream.validation.expressions import ExpressionBinder
from velostream.validation.scope import Found, Missing, Scope

if TYPE_CHECKING:
    from velostream.functions.library import Library


class _FieldScope(Scope):
    """A scope in which every name is the full name of a field."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self.fields = fields

    def resolve(self, name: str, table: str = "") -> Found | Missing:
        """The field of that name; a variable of a lambda hides it."""
        if any(name.casefold() in names for names in self.locals):
            return super().resolve(name, table)
        found = self.fields.find(name) if not table else None
        if found is None:
            return Missing("unknown-column", f"there is no field '{name}'")
        return Found(found.name, found.type)


def typed(tree: exp.Expr, fields: Fields, library: Library, span: Span | None = None) -> Expression:
    """A part of a bound expression as an expression of its own. It was checked before: findings are of no interest."""
    copy = as_written(tree)
    for column in copy.find_all(exp.Column):
        column.meta.pop("field", None)
    binder = ExpressionBinder(_FieldScope(fields), Findings(), library, lambda node, scope: None)
    return Expression(tree, binder.bind(copy).type, span)


def planned(bound: BoundExpression) -> Expression:
    """A bound expression as one of the plan."""
    return Expression(bound.tree, bound.type, bound.span)
