"""Whole numbers combined bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import ScalarCell
from velostream.windows.accumulators.cells.naming import chosen, label
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Bits(ScalarCell):
    """All values of a column under one operation; NULL where there was none."""

    operation: Literal["and", "or", "xor"]
    argument: str
    type: Type
    where: str = ""

    @property
    def column(self) -> str:
        """The state column."""
        return label(f"bit_{self.operation}", self.argument, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One number."""
        return {self.column: dtype(self.type)}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    def fold(self) -> Sequence[pl.Expr]:
        """Combine values."""
        return [self._combined(chosen(self.argument, self.where)).alias(self.column)]

    def merge(self) -> Sequence[pl.Expr]:
        """Combine what was combined."""
        return [self._combined(pl.col(self.column))]

    def _combined(self, value: pl.Expr) -> pl.Expr:
        match self.operation:
            case "and":
                return value.bitwise_and()
            case "or":
                return value.bitwise_or()
            case "xor":
                return value.bitwise_xor()
