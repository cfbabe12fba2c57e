"""The exact sum of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import ScalarCell
from velostream.windows.accumulators.cells.naming import chosen, label
from velostream.windows.accumulators.exact import Exact

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Total(ScalarCell):
    """The sum of `argument` in the parts that its arithmetic takes; 0 where there was nothing to add.

    Rows that have nothing in the column `beside` it do not count.
    """

    argument: str
    type: Type
    where: str = ""
    beside: str = ""

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One column, two for long decimals."""
        name = label("sum", self.argument, *filter(None, [self.beside]), where=self.where)
        return {name + suffix: kind for suffix, kind in Exact(self.type).parts.items()}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arguments, and the conditions."""
        return (self.argument, *filter(None, (self.beside, self.where)))

    @property
    def parts(self) -> list[pl.Expr]:
        """The parts of the sum; 0 for a state that never saw a row."""
        return [pl.col(name).fill_null(0) for name in self.columns]

    def fold(self) -> Sequence[pl.Expr]:
        """Add values."""
        value = chosen(self.argument, self.where)
        added = Exact(self.type).added(pl.when(pl.col(self.beside).is_not_null()).then(value) if self.beside else value)
        return [part.alias(name) for name, part in zip(self.columns, added, strict=True)]

    def merge(self) -> Sequence[pl.Expr]:
        """Add sums."""
        return [pl.col(name).sum() for name in self.columns]

    def prefix(self) -> Sequence[pl.Expr]:
        """Add up sums."""
        return [part.cum_sum().alias(name) for name, part in zip(self.columns, self.parts, strict=True)]
