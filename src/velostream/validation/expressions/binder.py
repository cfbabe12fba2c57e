"""The walk over an expression: children first, one handler per kind of node; a node that nobody knows is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.diagnostics import Findings
from velostream.positions import Span
from velostream.sql.spans import span_of
from velostream.types import BOOLEAN, NULL, UNKNOWN, Type
from velostream.validation.bound import BoundExpression
from velostream.validation.scope import Scope

if TYPE_CHECKING:
    from velostream.functions.library import Library
    from velostream.validation.bound import BoundQuery

Handler = Callable[["ExpressionBinder", exp.Expr], Type]
SubqueryBinder = Callable[[exp.Expr, Scope], "tuple[BoundQuery, Scope] | None"]


class ExpressionBinder:
    """Binds expressions in one scope. Findings are collected; a part that cannot be bound has type UNKNOWN."""

    def __init__(self, scope: Scope, findings: Findings, library: Library, subquery: SubqueryBinder) -> None:
        self.scope = scope
        self.findings = findings
        self.library = library
        self.subquery = subquery

    def bind(self, tree: exp.Expr) -> BoundExpression:
        """The expression over fields; `tree` itself is left as it is."""
        span = span_of(tree)
        holder = exp.Paren(this=tree.copy())
        kind = self.visit(holder.this)
        bound = holder.this
        bound.pop()
        return BoundExpression(bound, kind, span)

    def condition(self, tree: exp.Expr, clause: str) -> BoundExpression:
        """A bound expression that must be true or false."""
        bound = self.bind(tree)
        if bound.type not in (BOOLEAN, NULL, UNKNOWN):
            message = f"{clause} needs a condition, but this is {bound.type}"
            self.findings.error("type-mismatch", message, bound.span, hint="compare it with something")
        return bound

    def visit(self, node: exp.Expr) -> Type:
        """The type of a node, after its columns have been replaced by fields."""
        from velostream.validation.expressions.handlers import HANDLERS

        for kind in type(node).__mro__:
            handler = HANDLERS.get(kind)
            if handler is not None:
                return handler(self, node)
        self.refuse("unsupported", f"'{excerpt(node)}' cannot be used in an expression", node)
        return UNKNOWN

    def visit_all(self, nodes: list[exp.Expr]) -> list[Type]:
        """The types of several nodes."""
        return [self.visit(node) for node in nodes]

    def visit_rows(self, nodes: list[exp.Expr]) -> list[Type]:
        """The types of an aggregate's arguments: they speak of the records, not of the window's rows."""
        windowed, self.scope.windowed = self.scope.windowed, False
        try:
            return self.visit_all(nodes)
        finally:
            self.scope.windowed = windowed

    def refuse(self, code: str, message: str, node: exp.Expr, hint: str = "") -> None:
        """An error at a node."""
        self.findings.error(code, message, self.span(node), hint=hint)

    def warn(self, code: str, message: str, node: exp.Expr, hint: str = "") -> None:
        """A warning at a node."""
        self.findings.warning(code, message, self.span(node), hint=hint)

    def span(self, node: exp.Expr) -> Span:
        """Where a node stands."""
        return span_of(node)

    def replace(self, node: exp.Expr, new: exp.Expr) -> exp.Expr:
        """Puts `new` where `node` stands, with its position."""
        new.meta.update(node.meta)
        return node.replace(new)


def excerpt(node: exp.Expr) -> str:
    """A node's text, shortened for a message."""
    from velostream.sql.printing.text import print_sql

    text = print_sql(node)
    return text if len(text) <= 60 else text[:57] + "…"
