"""How many rows: all, or those where no argument is NULL and every condition is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.base import ScalarCell
from velostream.windows.accumulators.cells.naming import label

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Count(ScalarCell):
    """The number of rows that have all `arguments`, and all of whose `conditions` (boolean columns) are true."""

    arguments: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """The state column."""
        return label("count", *self.arguments, where=" and ".join(self.conditions))

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One whole number."""
        return {self.column: pl.Int64()}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arguments, and the conditions."""
        return (*self.arguments, *self.conditions)

    @property
    def value(self) -> pl.Expr:
        """The count; a state that never saw a row counts 0."""
        return pl.col(self.column).fill_null(0)

    def fold(self) -> Sequence[pl.Expr]:
        """Count rows."""
        tests = [pl.col(name).is_not_null() for name in self.arguments] + [pl.col(name) for name in self.conditions]
        if not tests:
            counted = pl.len()
        elif len(tests) == 1:
            counted = tests[0].sum() if self.conditions else pl.col(self.arguments[0]).count()
        else:
            counted = pl.all_horizontal(tests).sum()
        return [counted.cast(pl.Int64).alias(self.column)]

    def merge(self) -> Sequence[pl.Expr]:
        """Add counts."""
        return [pl.col(self.column).sum()]

    def prefix(self) -> Sequence[pl.Expr]:
        """Add up counts."""
        return [self.value.cum_sum().alias(self.column)]
