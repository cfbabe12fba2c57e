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
from velostream.plan.forms import form_of_rows
from velostream.plan.nodes import Column, Node, Project
from velostream.types import DOUBLE

if TYPE_CHECKING:
    from velostream.functions.library import Library

_ASKED = (exp.And, exp.Or, exp.Not, exp.Paren, exp.Is, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_LISTED = (exp.Between, exp.In)


class OneSided:
    """The two sides of a join, and what is computed of each for its conditions."""

    def __init__(self, left: Node, right: Node, library: Library) -> None:
        self.sides = [left, right]
        self.library = library

    def asked(self, part: Expression) -> Expression:
        """A condition as the join can ask it, or as it is where that cannot be."""
        both = self.sides[0].fields.plus(self.sides[1].fields)
        if form_of_rows(part, both) is not None:
            return part
        values: list[list[Expression]] = [[], []]
        tree = self._rewritten(part.tree.copy(), values)
        sides = [_with(side, new) for side, new in zip(self.sides, values, strict=True)]
        found = replace(part, tree=tree)
        if form_of_rows(found, sides[0].fields.plus(sides[1].fields)) is None:
            return part
        self.sides = sides
        return found

    def _rewritten(self, node: exp.Expr, values: list[list[Expression]]) -> exp.Expr:
        """A tree in which fields stand for what reads one side."""
        side = self._side_of(node)
        if side is not None and not isinstance(node, exp.Column):
            value = typed(node.copy(), self.sides[side].fields, self.library)
            values[side].append(value)
            return reads(value.name, value.type).tree.copy()
        if isinstance(node, (*_ASKED, *_LISTED)):
            for child in [_same_number(node, child, self) for child in list(node.iter_expressions())]:
                changed = self._rewritten(child, values)
                if changed is not child:
                    child.replace(changed)
        return node

    def double(self, node: exp.Expr) -> bool | None:
        """Whether a part of one side is a DOUBLE, or another number; None where it is neither."""
        side = self._side_of(node)
        kind = None if side is None else typed(node.copy(), self.sides[side].fields, self.library).type
        return None if kind is None or not (kind == DOUBLE or kind.is_integral) else kind == DOUBLE

    def _side_of(self, node: exp.Expr) -> int | None:
        """The one side whose fields a part reads; None where it reads both, or none."""
        names = {column.name for column in node.find_all(exp.Column)}
        fitting = [side for side, input_node in enumerate(self.sides) if all(n in input_node.fields for n in names)]
        return fitting[0] if names and len(fitting) == 1 else None


def _same_number(node: exp.Expr, child: exp.Expr, sides: OneSided) -> exp.Expr:
    """A whole number that is compared with a DOUBLE, as a DOUBLE, which is what Spark compares."""
    if not isinstance(node, exp.Binary) or sides.double(child) is not False:
        return child
    other = node.expression if child is node.this else node.this
    if not sides.double(other):
        return child
    wide = exp.Cast(this=child.copy(), to=exp.DataType.build("double"))
    child.replace(wide)
    return wide


def _with(node: Node, values: list[Expression]) -> Node:
    """The rows with further fields that hold these values."""
    new = {value.name: value for value in values if value.name not in node.fields}
    if not new:
        return node
    carried = (Column(each.name, reads(each.name, each.type), each.system) for each in node.fields)
    added = (Column(name, value, system=True) for name, value in new.items())
    return Project(node, (*carried, *added), node.time)
