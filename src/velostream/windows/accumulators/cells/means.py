"""Means of groups, and deviations from them, to more digits than a float has.

A mean of a billion is known to a tenth of a millionth only, too little to combine variances by. So a mean is kept as a
float and the `rest` that the float leaves out, and deviations are taken from a value of the group, not from zero:
values near each other lose nothing, and equal values deviate by exactly 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.base import GROUP

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


def centred(frame: pl.DataFrame, column: str, weight: str) -> pl.DataFrame:
    """The frame with the weighted mean of each group as `column.mean` and `column.rest`, and deviations `column.off`.

    A column `column.rest` that is there already belongs to the values, which may be means themselves.
    """
    rest = f"{column}.rest"
    first = frame.with_columns(pl.col(column).first().over(GROUP).alias("_first"))
    value = pl.col(column) - pl.col("_first")
    near = first.with_columns((value + pl.col(rest) if rest in frame.columns else value).alias("_near"))
    shift = (pl.col("_near") * pl.col(weight)).sum().over(GROUP) / pl.col(weight).sum().over(GROUP)
    shifted = near.with_columns(shift.alias("_shift")).with_columns(
        (pl.col("_first") + pl.col("_shift")).alias("_mean")
    )
    return shifted.with_columns(
        pl.col("_mean").alias(f"{column}.mean"),
        (pl.col("_shift") - (pl.col("_mean") - pl.col("_first"))).alias(rest),
        (pl.col("_near") - pl.col("_shift")).alias(f"{column}.off"),
    ).drop("_first", "_near", "_shift", "_mean")
