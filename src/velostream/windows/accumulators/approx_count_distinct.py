"""APPROX_COUNT_DISTINCT: about how many different values, in little memory."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from velostream.errors import InvalidPlan
from velostream.types import BIGINT, Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.hll import Hll

if TYPE_CHECKING:
    import polars as pl

_LEAST, _MOST = 12, 21
_ERROR = 1.04
"""The standard error of HyperLogLog is this over the square root of the number of registers."""


class ApproxCountDistinct(Accumulator):
    """`APPROX_COUNT_DISTINCT(x [, error])`: standard error 1.6 %, or a smaller one; exact up to about 100."""

    name: ClassVar[str] = "approx_count_distinct"
    constants: ClassVar[tuple[int, int]] = (0, 1)
    distinct: ClassVar[Distinct] = Distinct.SAME

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.deviation, float | Decimal) or not self.deviation > 0 or self.registers > _MOST:
            message = f"APPROX_COUNT_DISTINCT cannot have an error of {self.deviation!r}"
            raise InvalidPlan(message, hint="the second argument is a number from 0.001 to 0.4", code="wrong-arguments")

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whatever can be compared."""
        return tuple(map(casting.ordered, given))

    @property
    def deviation(self) -> float | Decimal:
        """The relative standard error that was asked for."""
        given: float | Decimal = self.call.parameters[0] if self.call.parameters else 0.05
        return given

    @property
    def registers(self) -> int:
        """The number of registers, as a power of two."""
        return max(_LEAST, math.ceil(2 * math.log2(_ERROR / float(self.deviation))))

    @property
    def type(self) -> Type:
        """A whole number."""
        return BIGINT

    @property
    def cells(self) -> tuple[Hll, ...]:
        """The sketch."""
        return (Hll(self.call.arguments[0], self.call.types[0], self.registers, self.call.where),)

    def finish(self) -> pl.Expr:
        """The estimate."""
        return self.cells[0].estimate
