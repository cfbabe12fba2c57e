"""Which values there were, and how often each: what DISTINCT, MODE and exact percentiles are made of."""

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

COUNT = "n"


@dataclass(frozen=True, slots=True)
class Tally(TableCell):
    """A sorted list of (values, count), one entry per distinct value; rows where any argument is NULL do not count.

    `signed_zero` tells −0.0 from 0.0, as Spark's percentiles do; grouping does not.
    """

    arguments: tuple[str, ...]
    types: tuple[Type, ...]
    where: str = ""
    signed_zero: bool = False

    @property
    def column(self) -> str:
        """The state column."""
        return label("signed values" if self.signed_zero else "values", *self.arguments, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One list of structs: the values by number (`0`, `1` …) and `n`."""
        values = {str(i): key_type(kind) for i, kind in enumerate(self.types)}
        return {self.column: pl.List(pl.Struct({**values, COUNT: pl.Int64()}))}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arguments, and the conditions."""
        return (*self.arguments, self.where) if self.where else self.arguments

    @property
    def _values(self) -> list[str]:
        return [str(i) for i in range(len(self.types))]

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Count equal values."""
        keys = [
            key(pl.col(name), kind, signed_zero=self.signed_zero).alias(str(i))
            for i, (name, kind) in enumerate(zip(self.arguments, self.types, strict=True))
        ]
        values = counted(rows, self.arguments, self.where).select(GROUP, *keys)
        return self._packed(values.group_by(GROUP, *self._values).agg(pl.len().cast(pl.Int64).alias(COUNT)))

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Add the counts of equal values."""
        entries = states.select(GROUP, self.column).explode(self.column, keep_nulls=False).unnest(self.column)
        return self._packed(entries.group_by(GROUP, *self._values).agg(pl.col(COUNT).sum()))

    def _packed(self, entries: pl.DataFrame) -> pl.DataFrame:
        entry = pl.struct(*self._values, COUNT).alias(self.column)
        return entries.sort(self._values).group_by(GROUP).agg(entry)

    @property
    def size(self) -> pl.Expr:
        """How many distinct values there are."""
        return pl.col(self.column).list.len().cast(pl.Int64).fill_null(0)

    @property
    def values(self) -> pl.Expr:
        """The distinct values of a single argument, in order, as a list."""
        stored = pl.element().struct.field("0")
        return pl.col(self.column).list.eval(unkey(stored, self.types[0]))

    def over(self, aggregate: pl.Expr) -> pl.Expr:
        """One value per group from an aggregation over the entries, which are `pl.element()`."""
        return pl.col(self.column).list.agg(aggregate)

    def value_at(self, index: pl.Expr) -> pl.Expr:
        """The value of one entry by its number. (An aggregation by `over` cannot answer with nested values.)"""
        return unkey(pl.col(self.column).list.get(index).struct.field("0"), self.types[0])

    @property
    def entry_value(self) -> pl.Expr:
        """The value of an entry, for `over`."""
        return unkey(pl.element().struct.field("0"), self.types[0])

    @property
    def entry_count(self) -> pl.Expr:
        """The count of an entry, for `over`."""
        return pl.element().struct.field(COUNT)
