"""Parts of ON that only Spark computes and that read one side alone: computed before the join.

So the join can ask the whole condition itself. It must know which rows meet: a row whose only partner does not hold to
the condition is unmatched, and in an outer join it goes out alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, reads
from velostream.plan.nodes import Column, Node, Project
from velostream.plan.pair_forms import may_fail, pair_form
from velostream.types import DATE, DOUBLE, FLOAT, TIMESTAMP, Type
from velostream.validation.coercion import common

if TYPE_CHECKING:
    from velostream.functions.library import Library

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ)
_NO_VALUES = (exp.Column, exp.If, exp.Any, exp.All, exp.Tuple, exp.Lambda)
"""Nodes that are columns already, or parts of others that mean nothing by themselves."""


class OneSided:
    """The two sides of a join, and what is computed of each for its conditions."""

    def __init__(self, left: Node, right: Node, library: Library) -> None:
        self.sides = [left, right]
        self.library = library

    def asked(self, part: Expression) -> Expression:
        """A condition as the join can ask it, or as it is where that cannot be. What fails of one side costs its record
        before the join, not the pairs that it would be in."""
        form = pair_form(part, self.sides[0].fields.plus(self.sides[1].fields), {})
        if form is not None and not may_fail(form):
            return part
        values: list[list[Expression]] = [[], []]
        tree = self._rewritten(part.tree.copy(), values)
        sides = [_with(side, new) for side, new in zip(self.sides, values, strict=True)]
        found = replace(part, tree=tree)
        if pair_form(found, sides[0].fields.plus(sides[1].fields), {}) is None:
            return part
        self.sides = sides
        return found

    def _rewritten(self, node: exp.Expr, values: list[list[Expression]]) -> exp.Expr:
        """A tree in which fields stand for what reads one side."""
        side = self._side_of(node)
        if side is not None and not isinstance(node, _NO_VALUES):
            value = typed(node.copy(), self.sides[side].fields, self.library)
            values[side].append(value)
            return reads(value.name, value.type).tree.copy()
        for child in [_alike(node, child, self) for child in list(node.iter_expressions())]:
            changed = self._rewritten(child, values)
            if changed is not child:
                child.replace(changed)
        return node

    def kind(self, node: exp.Expr) -> Type | None:
        """The type of a number or time that reads one side; None for anything else."""
        side = self._side_of(node)
        kind = None if side is None else typed(node.copy(), self.sides[side].fields, self.library).type
        return kind if kind is not None and (kind.is_numeric or kind in (TIMESTAMP, DATE)) else None

    def _side_of(self, node: exp.Expr) -> int | None:
        """The one side whose fields a part reads; None where it reads both, or none."""
        names = {column.name for column in node.find_all(exp.Column)}
        fitting = [side for side, input_node in enumerate(self.sides) if all(n in input_node.fields for n in names)]
        return fitting[0] if names and len(fitting) == 1 else None


def _alike(node: exp.Expr, child: exp.Expr, sides: OneSided) -> exp.Expr:
    """A number or time that is compared with another one, in the type in which Spark compares them."""
    if not isinstance(node, _COMPARED):
        return child
    other = node.expression if child is node.this else node.this
    mine, theirs = sides.kind(child), sides.kind(other)
    if mine is None or theirs is None or mine.is_numeric != theirs.is_numeric:
        return child
    wanted = _shared(mine, theirs)
    if wanted is None or wanted == mine or (mine.is_integral and wanted.is_integral):
        return child
    wide = exp.Cast(this=child.copy(), to=exp.DataType.build(str(wanted), dialect="spark"))
    child.replace(wide)
    return wide


def _shared(mine: Type, theirs: Type) -> Type | None:
    """The type that holds all values of both; None where there is none."""
    if FLOAT in (mine, theirs):
        return DOUBLE if mine == theirs else None
    wanted = common(mine, theirs)
    return None if str(wanted).startswith("DECIMAL(38") else wanted


def _with(node: Node, values: list[Expression]) -> Node:
    """The rows with further fields that hold these values."""
    new = {value.name: value for value in values if value.name not in node.fields}
    if not new:
        return node
    carried = (Column(each.name, reads(each.name, each.type), each.system) for each in node.fields)
    added = (Column(name, value, system=True) for name, value in new.items())
    return Project(node, (*carried, *added), node.time)
