"""MODE: the value that came most often."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator
from velostream.windows.accumulators.cells.tally import Tally

if TYPE_CHECKING:
    import polars as pl


class Mode(Accumulator):
    """`MODE(x)`: the most frequent value, the smallest of several (the largest with WITHIN GROUP (ORDER BY x DESC))."""

    name: ClassVar[str] = "mode"
    sorts: ClassVar[bool] = True
    sorts_itself: ClassVar[bool] = True

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whatever can be compared."""
        return tuple(map(casting.ordered, given))

    @property
    def type(self) -> Type:
        """That of the argument."""
        return self.call.types[0]

    @property
    def cells(self) -> tuple[Tally, ...]:
        """The values."""
        return (Tally(self.call.arguments, self.call.types, self.call.where),)

    def finish(self) -> pl.Expr:
        """The first entry of those with the highest count; entries are sorted by value."""
        (tally,) = self.cells
        tied = (tally.entry_count == tally.entry_count.max()).arg_true()
        descending = any(sort.descending for sort in self.call.order)
        return tally.value_at(tally.over(tied.last() if descending else tied.first()))
