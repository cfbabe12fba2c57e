"""DISTINCT before any aggregate: its different arguments are kept, and aggregated when a result is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import grouping
from velostream.windows.accumulators.base import Accumulator, Call
from velostream.windows.accumulators.cells.tally import Tally
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import unkey

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_ROW = "__row__"


@dataclass(frozen=True)
class OverDistinct:
    """The accumulator of a call with DISTINCT: `plain` over the different values. A NULL argument leaves a row out."""

    call: Call
    plain: Accumulator

    @property
    def type(self) -> Type:
        """That of the same call without DISTINCT."""
        return self.plain.type

    @property
    def cells(self) -> tuple[Tally, ...]:
        """The values."""
        return (Tally(self.call.arguments, self.call.types, self.call.where),)

    def finish(self) -> pl.Expr:
        """The result over the values."""
        return self._applied(self.plain.finish(), dtype(self.type))

    def error(self) -> pl.Expr | None:
        """What went wrong with the values."""
        failed = self.plain.error()
        return None if failed is None else self._applied(failed, pl.String())

    def _applied(self, answer: pl.Expr, kind: pl.DataType) -> pl.Expr:
        def apply(tallies: pl.Series) -> pl.Series:
            held = tallies.to_frame("tally").with_row_index(_ROW)
            arguments = zip(self.call.arguments, self.call.types, strict=True)
            values = [unkey(pl.col(str(i)), of).alias(name) for i, (name, of) in enumerate(arguments)]
            rows = held.explode("tally", keep_nulls=False).unnest("tally").select(_ROW, *values)
            folded = grouping.fold(self.plain.cells, rows, [_ROW])
            return held.join(folded, on=_ROW, how="left", maintain_order="left").select(answer.cast(kind)).to_series()

        return pl.col(self.cells[0].column).map_batches(apply, kind, is_elementwise=True)


def over_distinct(plain: type[Accumulator], call: Call) -> OverDistinct:
    """The accumulator of a call with DISTINCT."""
    return OverDistinct(call, plain(replace(call, distinct=False, where="")))
