"""Subqueries inside expressions: each becomes a node that asks a table, and a field that holds the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from velostream.plan.build import folds, one_group, row_in
from velostream.plan.build.context import Building
from velostream.plan.build.correlation import Correlation
from velostream.plan.build.sources import renamed
from velostream.plan.build.trees import bare, is_aggregate, replaced
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, column, text_of
from velostream.plan.fields import Field
from velostream.plan.nodes import Filter, Node, SubqueryCheck
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
    _answers: dict[exp.Expr, exp.Expr] = field(default_factory=dict)

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

    def holding(self, condition: Expression) -> Expression:
        """The same for a condition of which it matters alone whether it holds: NULL is as good as FALSE."""
        tree = bare(condition.tree)
        held = _held(tree)
        if held is None or not isinstance(held.operand, exp.Tuple) or self._is_one_group(held):
            return self.above(condition)
        whether = exp.Paren(this=tree.copy())
        return Expression(self._once(whether, lambda: self._row_met(held)), condition.type, condition.span)

    def _field(self, tree: exp.Expr) -> exp.Expr | None:
        held = _held(tree)
        return None if held is None else self._once(tree, lambda: self._asked(held))

    def _once(self, tree: exp.Expr, ask: Callable[[], exp.Expr]) -> exp.Expr:
        if tree not in self._answers:
            key = tree.copy()
            self._answers[key] = ask()
        return self._answers[tree].copy()

    def _asked(self, held: _Held) -> exp.Expr:
        """What stands for a subquery, over fields that hold answers."""
        if self._is_one_group(held):
            return self._of_one_group(held)
        if folds.folds(held.query):
            return self._of_folds(held)
        if isinstance(held.operand, exp.Tuple):
            return self._row_in(held)
        name = self._free_name(held)
        self.node = self._check(name, held)
        return column(name)

    def _is_one_group(self, held: _Held) -> bool:
        """True for an aggregation of the rows that belong to the row around: it has a row where there are none, too,
        which a value alone says (`empty`)."""
        if not one_group.is_one(held.query) or (held.kind == SCALAR and not one_group.may_lack(held.query)):
            return False
        return folds.folds(held.query) or bool(self._query(held, "")[1])

    def _of_folds(self, held: _Held) -> exp.Expr:
        """Its value, over what its calls make of the rows that are found."""
        assert isinstance(held.query, BoundSelect)
        value = next(item.expression.tree for item in held.query.items if item.visible)
        library = self.building.library

        def answer(tree: exp.Expr) -> exp.Expr | None:
            return self._folded(held, tree) if is_aggregate(tree, library) else self._field(tree)

        return exp.Paren(this=replaced(value, answer))

    def _folded(self, held: _Held, call: exp.Expr) -> exp.Expr:
        """The field that holds what a call makes of the rows that belong to the row around."""
        assert isinstance(held.query, BoundSelect)
        rows, parts = folds.rows_of(call, held.query, self.node.fields, self.building.library)
        fold = str(call.this).upper()
        asked = replace(held, query=rows, operand=None)
        name = self._numbered(f"(SELECT {text_of(call)} FROM {', '.join(held.tables)})")
        query, conditions, _ = self._query(asked, name)
        library = self.building.library
        function = library.find(fold)
        assert function is not None
        kind = function.result_type(tuple(one.type for one in parts.arguments))
        empty = Expression(exp.Literal.number(0), kind) if fold == "COUNT" else None
        self.node = SubqueryCheck(
            self.node,
            query,
            name=name,
            kind=SCALAR,
            type=kind,
            conditions=conditions,
            empty=empty,
            distinct=parts.distinct,
            fold=fold,
        )
        return column(name)

    def _of_one_group(self, held: _Held) -> exp.Expr:
        """Its values are asked for, and whether HAVING lets it be."""
        assert isinstance(held.query, BoundSelect)
        wanted = one_group.values(held.query) if held.kind != EXISTS else ()
        values = [self._asked(replace(held, kind=SCALAR, query=each, operand=None)) for each in wanted]
        having = one_group.condition(held.query)
        there = None if having is None else self._asked(replace(held, kind=SCALAR, query=having, operand=None))
        operands = held.operand.expressions if isinstance(held.operand, exp.Tuple) else [held.operand]
        if held.kind == EXISTS:
            return one_group.given(there, exp.true(), exp.false())
        if held.kind == SCALAR:
            return one_group.given(there, values[0], exp.null())
        kind = next(kind for kind, text in _COMPARISONS.items() if text == held.operator)
        compared = exp.and_(
            *(kind(this=one.copy(), expression=value) for one, value in zip(operands, values, strict=True) if one)
        )
        return one_group.given(there, exp.Paren(this=compared), exp.true() if held.kind == ALL else exp.false())

    def _row_met(self, held: _Held) -> exp.Expr:
        """`(a, b) IN (SELECT x, y …)`: whether a row is equal."""
        assert isinstance(held.operand, exp.Tuple)
        operands = held.operand.expressions
        return self._exists(held, self._free_name(held), lambda columns: row_in.equal(operands, columns))

    def _row_in(self, held: _Held) -> exp.Expr:
        """The same, with the NULL that it is where nothing is equal, and values are lacking on either side."""
        assert isinstance(held.operand, exp.Tuple)
        operands = held.operand.expressions
        met, name = self._row_met(held), self._free_name(held)
        lacking = self._exists(
            held, f"{name} or NULL", lambda columns: row_in.not_unequal(operands, columns), row_in.any_null
        )
        unknown = [lacking]
        for places in row_in.unknown_sides(len(operands)):
            others = [place for place in range(len(operands)) if place not in places]

            def rest(columns: Sequence[Field], others: Sequence[int] = others) -> tuple[Expression, ...]:
                return row_in.equal([operands[place] for place in others], [columns[place] for place in others])

            there = self._exists(held, f"{name} but {', '.join(str(place + 1) for place in places)}", rest)
            unknown.append(exp.and_(row_in.all_null([operands[place] for place in places]), there))
        return row_in.answer(met, unknown)

    def _exists(
        self,
        held: _Held,
        name: str,
        conditions: Callable[[Sequence[Field]], tuple[Expression, ...]],
        among: Callable[[Sequence[Field]], Expression] | None = None,
    ) -> exp.Expr:
        """A field that says whether the subquery has a row for which conditions on its columns hold."""
        free = self._numbered(name)
        query, correlated, _ = self._query(held, free)
        columns = query.fields.visible
        met = (*correlated, *conditions(columns))
        query = query if among is None else Filter(query, among(columns))
        self.node = SubqueryCheck(self.node, query, name=free, kind=EXISTS, conditions=met)
        return column(free)

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

    def _query(self, held: _Held, name: str) -> tuple[Node, tuple[Expression, ...], Correlation]:
        """The plan of a subquery under names of its own, what its rows have to do with the row around, and the rest."""
        correlation = Correlation(self.node.fields, held.kind)
        query = self.plan(held.query, self.building, correlation)
        inner: dict[str, str] = {}
        if any(each in self.node.fields for each in query.fields.names):
            query = renamed(query, name)
            inner = {carried: f"{name}.{carried}" for carried in correlation.carried}
        correlation.order = [replace(term, expression=term.expression.over(inner)) for term in correlation.order]
        return query, tuple(condition.over(inner) for condition in correlation.conditions), correlation

    def _check(self, name: str, held: _Held) -> SubqueryCheck:
        query, conditions, correlation = self._query(held, name)
        library = self.building.library
        return SubqueryCheck(
            self.node,
            query,
            name=name,
            kind=held.kind,
            type=held.query.schema.columns[0].type if held.kind == SCALAR else BOOLEAN,
            operand=None if held.operand is None else typed(held.operand, self.node.fields, library),
            operator=held.operator,
            conditions=conditions,
            empty=correlation.empty if held.kind == SCALAR else None,
            order=tuple(correlation.order),
            limit=correlation.limit,
            distinct=correlation.distinct,
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
