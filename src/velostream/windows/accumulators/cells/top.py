"""The largest values of a column, as many as asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.naming import counted, label
from velostream.windows.accumulators.ordering import key, key_type, unkey

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Top(TableCell):
    """A list of the `size` largest values, largest first, equal ones once if `distinct`; NULLs do not count."""

    argument: str
    type: Type
    size: int
    where: str = ""
    distinct: bool = False

    @property
    def column(self) -> str:
        """The state column."""
        return label(f"top {self.size}{' distinct' if self.distinct else ''}", self.argument, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One list."""
        return {self.column: pl.List(key_type(self.type))}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    @property
    def values(self) -> pl.Expr:
        """The values as a list."""
        return pl.col(self.column).list.eval(unkey(pl.element(), self.type))

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The largest of values."""
        values = counted(rows, [self.argument], self.where)
        return self._largest(values.select(GROUP, key(pl.col(self.argument), self.type).alias(self.column)))

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """The largest of the largest."""
        return self._largest(states.select(GROUP, self.column).explode(self.column, keep_nulls=False))

    def _largest(self, entries: pl.DataFrame) -> pl.DataFrame:
        different = entries.unique() if self.distinct else entries
        ordered = different.sort(self.column, descending=True)
        return ordered.group_by(GROUP).agg(pl.col(self.column).head(self.size))
