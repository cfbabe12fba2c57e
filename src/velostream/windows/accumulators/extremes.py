"""MIN and MAX: the smallest and the largest value; BOOL_AND and BOOL_OR, which are the same of conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.extreme import Extreme

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class Min(Accumulator):
    """`MIN(x)`: NaN is larger than every number, strings compare by their UTF-8 bytes."""

    name: ClassVar[str] = "min"
    largest: ClassVar[bool] = False
    distinct: ClassVar[Distinct] = Distinct.SAME

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whatever can be compared."""
        return tuple(map(casting.ordered, given))

    @property
    def type(self) -> Type:
        """That of the argument."""
        return self.call.types[0]

    @property
    def _extreme(self) -> Extreme:
        return Extreme(self.call.arguments[0], self.call.types[0], self.call.where, self.largest)

    @property
    def cells(self) -> tuple[Extreme, ...]:
        """The value."""
        return (self._extreme,)

    def finish(self) -> pl.Expr:
        """The value."""
        return pl.col(self._extreme.column)


class Max(Min):
    """`MAX(x)`: the largest value, NaN if there is one."""

    name: ClassVar[str] = "max"
    largest: ClassVar[bool] = True


class BoolAnd(Min):
    """`BOOL_AND(x)`, `EVERY(x)`: whether no condition was false; NULLs do not count."""

    name: ClassVar[str] = "bool_and"

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """A condition."""
        return tuple(map(casting.boolean, given))


class BoolOr(BoolAnd):
    """`BOOL_OR(x)`, `SOME(x)`: whether any condition was true; NULLs do not count."""

    name: ClassVar[str] = "bool_or"
    largest: ClassVar[bool] = True
