"""Values by their rank, over many sorted lists of (value, count) at once: what percentiles ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.lazy import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_ROW = "row"


class Ranks:
    """The entries of a column of lists, each with how many values there are up to it. Fields: `value` and `n`."""

    def __init__(self, lists: pl.Series, *, descending: bool = False) -> None:
        self._rows = pl.DataFrame({_ROW: pl.int_range(len(lists), dtype=pl.UInt32, eager=True)})
        entries = self._rows.with_columns(lists.alias("entry")).explode("entry", keep_nulls=False).unnest("entry")
        entries = entries.reverse() if descending else entries
        # Over all entries, then from the first of each list on: a running sum per list would be done list by list.
        summed = entries.with_columns(pl.col("n").cum_sum().alias("reached"))
        before = (pl.col("reached") - pl.col("n")).first().over(_ROW)
        total = pl.col("n").sum().over(_ROW).alias("total")
        self._entries = summed.with_columns(pl.col("reached") - before, total)

    def at(self, rank: pl.Expr) -> pl.Series:
        """The value with this rank, counted from 1, in each list; `rank` may speak of `total`. NULL for empty lists."""
        found = self._entries.with_columns(rank.alias("rank")).filter(
            (pl.col("reached") >= pl.col("rank")) & (pl.col("reached") - pl.col("n") < pl.col("rank"))
        )
        return self._rows.join(found, on=_ROW, how="left", maintain_order="left")["value"]

    def share(self, p: float) -> pl.Series:
        """The first value with at least this share of all values up to it."""
        return self.at((pl.col("total") * p).ceil().clip(1))

    def between(self, p: float) -> pl.Series:
        """The value at this share of the way, between two values if need be.

        The arithmetic is Spark's, term by term, so that results are equal to the last bit.
        """
        position = (pl.col("total") - 1) * p
        low, high = self.at(position.floor() + 1), self.at(position.ceil() + 1)
        totals = self._rows.join(
            self._entries.unique(_ROW).select(_ROW, "total"), on=_ROW, how="left", maintain_order="left"
        )
        below, above = position.floor(), position.ceil()
        mixed = (above - position) * pl.col("low") + (position - below) * pl.col("high")
        alone = (below == above) | (pl.col("low") == pl.col("high"))
        picked = totals.with_columns(low.alias("low"), high.alias("high"))
        return picked.select(pl.when(alone).then(pl.col("low")).otherwise(mixed)).to_series()
