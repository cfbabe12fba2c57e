"""DELTA: how much a value has changed from the first record to the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.types import Type, decimal
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct, told
from velostream.windows.accumulators.cells.pick import Pick
from velostream.windows.accumulators.exact import Exact, fits, valued

if TYPE_CHECKING:
    import polars as pl


class Delta(Accumulator):
    """`DELTA(x)`: the last value minus the first, by event time, NULLs left out; the type is that of `x - x`."""

    name: ClassVar[str] = "delta"
    distinct: ClassVar[Distinct] = Distinct.SAME

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Numbers."""
        return tuple(map(casting.number, given))

    @property
    def type(self) -> Type:
        """Decimals take one more digit."""
        kind = self.call.types[0]
        if kind.name != "DECIMAL":
            return kind
        return decimal(min(38, (kind.precision or 0) + 1), kind.scale or 0)

    @property
    def cells(self) -> tuple[Pick, ...]:
        """The first value and the last."""
        call = self.call
        return tuple(Pick(call.arguments[0], call.types[0], call.where, last, True) for last in (False, True))

    @property
    def exact(self) -> Exact:
        """The arithmetic of the argument's type."""
        return Exact(self.call.types[0])

    @property
    def _difference(self) -> pl.Expr:
        first, last = (self.exact.apart(cell.value) for cell in self.cells)
        return self.exact.total([late - early for early, late in zip(first, last, strict=True)])

    def finish(self) -> pl.Expr:
        """The difference."""
        return self._difference if self.exact.floats else valued(self._difference, self.type)

    def error(self) -> pl.Expr | None:
        """The difference does not fit."""
        if self.exact.floats:
            return None
        failed = self.cells[0].value.is_not_null() & ~fits(self._difference, self.type).fill_null(False)
        return told(failed, f"overflows {self.type}")
