"""COUNT, COUNT_IF and COUNT_DISTINCT: how many rows, and how many different values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.types import BIGINT, Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells import count as cell
from velostream.windows.accumulators.cells.tally import Tally

if TYPE_CHECKING:
    import polars as pl


class Count(Accumulator):
    """`COUNT(*)`, `COUNT(x, …)` rows without a NULL among the arguments, `COUNT(DISTINCT x, …)`; never NULL."""

    name: ClassVar[str] = "count"
    distinct: ClassVar[Distinct] = Distinct.OWN

    @classmethod
    def takes(cls, arguments: int) -> bool:
        """Any number: none is COUNT(*)."""
        return arguments >= 0

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Anything can be counted."""
        return tuple(map(casting.anything, given))

    @property
    def type(self) -> Type:
        """Always BIGINT."""
        return BIGINT

    @property
    def once(self) -> bool:
        """Whether equal values count once."""
        return self.call.distinct and bool(self.call.arguments)

    @property
    def _tally(self) -> Tally:
        return Tally(self.call.arguments, self.call.types, self.call.where)

    @property
    def _count(self) -> cell.Count:
        return cell.Count(self.call.arguments, (self.call.where,) if self.call.where else ())

    @property
    def cells(self) -> tuple[cell.Count | Tally, ...]:
        """A count, or the values."""
        return (self._tally,) if self.once else (self._count,)

    def finish(self) -> pl.Expr:
        """The count."""
        return self._tally.size if self.once else self._count.value


class CountDistinct(Count):
    """`COUNT_DISTINCT(x, …)`: the same as `COUNT(DISTINCT x, …)`."""

    name: ClassVar[str] = "count_distinct"

    @classmethod
    def takes(cls, arguments: int) -> bool:
        """At least one."""
        return arguments >= 1

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Only what can be compared has different values."""
        return tuple(map(casting.ordered, given))

    @property
    def once(self) -> bool:
        """Always."""
        return True


class CountIf(Count):
    """`COUNT_IF(condition)`: the rows where it is true."""

    name: ClassVar[str] = "count_if"

    @classmethod
    def takes(cls, arguments: int) -> bool:
        """One condition."""
        return arguments == 1

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """A condition."""
        return tuple(map(casting.boolean, given))

    @property
    def once(self) -> bool:
        """COUNT_IF(DISTINCT x) is 1 or 0: `true` is one value."""
        return False

    @property
    def _count(self) -> cell.Count:
        conditions = (*self.call.arguments, self.call.where) if self.call.where else self.call.arguments
        return cell.Count((), conditions)

    def finish(self) -> pl.Expr:
        """How often the condition was true."""
        return self._count.value.clip(upper_bound=1) if self.call.distinct else self._count.value
