"""Aggregates over any stretch of sorted rows, for all rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.aggregation import Aggregation

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


def framed(aggregation: Aggregation, rows: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """For each of `wanted` (`_i`, `_low`, `_high`, positions in `rows`) the state over rows low to high; none if empty.

    Merging is associative: a stretch is made of pieces as long as powers of two, and all pieces of one length come from
    one merge of whole frames.
    """
    states = aggregation.fold(rows.with_row_index("_at"), ["_at"]).with_columns(pl.col("_at").cast(pl.Int64))
    cursor = wanted.select(pl.col("_i").cast(pl.Int64), pl.col("_high").cast(pl.Int64).alias("_at"), _length())
    pieces: list[pl.DataFrame] = []
    span = 1
    longest = int(cursor["_left"].max() or 0)  # type: ignore[arg-type]
    while span <= longest:
        takes = (pl.col("_left") // span) % 2 == 1
        taking = cursor.filter(takes).select("_i", "_at")
        pieces.append(taking.join(states, on="_at", how="inner").drop("_at"))
        cursor = cursor.with_columns(pl.when(takes).then(pl.col("_at") - span).otherwise(pl.col("_at")).alias("_at"))
        if 2 * span <= longest:
            back = states.with_columns(pl.col("_at") + span)
            both = pl.concat([states, back]).filter(pl.col("_at").is_between(span, rows.height - 1))
            states = aggregation.merge(both, ["_at"])
        span *= 2
    if not pieces:
        return aggregation.empty({"_i": pl.Int64()})
    return aggregation.merge(pl.concat(pieces), ["_i"])


def _length() -> pl.Expr:
    length = pl.col("_high").cast(pl.Int64) - pl.col("_low").cast(pl.Int64) + 1
    return pl.max_horizontal(length, pl.lit(0, pl.Int64)).alias("_left")
