"""Moments around the mean, of one column: count, mean and sums of powers of deviations, combined without cancellation.

States are combined by the deviations of their means from the common mean: the formulas of Chan, Golub and LeVeque, for
any number of states at once.
"""

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


@dataclass(frozen=True, slots=True)
class Moments(TableCell):
    """Columns `.n`, `.x` and `.x.rest` (the mean), `.m2` … up to `order`; NULL where there was no value."""

    argument: str
    order: int
    where: str = ""

    @property
    def _name(self) -> str:
        return label(f"moments {self.order}", self.argument, where=self.where)

    @property
    def _parts(self) -> tuple[str, ...]:
        return ("n", "x", "x.rest", *(f"m{power}" for power in range(2, self.order + 1)))

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """A count and floats."""
        return {f"{self._name}.{part}": pl.Int64() if part == "n" else pl.Float64() for part in self._parts}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The argument, and the condition."""
        return (self.argument, self.where) if self.where else (self.argument,)

    @property
    def count(self) -> pl.Expr:
        """How many values there were, as a float."""
        return pl.col(f"{self._name}.n").fill_null(0).cast(pl.Float64)

    def power(self, power: int) -> pl.Expr:
        """The sum of deviations from the mean to this power."""
        return pl.col(f"{self._name}.m{power}")

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The moments of values: each is a state of one value, whose mean it is."""
        values = counted(rows, [self.argument], self.where)
        number = pl.col(self.argument).cast(pl.Float64).alias("x")
        near = centred(values.select(GROUP, number, pl.lit(1, dtype=pl.Int64).alias("n")), "x", "n")
        off = pl.col("x.off")
        return self._summed(near, {power: off**power for power in range(2, self.order + 1)})

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """The moments of all values together."""
        held = states.select(GROUP, *(pl.col(f"{self._name}.{part}").alias(part) for part in self._parts))
        near = centred(held.filter(pl.col("n") > 0), "x", "n")
        n, off, m2 = pl.col("n"), pl.col("x.off"), pl.col("m2")
        powers = {2: m2 + n * off**2}
        if self.order >= 3:
            powers[3] = pl.col("m3") + 3 * off * m2 + n * off**3
        if self.order >= 4:
            powers[4] = pl.col("m4") + 4 * off * pl.col("m3") + 6 * off**2 * m2 + n * off**4
        return self._summed(near, powers)

    def _summed(self, near: pl.DataFrame, powers: dict[int, pl.Expr]) -> pl.DataFrame:
        mean = [pl.col("x.mean").first().alias("x"), pl.col("x.rest").first()]
        sums = [term.sum().alias(f"m{power}") for power, term in powers.items()]
        summed = near.group_by(GROUP).agg(pl.col("n").sum(), *mean, *sums)
        return summed.select(GROUP, *(pl.col(part).alias(f"{self._name}.{part}") for part in self._parts))
