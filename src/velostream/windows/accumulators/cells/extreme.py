"""The smallest or the largest value of a column, in Spark's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import ScalarCell
from velostream.windows.accumulators.cells.naming import chosen, label
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import is_float, plain_zero

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Extreme(ScalarCell):
    """The smallest value, or the `largest`; NULL where there was none. Of −0.0 and 0.0, which are equal, always 0.0."""

    argument: str
    type: Type
    where: str = ""
    largest: bool = False

    @property
    def column(self) -> str:
        """The state column."""
        return label("max" if self.largest else "min", self.argument, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One value."""
        return {self.column: dtype(self.type)}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    def fold(self) -> Sequence[pl.Expr]:
        """The extreme of values."""
        return [self._extreme(plain_zero(chosen(self.argument, self.where), self.type)).alias(self.column)]

    def merge(self) -> Sequence[pl.Expr]:
        """The extreme of extremes."""
        return [self._extreme(pl.col(self.column))]

    def prefix(self) -> Sequence[pl.Expr] | None:
        """The extreme so far; of whole numbers and times, whose order Polars shares."""
        if not dtype(self.type).is_integer() and not dtype(self.type).is_temporal():
            return None
        held = pl.col(self.column)
        return [(held.cum_max() if self.largest else held.cum_min()).forward_fill().alias(self.column)]

    def _extreme(self, value: pl.Expr) -> pl.Expr:
        if is_float(self.type):
            # Polars' min leaves NaN out unless there is nothing else, which is right; its max does too, which is not.
            return value.nan_max() if self.largest else value.min()
        if self.type.name in ("ARRAY", "STRUCT"):
            # Polars answers NULL for the extremes of nested values, but sorts them.
            ordered = value.drop_nulls().sort()
            return ordered.last() if self.largest else ordered.first()
        return value.max() if self.largest else value.min()
