"""Moments of two columns together: means, sums of squared deviations, and the sum of products of deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.means import centred
from velostream.windows.accumulators.cells.naming import counted, label

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_PARTS = ("n", "x", "x.rest", "y", "y.rest", "xx", "yy", "xy")


@dataclass(frozen=True, slots=True)
class Comoments(TableCell):
    """Columns `.n`, `.x` and `.y` (means and their rests), `.xx`, `.yy`, `.xy`; rows that lack either do not count."""

    x: str
    y: str
    where: str = ""

    @property
    def _name(self) -> str:
        return label("comoments", self.x, self.y, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """A count and floats."""
        return {f"{self._name}.{part}": pl.Int64() if part == "n" else pl.Float64() for part in _PARTS}

    @property
    def inputs(self) -> tuple[str, ...]:
        """Both arguments, and the condition."""
        return (self.x, self.y, *filter(None, [self.where]))

    def part(self, name: str) -> pl.Expr:
        """One of the columns, as a float; no pairs are a count of 0."""
        column = pl.col(f"{self._name}.{name}")
        return column.fill_null(0).cast(pl.Float64) if name == "n" else column

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The moments of pairs."""
        pair = [pl.col(self.x).cast(pl.Float64).alias("x"), pl.col(self.y).cast(pl.Float64).alias("y")]
        pairs = counted(rows, (self.x, self.y), self.where).select(GROUP, *pair)
        nothing = pl.lit(0.0)
        single = pairs.with_columns(
            pl.lit(1, dtype=pl.Int64).alias("n"), nothing.alias("xx"), nothing.alias("yy"), nothing.alias("xy")
        )
        return self._combined(single)

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """The moments of all pairs together."""
        held = states.select(GROUP, *(pl.col(f"{self._name}.{part}").alias(part) for part in _PARTS))
        return self._combined(held.filter(pl.col("n") > 0))

    def _combined(self, parts: pl.DataFrame) -> pl.DataFrame:
        both = centred(centred(parts, "x", "n"), "y", "n")
        n, dx, dy = pl.col("n"), pl.col("x.off"), pl.col("y.off")
        sums = {"xx": pl.col("xx") + n * dx * dx, "yy": pl.col("yy") + n * dy * dy, "xy": pl.col("xy") + n * dx * dy}
        means = [pl.col(f"{one}.mean").first().alias(one) for one in "xy"] + [
            pl.col(f"{one}.rest").first() for one in "xy"
        ]
        terms = [term.sum().alias(part) for part, term in sums.items()]
        combined = both.group_by(GROUP).agg(n.sum(), *means, *terms)
        return combined.select(GROUP, *(pl.col(part).alias(f"{self._name}.{part}") for part in _PARTS))
