"""Lists of a group's values: ARRAY_AGG and STRING_AGG in the order of records, COLLECT_SET sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type, array
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Cell, Distinct
from velostream.windows.accumulators.cells.sequence import Sequence
from velostream.windows.accumulators.cells.tally import Tally
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class ArrayAgg(Accumulator):
    """`ARRAY_AGG([DISTINCT] x)`: values by (event time, source, partition, offset), NULLs left out; never NULL."""

    name: ClassVar[str] = "array_agg"
    distinct: ClassVar[Distinct] = Distinct.OWN
    sorts: ClassVar[bool] = True
    skips: ClassVar[bool] = True

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Anything."""
        return tuple(map(casting.anything, given))

    @property
    def type(self) -> Type:
        """An array of the argument's type."""
        return array(self.call.types[0])

    @property
    def sequence(self) -> Sequence:
        """What is kept."""
        call = self.call
        return Sequence(call.arguments[0], call.types[0], call.where, call.order, call.distinct)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The values with their positions."""
        return (self.sequence,)

    def finish(self) -> pl.Expr:
        """The values."""
        return self.sequence.values


class StringAgg(ArrayAgg):
    """`STRING_AGG([DISTINCT] x [, separator]) [WITHIN GROUP (ORDER BY …)]`: one string, NULL without a value."""

    name: ClassVar[str] = "string_agg"
    constants: ClassVar[tuple[int, int]] = (0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.separator, bytes if self.type.name == "BINARY" else str):
            message = f"{self.separator!r} cannot separate values of type {self.type}"
            raise InvalidPlan(message, hint="give a constant of the same type", code="type-mismatch")

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Strings, or bytes."""
        return tuple(map(casting.text, given))

    @property
    def type(self) -> Type:
        """STRING, or BINARY for bytes."""
        return self.call.types[0]

    @property
    def separator(self) -> str | bytes:
        """What stands between two values: nothing unless given."""
        default = b"" if self.type.name == "BINARY" else ""
        given: str | bytes | None = self.call.parameters[0] if self.call.parameters else None
        return default if given is None else given

    def finish(self) -> pl.Expr:
        """The values in one string."""
        values = self.sequence.values
        if isinstance(self.separator, str):
            joined = values.list.join(self.separator)
        else:
            joined = values.map_batches(self._bytes_joined, pl.Binary(), is_elementwise=True)
        return pl.when(values.list.len() > 0).then(joined)

    def _bytes_joined(self, lists: pl.Series) -> pl.Series:
        separator = self.separator if isinstance(self.separator, bytes) else b""
        return pl.Series(lists.name, [separator.join(parts) for parts in lists.to_list()], dtype=pl.Binary)


class CollectSet(Accumulator):
    """`COLLECT_SET(x)`: the different values, sorted, NULLs left out; never NULL."""

    name: ClassVar[str] = "collect_set"
    distinct: ClassVar[Distinct] = Distinct.SAME

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Whatever can be compared."""
        return tuple(map(casting.ordered, given))

    @property
    def type(self) -> Type:
        """An array of the argument's type."""
        return array(self.call.types[0])

    @property
    def _tally(self) -> Tally:
        return Tally(self.call.arguments, self.call.types, self.call.where)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The values."""
        return (self._tally,)

    def finish(self) -> pl.Expr:
        """The values."""
        return self._tally.values.fill_null(pl.lit([], dtype=dtype(self.type)))
