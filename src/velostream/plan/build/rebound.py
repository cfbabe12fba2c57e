"""Bound subqueries anew: parts of their expressions are replaced by fields of the rows around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar

from sqlglot import exp

from velostream.plan.build.trees import replaced
from velostream.validation.bound import (
    BoundExpression,
    BoundItem,
    BoundJoin,
    BoundOrder,
    BoundSelect,
    BoundSubquery,
    BoundUnion,
    BoundUnnest,
)

T = TypeVar("T")
Rule = Callable[[exp.Expr], exp.Expr | None]
_PARTS = (BoundItem, BoundJoin, BoundOrder, BoundSelect, BoundSubquery, BoundUnion, BoundUnnest)


def with_subqueries(tree: exp.Expr, rule: Rule) -> exp.Expr:
    """A copy of an expression, in whose subqueries every outermost part stands as `rule` answers, if it does."""
    copy = tree.copy()
    for holder in copy.walk(prune=lambda node: isinstance(node, exp.Query)):
        if "bound" in holder.meta:
            holder.meta["bound"] = _rebound(holder.meta["bound"], rule)
    return copy


def _rebound(part: T, rule: Rule) -> T:
    if isinstance(part, BoundExpression):
        return replace(part, tree=replaced(part.tree, rule))
    if isinstance(part, tuple):
        return type(part)(_rebound(each, rule) for each in part)
    if isinstance(part, _PARTS):
        return replace(part, **{each.name: _rebound(getattr(part, each.name), rule) for each in fields(part)})
    return part
