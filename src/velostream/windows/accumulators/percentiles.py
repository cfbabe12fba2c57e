"""Exact percentiles: MEDIAN, PERCENTILE_CONT (between two values if need be), PERCENTILE_DISC (always one of them)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import DOUBLE, INTERVAL, Type, array
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator
from velostream.windows.accumulators.cells.tally import Tally
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import is_float
from velostream.windows.accumulators.percentages import percentages
from velostream.windows.accumulators.ranks import Ranks

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
        return pl.col(tally.column).map_batches(self._answers, dtype(self.type), is_elementwise=True)

    def _answers(self, tallies: pl.Series) -> pl.Series:
        number = self.cells[0].entry_value.to_physical().cast(pl.Float64)
        if self.call.types[0].name == "DECIMAL":
            number = self.cells[0].entry_value.cast(pl.Float64)
        entry = pl.struct(number.alias("value"), self.cells[0].entry_count.alias("n"))
        lists = tallies.to_frame("tally").select(pl.col("tally").list.eval(entry)).to_series()
        ranks = Ranks(lists, descending=any(sort.descending for sort in self.call.order))
        found = [self._typed(self._found(ranks, p)) for p in percentages(self.call, self.given)]
        if not isinstance(self.given, list | tuple):
            return found[0].alias(tallies.name)
        several = pl.DataFrame([one.alias(str(i)) for i, one in enumerate(found)])
        known = pl.when(lists.list.len() > 0).then(pl.concat_list(several.columns))
        return several.select(known.alias(tallies.name)).to_series()

    def _typed(self, found: pl.Series) -> pl.Series:
        return found.cast(pl.Int64).cast(pl.Duration("us")) if self.call.types[0] == INTERVAL else found

    def _found(self, ranks: Ranks, p: float) -> pl.Series:
        return ranks.between(p)


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

    def _found(self, ranks: Ranks, p: float) -> pl.Series:
        return ranks.share(p)
