"""The line through pairs (y, x) by least squares: REGR_SLOPE, REGR_INTERCEPT, REGR_R2 and what they stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import BIGINT, Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Cell
from velostream.windows.accumulators.cells.comoments import Comoments
from velostream.windows.accumulators.cells.count import Count
from velostream.windows.accumulators.cells.total import Total
from velostream.windows.accumulators.covariance import CovarPop
from velostream.windows.accumulators.exact import Exact
from velostream.windows.accumulators.sum import Avg

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class RegrSxy(CovarPop):
    """`REGR_SXY(y, x)`: the sum of products of deviations, over rows that have both."""

    name: ClassVar[str] = "regr_sxy"
    part: ClassVar[str] = "xy"

    @property
    def pairs(self) -> Comoments:
        """What is kept: y comes first in the call."""
        return Comoments(self.call.arguments[1], self.call.arguments[0], self.call.where)

    def finish(self) -> pl.Expr:
        """The sum."""
        return self.pairs.part(self.part)


class RegrSxx(RegrSxy):
    """`REGR_SXX(y, x)`: the sum of squared deviations of x."""

    name: ClassVar[str] = "regr_sxx"
    part: ClassVar[str] = "xx"


class RegrSyy(RegrSxy):
    """`REGR_SYY(y, x)`: the sum of squared deviations of y."""

    name: ClassVar[str] = "regr_syy"
    part: ClassVar[str] = "yy"


class RegrCount(RegrSxy):
    """`REGR_COUNT(y, x)`: how many rows have both."""

    name: ClassVar[str] = "regr_count"

    @property
    def type(self) -> Type:
        """A whole number."""
        return BIGINT

    @property
    def _count(self) -> Count:
        return Count(self.call.arguments, (self.call.where,) if self.call.where else ())

    @property
    def cells(self) -> tuple[Cell, ...]:
        """A count."""
        return (self._count,)

    def finish(self) -> pl.Expr:
        """The count."""
        return self._count.value


class RegrAvgx(Avg):
    """`REGR_AVGX(y, x)`: the mean of x over rows that have both; decimals stay decimals."""

    name: ClassVar[str] = "regr_avgx"
    arity: ClassVar[int] = 2
    averaged: ClassVar[int] = 1

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers."""
        return tuple(map(casting.double, given))

    @property
    def exact(self) -> Exact:
        """The arithmetic of what is averaged."""
        return Exact(self.call.types[self.averaged])

    @property
    def total(self) -> Total:
        """The sum that is kept."""
        call, at = self.call, self.averaged
        return Total(call.arguments[at], call.types[at], call.where, beside=call.arguments[1 - at])


class RegrAvgy(RegrAvgx):
    """`REGR_AVGY(y, x)`: the mean of y over rows that have both; decimals stay decimals."""

    name: ClassVar[str] = "regr_avgy"
    averaged: ClassVar[int] = 0


class RegrSlope(RegrSxy):
    """`REGR_SLOPE(y, x)`: how much y grows with x; NULL when all x are equal."""

    name: ClassVar[str] = "regr_slope"

    def finish(self) -> pl.Expr:
        """The slope."""
        xx = self.pairs.part("xx")
        return pl.when(xx != 0).then(self.pairs.part("xy") / xx)


class RegrIntercept(RegrSlope):
    """`REGR_INTERCEPT(y, x)`: y where x is 0; NULL when all x are equal."""

    name: ClassVar[str] = "regr_intercept"

    def finish(self) -> pl.Expr:
        """The intercept."""
        return self.pairs.part("y") - super().finish() * self.pairs.part("x")


class RegrR2(RegrSxy):
    """`REGR_R2(y, x)`: the share of y's variance that the line explains; NULL if all x are equal, 1 if all y are."""

    name: ClassVar[str] = "regr_r2"

    def finish(self) -> pl.Expr:
        """The square of the correlation."""
        xx, yy, xy = (self.pairs.part(name) for name in ("xx", "yy", "xy"))
        return pl.when(xx == 0).then(None).when(yy == 0).then(1.0).otherwise(xy * xy / xx / yy)
