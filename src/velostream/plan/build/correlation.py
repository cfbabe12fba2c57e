"""Correlation: the conditions of a subquery that read the row around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from velostream.errors import VeloError
from velostream.plan.build.context import Building
from velostream.plan.build.trees import is_aggregate, replaced, unwrapped
from velostream.plan.build.typing import typed
from velostream.plan.expression import Expression, column, text_of
from velostream.plan.fields import Fields
from velostream.plan.nodes import Order
from velostream.plan.nodes.subquery_check import EXISTS, SCALAR
from velostream.types import BOOLEAN
from velostream.validation.bound import BoundExpression, BoundSelect

_COLLECTING = ("COLLECT_LIST", "COLLECT_SET", "ARRAY_AGG")


@dataclass(slots=True)
class Correlation:
    """Collects conditions that read fields of both the subquery's rows and the row around it, which has `outer`.

    `carried` are the fields that the subquery's rows must keep for them. `empty` is what an aggregation gives where no
    row of the table belongs to the row around it. `order`, `limit` and `distinct` hold over the rows that do.
    """

    outer: Fields
    kind: str = ""
    conditions: list[Expression] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    empty: Expression | None = None
    order: list[Order] = field(default_factory=list)
    limit: int | None = None
    distinct: bool = False

    def split(self, parts: list[Expression], inner: Fields) -> tuple[list[Expression], list[Expression]]:
        """The conditions that read only the subquery's own rows, and the others."""
        own = [part for part in parts if all(name in inner for name in part.fields)]
        return own, [part for part in parts if part not in own]

    def require(self, part: Expression, inner: Fields, select: BoundSelect) -> None:
        """Refuses a condition that asks a table as well, or reads what neither its own rows nor the row around have."""
        if part.tree.find(exp.Query) is not None:
            raise self.refusal(f"'{part}' does so, and asks a table as well", select)
        strange = next((name for name in part.fields if name not in inner and name not in self.outer), "")
        if strange:
            raise self.refusal(f"'{part}' asks for '{strange}', which is further out than one query", select)

    def require_own(self, parts: Iterable[BoundExpression], inner: Fields, select: BoundSelect) -> None:
        """Refuses what reads the row around elsewhere than in WHERE, and in an ORDER BY that a LIMIT follows."""
        for part in parts:
            strange = next((name for name in part.fields if name not in inner and name in self.outer), "")
            if strange:
                told = text_of(part.tree)
                raise self.refusal(f"'{told}' asks for '{strange}', and only its WHERE may", select)

    def take_limit(self, select: BoundSelect) -> BoundSelect:
        """The query without LIMIT and DISTINCT, which are for the rows that belong to the row around; for EXISTS they
        change nothing, nor does DISTINCT where values are compared."""
        limit = select.limit
        several = limit is not None and (self.kind not in (EXISTS, SCALAR) or limit == 0)
        if several or (limit is not None and select.distinct and self.kind != EXISTS):
            raise self.refusal("LIMIT would hold over all rows", select)
        if self.kind == SCALAR:
            self.limit, self.distinct = limit, select.distinct
        return replace(select, limit=None, distinct=False)

    def take_order(self, order: list[Order], inner: Fields) -> None:
        """The order in which a LIMIT takes rows: the fields that it reads are kept."""
        self.order = order
        names = [name for term in order for name in term.expression.fields if name in inner]
        self.carried += [name for name in dict.fromkeys(names) if name not in self.carried]

    def take_rows(self, parts: list[Expression], inner: Fields) -> None:
        """Conditions on rows that are not grouped: the fields they read are kept."""
        self.conditions += parts
        names = [name for part in parts for name in part.fields if name in inner]
        self.carried += [name for name in dict.fromkeys(names) if name not in self.carried]

    def take_groups(
        self, parts: list[Expression], select: BoundSelect, inner: Fields, building: Building
    ) -> list[Expression]:
        """Conditions on rows that are grouped: the keys that give a group to each row around."""
        keys = []
        for part in parts:
            sides = (part.tree.this, part.tree.expression) if isinstance(part.tree, exp.EQ) else ()
            mine = [side for side in sides if _reads_only(side, inner)]
            if len(mine) != 1:
                raise self.refusal(f"'{part}' is not an equality with the row outside", select)
            key = typed(mine[0], inner, building.library, part.span)
            other = next(side for side in sides if side is not mine[0])
            keys.append(key)
            self.carried.append(key.name)
            self.conditions.append(Expression(exp.EQ(this=column(key.name), expression=other.copy()), BOOLEAN))
        if keys and not select.grouping:
            self.empty = _without_rows(select, building)
        return keys

    def refusal(self, message: str, select: BoundSelect) -> VeloError:
        """Why a subquery cannot be asked for every row."""
        hint = "join the table instead, or compare its columns with = in the subquery's WHERE"
        return VeloError(f"a subquery reads the row around it: {message}", hint=hint, span=select.span, code="subquery")


def _reads_only(tree: exp.Expr, inner: Fields) -> bool:
    names = [each.name for each in tree.find_all(exp.Column) if not each.table]
    return bool(names) and all(name in inner for name in names)


def _without_rows(select: BoundSelect, building: Building) -> Expression:
    """What an aggregation over no rows gives: zero where it counts, nothing where it collects, else NULL."""
    item = select.items[0].expression

    def value(node: exp.Expr) -> exp.Expr | None:
        if not is_aggregate(node, building.library):
            return None
        name = str(unwrapped(node).this).upper()
        if name in _COLLECTING:
            return exp.Anonymous(this="ARRAY", expressions=[])
        return exp.Literal.number(0) if "COUNT" in name else exp.Null()

    return Expression(replaced(item.tree, value), item.type, item.span)
