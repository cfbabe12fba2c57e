"""Unnest: one row for each element of an array or map."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node
from velostream.types import INT

ORDINAL = "_ordinal"
"""Which element of its record a row comes from, counted from 0: part of what a row is known by."""


@dataclass(frozen=True)
class Unnest(Node):
    """`CROSS JOIN UNNEST(…)`, `LATERAL VIEW explode(…)`. An `outer` one keeps a row whose array is empty or NULL."""

    input: Node
    alias: str
    function: str
    arguments: tuple[Expression, ...]
    columns: tuple[Field, ...]
    outer: bool = False

    def check(self) -> None:
        """The arguments read fields of the input."""
        self.require(self.input.fields, *self.arguments)

    def derive(self) -> Fields:
        """The input's fields, the element's, and its place in the array."""
        return self.input.fields.plus((*self.columns, Field(self.ordinal, INT, system=True)))

    @property
    def ordinal(self) -> str:
        """The field that holds the place in the array."""
        return f"{self.alias}.{ORDINAL}"

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The arguments."""
        return self.arguments

    @property
    def identity(self) -> tuple[str, ...]:
        """The record's, and the place in the array."""
        return (*self.input.identity, self.ordinal) if self.input.identity else ()
