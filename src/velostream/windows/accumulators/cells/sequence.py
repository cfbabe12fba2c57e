"""The values of a column in order: what ARRAY_AGG and STRING_AGG are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import GROUP, POSITION, Sort, TableCell, position_types
from velostream.windows.accumulators.cells.naming import counted, label
from velostream.windows.accumulators.dtypes import dtype
from velostream.windows.accumulators.ordering import key, key_type, unkey

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Sequence(TableCell):
    """A list of (value, the columns of `order`, position) in that order; rows whose value is NULL do not count.

    With `distinct`, of equal values only the first.
    """

    argument: str
    type: Type
    where: str = ""
    order: tuple[Sort, ...] = ()
    distinct: bool = False

    @property
    def column(self) -> str:
        """The state column."""
        terms = [
            f"{sort.column}{' desc' if sort.descending else ''}{' nulls last' if sort.nulls_last else ''}"
            for sort in self.order
        ]
        return label("distinct list" if self.distinct else "list", self.argument, *terms, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One list of structs."""
        terms = {str(i): key_type(sort.type) for i, sort in enumerate(self.order)}
        value = key_type(self.type) if self.distinct else dtype(self.type)
        return {self.column: pl.List(pl.Struct({"value": value, **terms, **position_types()}))}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, the columns of the order, the position and the condition."""
        return (self.argument, *(sort.column for sort in self.order), *filter(None, [self.where]), *POSITION)

    @property
    def values(self) -> pl.Expr:
        """The values as a list, empty where there was none."""
        stored = pl.element().struct.field("value")
        values = pl.col(self.column).list.eval(unkey(stored, self.type) if self.distinct else stored)
        return values.fill_null(pl.lit([], dtype=pl.List(dtype(self.type))))

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Put values in order."""
        values = counted(rows, [self.argument], self.where)
        value = pl.col(self.argument)
        terms = [key(pl.col(sort.column), sort.type).alias(str(i)) for i, sort in enumerate(self.order)]
        stored = key(value, self.type) if self.distinct else value
        return self._packed(values.select(GROUP, stored.alias("value"), *terms, *POSITION))

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Put lists together, in order."""
        return self._packed(
            states.select(GROUP, self.column).explode(self.column, keep_nulls=False).unnest(self.column)
        )

    def _packed(self, entries: pl.DataFrame) -> pl.DataFrame:
        terms = [str(i) for i in range(len(self.order))]
        descending = [sort.descending for sort in self.order] + [False] * len(POSITION)
        nulls_last = [sort.nulls_last for sort in self.order] + [False] * len(POSITION)
        ordered = entries.sort(*terms, *POSITION, descending=descending, nulls_last=nulls_last)
        if self.distinct:
            ordered = ordered.unique([GROUP, "value"], keep="first", maintain_order=True)
        entry = pl.struct("value", *terms, *POSITION).alias(self.column)
        return ordered.group_by(GROUP).agg(entry)
