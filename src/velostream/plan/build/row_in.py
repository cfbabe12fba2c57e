"""`(a, b) IN (SELECT x, y …)`: true where a row has equal columns, unknown where only NULLs keep it from saying no."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from sqlglot import exp

from velostream.plan.expression import Expression, column
from velostream.plan.fields import Field
from velostream.types import BOOLEAN

Operands = Sequence[exp.Expr]


def equal(operands: Operands, columns: Sequence[Field]) -> tuple[Expression, ...]:
    """What holds for a row that is the same: it can be looked up."""
    pairs = zip(operands, columns, strict=True)
    return tuple(Expression(exp.EQ(this=one.copy(), expression=column(each.name)), BOOLEAN) for one, each in pairs)


def not_unequal(operands: Operands, columns: Sequence[Field]) -> tuple[Expression, ...]:
    """What holds for a row of which nothing says that it is another one."""
    return tuple(
        Expression(exp.or_(same.tree, _is_null(one), _is_null(column(each.name))), BOOLEAN)
        for same, one, each in zip(equal(operands, columns), operands, columns, strict=True)
    )


def any_null(columns: Sequence[Field]) -> Expression:
    """What holds for rows that lack a value."""
    return Expression(exp.or_(*(_is_null(column(each.name)) for each in columns)), BOOLEAN)


def unknown_sides(count: int) -> Iterator[tuple[int, ...]]:
    """The places at which operands may be NULL, one choice after the other."""
    for size in range(1, count + 1):
        yield from combinations(range(count), size)


def all_null(operands: Operands) -> exp.Expr:
    """What holds where all of these are NULL."""
    return exp.and_(*map(_is_null, operands))


def answer(met: exp.Expr, unknown: Sequence[exp.Expr]) -> exp.Expr:
    """TRUE, NULL or FALSE."""
    case = exp.Case(ifs=[exp.If(this=met, true=exp.true())], default=exp.false())
    case.append("ifs", exp.If(this=exp.or_(*unknown), true=exp.Cast(this=exp.null(), to=exp.DataType.build("boolean"))))
    return exp.Paren(this=case)


def _is_null(tree: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Is(this=tree.copy(), expression=exp.null()))
