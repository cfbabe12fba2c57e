"""SubqueryCheck: a row asks a table: IN, EXISTS, ANY, ALL, or for a single value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node
from velostream.plan.nodes.order import Order
from velostream.types import BOOLEAN, Type
from velostream.validation.coercion import comparable

IN = "IN"
EXISTS = "EXISTS"
SCALAR = "SCALAR"
ANY = "ANY"
ALL = "ALL"
KINDS = (IN, EXISTS, SCALAR, ANY, ALL)
FOLDS = ("COUNT", "SUM", "AVG", "MIN", "MAX")
"""What can be made of the values of the rows that belong to a row."""


@dataclass(frozen=True)
class SubqueryCheck(Node):
    """Adds a field with the answer; NULLs count as in SQL.

    IN, ANY and ALL compare `operand` by `operator` with the first column of the query. `conditions` are those that read
    both the row and the query's rows. SCALAR gives the one value, or `empty` (NULL where that is None) without a row;
    it takes the first `limit` of the rows that belong to a row in that `order`, and with `distinct` each value once.
    With a `fold` it gives what that makes of their values.
    """

    input: Node
    query: Node
    name: str
    kind: str
    type: Type = BOOLEAN
    operand: Expression | None = None
    operator: str = "="
    conditions: tuple[Expression, ...] = ()
    empty: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    distinct: bool = False
    fold: str = ""

    branches: ClassVar[tuple[str, ...]] = ("input", "query")

    def check(self) -> None:
        """The query reads tables only; what is compared can be."""
        if self.kind not in KINDS:
            raise self.refuse(f"'{self.kind}' is not a kind of subquery")
        if not self.query.static:
            raise self.refuse("a subquery reads a stream", "read from a table")
        if (self.operand is None) == (self.kind in (IN, ANY, ALL)):
            raise self.refuse(f"{self.kind} and its operand do not fit together")
        if self.kind != EXISTS and not self.query.fields.visible:
            raise self.refuse("the subquery has no column")
        if self.operand is not None:
            self.require(self.input.fields, self.operand)
            if not comparable(self.operand.type, self.value.type):
                raise self.refuse(f"'{self.operand}' is {self.operand.type}, the subquery gives {self.value.type}")
        if self.fold and self.fold not in FOLDS:
            raise self.refuse(f"'{self.fold}' is nothing that can be made of values")
        if self.kind != SCALAR and (self.order or self.limit is not None or self.distinct or self.fold):
            raise self.refuse(f"{self.kind} asks all rows")
        both = self.input.fields.plus(self.query.fields)
        self.require(both, *(term.expression for term in self.order))
        for condition in self.conditions:
            self.require_condition(both, condition)

    def derive(self) -> Fields:
        """The input's fields, and the answer."""
        return self.input.fields.plus((Field(self.name, self.type, system=True),))

    @property
    def value(self) -> Field:
        """The column of the query that is compared or taken."""
        return self.query.fields.visible[0]

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The operand, and conditions and order, which read both sides."""
        terms = (term.expression for term in self.order)
        return (*(() if self.operand is None else (self.operand,)), *self.conditions, *terms)

    @property
    def needs(self) -> tuple[str, ...]:
        """The query's column."""
        return () if self.kind == EXISTS else (self.value.name,)

    @property
    def revises(self) -> bool:
        """As the input does."""
        return self.input.revises

    @property
    def bounded(self) -> bool:
        """As the input is."""
        return self.input.bounded

    @property
    def windowed(self) -> bool:
        """As the input is."""
        return self.input.windowed
