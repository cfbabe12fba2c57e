"""Moments around the mean, of one column: count, mean and sums of powers of deviations, combined without cancellation.

States are combined by the deviations of their means from the common mean (Chan, Golub and LeVeque, for any number of
states at once). Means are taken relative to a value of the group, so that equal values have deviations of exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.base import GROUP, TableCell
from velostream.windows.accumulators.cells.naming import counted, label

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Moments(TableCell):
    """Columns `.n`, `.mean`, `.m2` … up to `order`; NULL where there was no value."""

    argument: str
    order: int
    where: str = ""

    @property
    def _name(self) -> str:
        return label(f"moments {self.order}", self.argument, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """A count and floats."""
        powers = {f"{self._name}.m{power}": pl.Float64() for power in range(2, self.order + 1)}
        return {f"{self._name}.n": pl.Int64(), f"{self._name}.mean": pl.Float64(), **powers}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    @property
    def count(self) -> pl.Expr:
        """How many values there were, as a float."""
        return pl.col(f"{self._name}.n").fill_null(0).cast(pl.Float64)

    @property
    def mean(self) -> pl.Expr:
        """The mean."""
        return pl.col(f"{self._name}.mean")

    def power(self, power: int) -> pl.Expr:
        """The sum of deviations from the mean to this power."""
        return pl.col(f"{self._name}.m{power}")

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The moments of values."""
        values = counted(rows, [self.argument], self.where).select(
            GROUP, pl.col(self.argument).cast(pl.Float64).alias("x")
        )
        near = centred(values, "x", pl.lit(1.0))
        deviation = pl.col("x") - pl.col("x.mean")
        powers = [(deviation**power).sum().alias(f"m{power}") for power in range(2, self.order + 1)]
        return self._named(
            near.group_by(GROUP).agg(pl.len().cast(pl.Int64).alias("n"), pl.col("x.mean").first(), *powers)
        )

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """The moments of all values together."""
        short = {name: name.removeprefix(self._name + ".") for name in self.columns}
        held = states.select(GROUP, *short).rename(short).filter(pl.col("n") > 0)
        near = centred(held, "mean", pl.col("n").cast(pl.Float64))
        n, d, m2 = pl.col("n"), pl.col("mean") - pl.col("mean.mean"), pl.col("m2")
        powers = {2: m2 + n * d**2}
        if self.order >= 3:
            powers[3] = pl.col("m3") + 3 * d * m2 + n * d**3
        if self.order >= 4:
            powers[4] = pl.col("m4") + 4 * d * pl.col("m3") + 6 * d**2 * m2 + n * d**4
        sums = [term.sum().alias(f"m{power}") for power, term in powers.items()]
        merged = near.group_by(GROUP).agg(n.sum(), pl.col("mean.mean").first(), *sums)
        return self._named(merged)

    def _named(self, moments: pl.DataFrame) -> pl.DataFrame:
        return moments.select(GROUP, *(pl.nth(i + 1).alias(name) for i, name in enumerate(self.columns)))


def centred(frame: pl.DataFrame, column: str, weight: pl.Expr) -> pl.DataFrame:
    """The frame with `column.mean`, the weighted mean of each group."""
    first = pl.col(column).first().over(GROUP)
    near = frame.with_columns(first.alias("_first"), weight.alias("_weight"))
    share = (pl.col(column) - pl.col("_first")) * pl.col("_weight")
    shift = share.sum().over(GROUP) / pl.col("_weight").sum().over(GROUP)
    return near.with_columns((pl.col("_first") + shift).alias(f"{column}.mean")).drop("_first", "_weight")
