"""Sketches that begin as what they sketch: all different values while they are few, a sketch when they are many.

While a group has few different values nothing is approximate, nothing depends on how the input was cut, and nothing is
done group by group. Then its values move into a sketch, in sorted order, and sketches are merged in the order of their
bytes, so that the same batches always give the same bytes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.naming import counted, label

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sketch(TableCell):
    """Columns `.values` (sorted list of value and count) and `.sketch` (bytes, NULL while values are few)."""

    argument: str
    type: Type
    size: int
    where: str = ""

    @property
    @abstractmethod
    def kind(self) -> str:
        """What sketch it is, in the name of the columns."""

    @property
    @abstractmethod
    def datum_type(self) -> pl.DataType:
        """The type of what is sketched."""

    @property
    @abstractmethod
    def few(self) -> int:
        """How many different values are kept as they are."""

    @abstractmethod
    def datum(self) -> pl.Expr:
        """What is sketched of a row: the same for equal values, in every run."""

    @abstractmethod
    def sketched(self, values: list[Entry], sketches: Sequence[bytes]) -> tuple[list[Entry], bytes]:
        """One sketch of values and sketches; and the values that no sketch takes."""

    @property
    def values(self) -> str:
        """The column of values."""
        return f"{label(f'{self.kind} {self.size}', self.argument, where=self.where)}.values"

    @property
    def sketch(self) -> str:
        """The column of sketches."""
        return f"{label(f'{self.kind} {self.size}', self.argument, where=self.where)}.sketch"

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """A list and bytes."""
        return {self.values: pl.List(pl.Struct({"value": self.datum_type, "n": pl.Int64()})), self.sketch: pl.Binary()}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Count equal values, and sketch them where they are many."""
        data = counted(rows, [self.argument], self.where).select(GROUP, self.datum().alias("value"))
        tallied = data.group_by(GROUP, "value").agg(pl.len().cast(pl.Int64).alias("n"))
        return self._settled(
            tallied, pl.DataFrame(schema={GROUP: rows.schema[GROUP], "sketches": pl.List(pl.Binary())})
        )

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Add the counts of equal values, merge sketches, and sketch values where they are many."""
        entries = states.select(GROUP, self.values).explode(self.values, keep_nulls=False).unnest(self.values)
        tallied = entries.group_by(GROUP, "value").agg(pl.col("n").sum())
        held = states.select(GROUP, pl.col(self.sketch).alias("sketches")).drop_nulls()
        return self._settled(tallied, held.sort("sketches").group_by(GROUP).agg("sketches"))

    def _settled(self, tallied: pl.DataFrame, held: pl.DataFrame) -> pl.DataFrame:
        listed = tallied.sort("value").group_by(GROUP).agg(pl.struct("value", "n").alias(self.values))
        states = listed.join(held, on=GROUP, how="full", coalesce=True)
        many = pl.col("sketches").is_not_null() | (pl.col(self.values).list.len() > self.few)
        few, rest = states.filter(~many), states.filter(many)
        settled = [self.sketched(values or [], sketches or []) for _, values, sketches in rest.iter_rows()]
        sketched = rest.select(
            GROUP,
            pl.Series(self.values, [values for values, _ in settled], dtype=self.columns[self.values]),
            pl.Series(self.sketch, [packed for _, packed in settled], dtype=pl.Binary),
        )
        unchanged = few.select(GROUP, self.values, pl.lit(None, dtype=pl.Binary).alias(self.sketch))
        return pl.concat([unchanged, sketched])
