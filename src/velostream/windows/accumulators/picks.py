"""One value of a group: FIRST, LAST, ANY_VALUE, EARLIEST, LATEST by position, MIN_BY and MAX_BY by another column."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.pick import Pick

if TYPE_CHECKING:
    import polars as pl


class First(Accumulator):
    """`FIRST(x) [IGNORE NULLS]`: the value of the first record by (event time, source, partition, offset)."""

    name: ClassVar[str] = "first"
    last: ClassVar[bool] = False
    distinct: ClassVar[Distinct] = Distinct.SAME
    skips: ClassVar[bool] = True

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Anything."""
        return tuple(map(casting.anything, given))

    @property
    def type(self) -> Type:
        """That of the value."""
        return self.call.types[0]

    @property
    def pick(self) -> Pick:
        """What is kept."""
        call = self.call
        return Pick(call.arguments[0], call.types[0], call.where, self.last, self.skips_nulls)

    @property
    def skips_nulls(self) -> bool:
        """Whether records without a value are passed over."""
        return self.call.ignore_nulls

    @property
    def cells(self) -> tuple[Pick, ...]:
        """The value, and where it was."""
        return (self.pick,)

    def finish(self) -> pl.Expr:
        """The value."""
        return self.pick.value


class Last(First):
    """`LAST(x) [IGNORE NULLS]`: the value of the last record by (event time, source, partition, offset)."""

    name: ClassVar[str] = "last"
    last: ClassVar[bool] = True


class AnyValue(First):
    """`ANY_VALUE(x) [IGNORE NULLS]`: some value, always the first, so that it does not depend on how input is cut."""

    name: ClassVar[str] = "any_value"


class Earliest(First):
    """`EARLIEST(x)`: the first value that is not NULL."""

    name: ClassVar[str] = "earliest"

    @property
    def skips_nulls(self) -> bool:
        """Always."""
        return True


class Latest(Earliest):
    """`LATEST(x)`: the last value that is not NULL."""

    name: ClassVar[str] = "latest"
    last: ClassVar[bool] = True


class MinBy(First):
    """`MIN_BY(x, y)`: the x of the smallest y, the first record of several; records without y do not count."""

    name: ClassVar[str] = "min_by"
    arity: ClassVar[int] = 2
    skips: ClassVar[bool] = False

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Anything by what can be compared."""
        return (casting.anything(given[0]), *map(casting.ordered, given[1:]))

    @property
    def pick(self) -> Pick:
        """What is kept."""
        (value, by), (kind, by_kind) = self.call.arguments, self.call.types
        return Pick(value, kind, self.call.where, self.last, by=by, by_type=by_kind)


class MaxBy(MinBy):
    """`MAX_BY(x, y)`: the x of the largest y, the last record of several; records without y do not count."""

    name: ClassVar[str] = "max_by"
    last: ClassVar[bool] = True
