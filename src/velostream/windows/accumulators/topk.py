"""TOPK: the k largest values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type, array
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.top import Top
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class TopK(Accumulator):
    """`TOPK([DISTINCT] x, k)`: the k largest values, largest first, NULLs left out; never NULL."""

    name: ClassVar[str] = "topk"
    distinct: ClassVar[Distinct] = Distinct.OWN
    constants: ClassVar[tuple[int, int]] = (1, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.size, int) or isinstance(self.size, bool) or self.size < 1:
            message = f"TOPK cannot give {self.size!r} values"
            raise InvalidPlan(message, hint="the second argument is a whole number from 1", code="wrong-arguments")

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whatever can be compared."""
        return tuple(map(casting.ordered, given))

    @property
    def size(self) -> int:
        """How many values."""
        size: int = self.call.parameters[0]
        return size

    @property
    def type(self) -> Type:
        """An array of the argument's type."""
        return array(self.call.types[0])

    @property
    def cells(self) -> tuple[Top, ...]:
        """The values."""
        return (Top(self.call.arguments[0], self.call.types[0], self.size, self.call.where, self.call.distinct),)

    def finish(self) -> pl.Expr:
        """The values."""
        return self.cells[0].values.fill_null(pl.lit([], dtype=dtype(self.type)))
