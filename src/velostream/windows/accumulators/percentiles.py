"""Exact percentiles: MEDIAN, PERCENTILE_CONT (between two values if need be), PERCENTILE_DISC (always one of them)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import DOUBLE, INTERVAL, Type, array
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator
from velostream.windows.accumulators.cells.tally import Tally
from velostream.windows.accumulators.ordering import is_float
from velostream.windows.accumulators.percentages import percentages

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class PercentileCont(Accumulator):
    """`PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x [DESC])`, `PERCENTILE(x, p)`; p may be an array of percentages."""

    name: ClassVar[str] = "percentile_cont"
    constants: ClassVar[tuple[int, int]] = (1, 1)
    sorts: ClassVar[bool] = True
    sorts_itself: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        percentages(self.call, self.given)

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers, or intervals."""
        return tuple(map(casting.number, given))

    @property
    def given(self) -> object:
        """What the call asks for: a percentage or several."""
        return self.call.parameters[0]

    @property
    def type(self) -> Type:
        """DOUBLE whatever the argument, but intervals stay intervals; an array for several percentages."""
        one = INTERVAL if self.call.types[0] == INTERVAL else DOUBLE
        return array(one) if isinstance(self.given, list | tuple) else one

    @property
    def cells(self) -> tuple[Tally, ...]:
        """The values, −0.0 before 0.0 as Spark sorts them."""
        return (Tally(self.call.arguments, self.call.types, self.call.where, is_float(self.call.types[0])),)

    def finish(self) -> pl.Expr:
        """The percentile, or several in an array; NULL when there was no value."""
        (tally,) = self.cells
        descending = any(sort.descending for sort in self.call.order)
        value = (
            tally.entry_value.to_physical().cast(pl.Float64) if self._interval else tally.entry_value.cast(pl.Float64)
        )
        count = tally.entry_count
        if descending:
            value, count = value.reverse(), count.reverse()
        found = [tally.over(self._at(p, value, count.cum_sum())) for p in percentages(self.call, self.given)]
        found = [one.cast(pl.Int64).cast(pl.Duration("us")) for one in found] if self._interval else found
        if not isinstance(self.given, list | tuple):
            return found[0]
        return pl.when(tally.size > 0).then(pl.concat_list(found))

    @property
    def _interval(self) -> bool:
        return self.call.types[0] == INTERVAL

    def _at(self, p: float, value: pl.Expr, reached: pl.Expr) -> pl.Expr:
        # The arithmetic is Spark's, term by term, so that results are equal to the last bit.
        position = (reached.last() - 1) * p
        below, above = position.floor(), position.ceil()
        low, high = _ranked(value, reached, below + 1), _ranked(value, reached, above + 1)
        between = (above - position) * low + (position - below) * high
        return pl.when((below == above) | (low == high)).then(low).otherwise(between)


class Median(PercentileCont):
    """`MEDIAN(x)`: the middle value, or the middle between the two."""

    name: ClassVar[str] = "median"
    constants: ClassVar[tuple[int, int]] = (0, 0)
    sorts: ClassVar[bool] = False

    @property
    def given(self) -> object:
        """A half."""
        return 0.5


class PercentileDisc(PercentileCont):
    """`PERCENTILE_DISC(p) WITHIN GROUP (ORDER BY x [DESC])`: the first value that reaches that share."""

    name: ClassVar[str] = "percentile_disc"

    def _at(self, p: float, value: pl.Expr, reached: pl.Expr) -> pl.Expr:
        return _ranked(value, reached, (reached.last() * p).ceil().clip(1))


def _ranked(value: pl.Expr, reached: pl.Expr, rank: pl.Expr) -> pl.Expr:
    return value.filter(reached >= rank).first()
