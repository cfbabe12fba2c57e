"""SUM and AVG: exact for integers and decimals, an error of the group when the result does not fit its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Cell, told
from velostream.windows.accumulators.cells.count import Count
from velostream.windows.accumulators.cells.total import Total
from velostream.windows.accumulators.exact import Exact

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class Sum(Accumulator):
    """`SUM(x)`: BIGINT, DECIMAL with ten more digits, DOUBLE or INTERVAL; NULL when there was no value."""

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
    def total(self) -> Total:
        """The sum that is kept."""
        return Total(self.call.arguments[0], self.call.types[0], self.call.where)

    @property
    def count(self) -> Count:
        """The count that is kept."""
        return Count(self.call.arguments, (self.call.where,) if self.call.where else ())

    @property
    def cells(self) -> tuple[Cell, ...]:
        """A sum and a count."""
        return (self.total, self.count)

    def finish(self) -> pl.Expr:
        """The sum."""
        return pl.when(self.count.value > 0).then(self.exact.as_sum(self.total.parts))

    def error(self) -> pl.Expr | None:
        """The sum does not fit."""
        return told(self.exact.overflows(self.total.parts), f"overflows {self.type}")


class Avg(Sum):
    """`AVG(x)`: DOUBLE, but decimals stay decimals with four more places, rounded half up."""

    name: ClassVar[str] = "avg"

    @property
    def type(self) -> Type:
        """As Spark has it."""
        return self.exact.mean_type

    def finish(self) -> pl.Expr:
        """The mean."""
        return self.exact.as_mean(self.total.parts, self.count.value)

    def error(self) -> pl.Expr | None:
        """A decimal sum or mean does not fit."""
        return told(self.exact.mean_overflows(self.total.parts, self.count.value), f"overflows {self.type}")


class TrySum(Sum):
    """`TRY_SUM(x)`: as SUM, but NULL where the sum does not fit."""

    name: ClassVar[str] = "try_sum"

    def error(self) -> pl.Expr | None:
        """Never."""
        return None


class TryAvg(Avg):
    """`TRY_AVG(x)`: as AVG, but NULL where a decimal sum or mean does not fit."""

    name: ClassVar[str] = "try_avg"

    def error(self) -> pl.Expr | None:
        """Never."""
        return None
