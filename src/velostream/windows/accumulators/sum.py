"""SUM and AVG: exact for integers and decimals, an error of the group when the result does not fit its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Cell
from velostream.windows.accumulators.cells.count import Count
from velostream.windows.accumulators.cells.tally import Tally
from velostream.windows.accumulators.cells.total import Total
from velostream.windows.accumulators.exact import Exact

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class Sum(Accumulator):
    """`SUM([DISTINCT] x)`: BIGINT, DECIMAL with ten more digits, DOUBLE or INTERVAL; NULL when there was no value."""

    name: ClassVar[str] = "sum"

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers."""
        return tuple(map(casting.number, given))

    @property
    def exact(self) -> Exact:
        """The arithmetic of the argument's type."""
        return Exact(self.call.types[0])

    @property
    def type(self) -> Type:
        """As Spark widens a sum."""
        return self.exact.sum_type

    @property
    def _tally(self) -> Tally:
        return Tally(self.call.arguments, self.call.types, self.call.where)

    @property
    def _total(self) -> Total:
        return Total(self.call.arguments[0], self.call.types[0], self.call.where)

    @property
    def _counted(self) -> Count:
        return Count(self.call.arguments, (self.call.where,) if self.call.where else ())

    @property
    def cells(self) -> tuple[Cell, ...]:
        """A sum and a count, or the values."""
        return (self._tally,) if self.call.distinct else (self._total, self._counted)

    @property
    def parts(self) -> list[pl.Expr]:
        """The parts of the sum."""
        if self.call.distinct:
            return [self._tally.over(part).fill_null(0) for part in self.exact.added(self._tally.entry_value)]
        return self._total.parts

    @property
    def count(self) -> pl.Expr:
        """How many values were added."""
        return self._tally.size if self.call.distinct else self._counted.value

    def finish(self) -> pl.Expr:
        """The sum."""
        return pl.when(self.count > 0).then(self.exact.as_sum(self.parts))

    def error(self) -> pl.Expr | None:
        """Where the sum does not fit."""
        return self.exact.overflows(self.parts)


class Avg(Sum):
    """`AVG([DISTINCT] x)`: DOUBLE, but decimals stay decimals with four more places, rounded half up."""

    name: ClassVar[str] = "avg"

    @property
    def type(self) -> Type:
        """As Spark has it."""
        return self.exact.mean_type

    def finish(self) -> pl.Expr:
        """The mean."""
        return self.exact.as_mean(self.parts, self.count)

    def error(self) -> pl.Expr | None:
        """Where a decimal sum or mean does not fit."""
        return self.exact.mean_overflows(self.parts, self.count)
