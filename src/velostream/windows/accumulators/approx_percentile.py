"""APPROX_PERCENTILE: a value with about that share of values at or below it, in little memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type, array
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator
from velostream.windows.accumulators.cells.digest import Digest
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.exact import bounds
from velostream.windows.accumulators.ordering import is_float
from velostream.windows.accumulators.percentages import percentages

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class ApproxPercentile(Accumulator):
    """`APPROX_PERCENTILE(x, p [, accuracy])`: exact up to 1,000 different values, then a rank within 0.5 % of p.

    Near 0 and 1 the rank is much closer. An accuracy above 10,000 gives more of both: a tenth of it in place of 1,000.
    """

    name: ClassVar[str] = "approx_percentile"
    constants: ClassVar[tuple[int, int]] = (1, 2)

    def __post_init__(self) -> None:
        super().__post_init__()
        percentages(self.call, self.given)
        if not isinstance(self.accuracy, int) or isinstance(self.accuracy, bool) or self.accuracy < 1:
            message = f"APPROX_PERCENTILE cannot have an accuracy of {self.accuracy!r}"
            raise InvalidPlan(message, hint="the third argument is a whole number from 1", code="wrong-arguments")

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers, dates, times and intervals."""
        return tuple(map(casting.measure, given))

    @property
    def given(self) -> object:
        """What the call asks for: a percentage or several."""
        return self.call.parameters[0]

    @property
    def accuracy(self) -> int:
        """What the call asks for, 10,000 unless said."""
        given: int = self.call.parameters[1] if len(self.call.parameters) > 1 else 10_000
        return given

    @property
    def type(self) -> Type:
        """That of the argument; an array for several percentages."""
        return array(self.call.types[0]) if isinstance(self.given, list | tuple) else self.call.types[0]

    @property
    def cells(self) -> tuple[Digest, ...]:
        """Values, or a digest."""
        size = min(max(self.accuracy // 10, 1_000), 10_000)
        return (Digest(self.call.arguments[0], self.call.types[0], size, self.call.where),)

    def finish(self) -> pl.Expr:
        """The percentile, or several in an array."""
        found = self.cells[0].at(percentages(self.call, self.given))
        if isinstance(self.given, list | tuple):
            return found.list.eval(_typed(pl.element(), self.call.types[0]))
        return _typed(found.list.first(), self.call.types[0])


def _typed(value: pl.Expr, kind: Type) -> pl.Expr:
    if is_float(kind) or kind.name == "DECIMAL":
        return value.cast(dtype(kind))
    # A BIGINT near the ends of its range is not a float: as in Spark, the nearest that is one is cut to the range.
    least, most = bounds(kind)
    inside = pl.when(value.is_between(float(least), float(most), closed="left")).then(value.round())
    whole = pl.when(value >= float(most)).then(pl.lit(most, dtype=pl.Int64)).otherwise(inside.cast(pl.Int64))
    return whole.cast(dtype(kind))
