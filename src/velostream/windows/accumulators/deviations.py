"""How values spread around their mean: variances, standard deviations, SKEWNESS and KURTOSIS."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import DOUBLE, Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator
from velostream.windows.accumulators.cells.moments import Moments

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class VarPop(Accumulator):
    """`VAR_POP(x)`: the mean of squared deviations; NULL when there was no value."""

    name: ClassVar[str] = "var_pop"
    order: ClassVar[int] = 2

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers, taken as DOUBLE."""
        return tuple(map(casting.double, given))

    @property
    def type(self) -> Type:
        """Always DOUBLE."""
        return DOUBLE

    @property
    def moments(self) -> Moments:
        """What is kept."""
        return Moments(self.call.arguments[0], self.order, self.call.where)

    @property
    def cells(self) -> tuple[Moments, ...]:
        """Count, mean, and sums of powers."""
        return (self.moments,)

    def finish(self) -> pl.Expr:
        """The variance."""
        return self.moments.power(2) / self.moments.count


class VarSamp(VarPop):
    """`VAR_SAMP(x)`: the variance that a sample says of its population; NULL for a single value."""

    name: ClassVar[str] = "var_samp"

    def finish(self) -> pl.Expr:
        """The variance."""
        return pl.when(self.moments.count > 1).then(self.moments.power(2) / (self.moments.count - 1))


class StddevPop(VarPop):
    """`STDDEV_POP(x)`: the square root of VAR_POP."""

    name: ClassVar[str] = "stddev_pop"

    def finish(self) -> pl.Expr:
        """The deviation."""
        return super().finish().sqrt()


class StddevSamp(VarSamp):
    """`STDDEV_SAMP(x)`: the square root of VAR_SAMP."""

    name: ClassVar[str] = "stddev_samp"

    def finish(self) -> pl.Expr:
        """The deviation."""
        return super().finish().sqrt()


class Skewness(VarPop):
    """`SKEWNESS(x)`: how far values lean to one side; NULL when all are equal."""

    name: ClassVar[str] = "skewness"
    order: ClassVar[int] = 3

    def finish(self) -> pl.Expr:
        """The third moment, standardised."""
        n, m2, m3 = self.moments.count, self.moments.power(2), self.moments.power(3)
        return pl.when(m2 != 0).then(n.sqrt() * m3 / (m2 * m2 * m2).sqrt())


class Kurtosis(VarPop):
    """`KURTOSIS(x)`: how heavy the tails are, 0 for a normal distribution; NULL when all values are equal."""

    name: ClassVar[str] = "kurtosis"
    order: ClassVar[int] = 4

    def finish(self) -> pl.Expr:
        """The fourth moment, standardised."""
        n, m2, m4 = self.moments.count, self.moments.power(2), self.moments.power(4)
        return pl.when(m2 != 0).then(n * m4 / (m2 * m2) - 3.0)
