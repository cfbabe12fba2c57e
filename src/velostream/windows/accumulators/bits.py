"""BIT_AND, BIT_OR and BIT_XOR of whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.bits import Bits

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class BitAnd(Accumulator):
    """`BIT_AND(x)`: the bits that all values have."""

    name: ClassVar[str] = "bit_and"
    operation: ClassVar[Literal["and", "or", "xor"]] = "and"
    distinct: ClassVar[Distinct] = Distinct.SAME

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whole numbers."""
        return tuple(map(casting.integer, given))

    @property
    def type(self) -> Type:
        """That of the argument."""
        return self.call.types[0]

    @property
    def _bits(self) -> Bits:
        return Bits(self.operation, self.call.arguments[0], self.call.types[0], self.call.where)

    @property
    def cells(self) -> tuple[Bits, ...]:
        """The number."""
        return (self._bits,)

    def finish(self) -> pl.Expr:
        """The number."""
        return pl.col(self._bits.column)


class BitOr(BitAnd):
    """`BIT_OR(x)`: the bits that any value has."""

    name: ClassVar[str] = "bit_or"
    operation: ClassVar[Literal["and", "or", "xor"]] = "or"


class BitXor(BitAnd):
    """`BIT_XOR(x)`: the bits that an odd number of values have."""

    name: ClassVar[str] = "bit_xor"
    operation: ClassVar[Literal["and", "or", "xor"]] = "xor"
    distinct: ClassVar[Distinct] = Distinct.VALUES
