"""Subqueries inside expressions: each becomes a node that asks a table, and a field that holds the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from velostream.plan.build.context import Building
from velostream.plan.build.correlation import Correlation
from velostream.plan.build.sources import renamed
from velostream.plan.build.trees import bare, is_aggregate, replaced
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, column, text_of
from velostream.plan.nodes import Node, SubqueryCheck
from velostream.plan.nodes.subquery_check import ALL, ANY, EXISTS, IN, SCALAR
from velostream.types import BOOLEAN
from velostream.validation.bound import BoundQuery, BoundSelect

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
PlanQuery = Callable[[BoundQuery, Building, Correlation], Node]
"""Plans a query whose conditions may read the rows around it; those are collected and left out."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A subquery as it stands in an expression."""

    kind: str
    query: BoundQuery
    tables: tuple[str, ...]
    operand: exp.Expr | None = None
    operator: str = "="


@dataclass(slots=True)
class Subqueries:
    """Puts the subqueries of expressions below them, over `node`; the same one is asked once."""

    node: Node
    building: Building
    plan: PlanQuery
    _names: dict[exp.Expr, str] = field(default_factory=dict)

    def above(self, expression: Expression) -> Expression:
        """The expression over rows that have the answers as fields."""
        if not _has_subquery(expression.tree):
            return expression
        return Expression(replaced(expression.tree, self._field), expression.type, expression.span)

    def inside_calls(self, expression: Expression) -> Expression:
        """The expression with only those subqueries below it that aggregates read: they are asked for every record."""
        if not _has_subquery(expression.tree):
            return expression
        library = self.building.library
        inside = replaced(
            expression.tree, lambda node: replaced(node, self._field) if is_aggregate(node, library) else None
        )
        return Expression(inside, expression.type, expression.span)

    def _field(self, tree: exp.Expr) -> exp.Expr | None:
        held = _held(tree)
        if held is None:
            return None
        if tree not in self._names:
            name = self._free_name(held)
            self._names[tree.copy()] = name
            self.node = self._check(name, held)
        return column(self._names[tree])

    def _free_name(self, held: _Held) -> str:
        """`EXISTS limits`, `t.symbol IN limits`; numbered where there are several."""
        if held.kind == SCALAR and isinstance(held.query, BoundSelect):
            value = text_of(held.query.items[0].expression.tree)
            return self._numbered(f"(SELECT {value} FROM {', '.join(held.tables)})")
        operand = "" if held.operand is None else f"{text_of(held.operand)} "
        operator = f"{held.operator} " if held.kind in (ANY, ALL) else ""
        return self._numbered(f"{operand}{operator}{held.kind} {', '.join(held.tables)}")

    def _numbered(self, name: str) -> str:
        number, free = 2, name
        while free in self.node.fields:
            number, free = number + 1, f"{name} {number}"
        return free

    def _check(self, name: str, held: _Held) -> SubqueryCheck:
        correlation = Correlation(self.node.fields)
        query = self.plan(held.query, self.building, correlation)
        inner: dict[str, str] = {}
        if any(each in self.node.fields for each in query.fields.names):
            query = renamed(query, name)
            inner = {carried: f"{name}.{carried}" for carried in correlation.carried}
        library = self.building.library
        return SubqueryCheck(
            self.node,
            query,
            name=name,
            kind=held.kind,
            type=held.query.schema.columns[0].type if held.kind == SCALAR else BOOLEAN,
            operand=None if held.operand is None else typed(held.operand, self.node.fields, library),
            operator=held.operator,
            conditions=tuple(condition.over(inner) for condition in correlation.conditions),
            empty=correlation.empty if held.kind == SCALAR else None,
        )


def _has_subquery(tree: exp.Expr) -> bool:
    return any("bound" in part.meta for part in tree.walk())


def _held(tree: exp.Expr) -> _Held | None:
    """The subquery that a part of an expression is; None for anything else."""
    if type(tree) in _COMPARISONS:
        right = bare(tree.expression)
        if isinstance(right, exp.Any | exp.All) and "bound" in right.meta:
            kind = ANY if isinstance(right, exp.Any) else ALL
            return _Held(kind, right.meta["bound"], right.meta["tables"], tree.this, _COMPARISONS[type(tree)])
    if "bound" not in tree.meta:
        return None
    bound, tables = tree.meta["bound"], tree.meta["tables"]
    if isinstance(tree, exp.In):
        return _Held(IN, bound, tables, tree.this)
    return _Held(EXISTS if isinstance(tree, exp.Exists) else SCALAR, bound, tables)
