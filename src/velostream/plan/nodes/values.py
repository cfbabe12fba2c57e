"""Values: rows that stand in the SQL text; one row without fields is a SELECT without FROM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from velostream.plan.expression import Expression
from velostream.plan.fields import Field, Fields
from velostream.plan.nodes.base import Node


@dataclass(frozen=True)
class Values(Node):
    """`VALUES (…), (…)`."""

    columns: tuple[Field, ...]
    rows: tuple[tuple[Expression, ...], ...]

    branches: ClassVar[tuple[str, ...]] = ()

    def check(self) -> None:
        """Every row has a value for every column, and reads nothing."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise self.refuse(f"a row has {len(row)} values for {len(self.columns)} columns")
            self.require(Fields(), *row)

    def derive(self) -> Fields:
        """The columns as they are."""
        return Fields(self.columns)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All values."""
        return tuple(value for row in self.rows for value in row)

    @property
    def bounded(self) -> bool:
        """Text ends."""
        return True

    @property
    def static(self) -> bool:
        """Always."""
        return True
