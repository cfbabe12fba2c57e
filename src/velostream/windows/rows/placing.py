"""Where rows stand: sorted by partition and order, with the positions that frames and functions go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import POSITION, Sort
from velostream.windows.rows.settings import Frame, RowSettings, Unit

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

PLACES = ("_group", "_i", "_begin", "_last", "_low", "_high", "_tie", "_peer", "_distinct", "_axis")
TIME = "_event_time"
_FAR = 1 << 62


def placed(rows: pl.DataFrame, keys: Sequence[str], settings: RowSettings) -> pl.DataFrame:
    """Rows in order within their partition, with `_i`, the first and last row of the partition (`_begin`, `_last`) and
    of those that the order takes for equal (`_tie`, `_peer`)."""
    return positioned(grouped(rows, keys), settings)


def grouped(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Rows with a number for their partition, whatever types its columns have."""
    if not keys:
        return rows.with_columns(pl.lit(0, pl.Int64).alias("_group"))
    numbered = rows.with_row_index("_group").with_columns(pl.col("_group").cast(pl.Int64))
    return numbered.with_columns(pl.col("_group").min().over(list(keys)))


def positioned(rows: pl.DataFrame, settings: RowSettings) -> pl.DataFrame:
    """Rows that know their `_group`, sorted and placed."""
    order = settings.order
    by = [TIME, *(sort.column for sort in order)] if settings.by_time else [sort.column for sort in order]
    number = pl.col("_i")
    peers = ["_group", *by]
    ordered = sorted_by(rows, ["_group", TIME] if settings.by_time else ["_group"], order)
    numbered = ordered.with_row_index("_i").with_columns(number.cast(pl.Int64), axis(ordered, settings).alias("_axis"))
    return numbered.with_columns(
        number.min().over("_group").alias("_begin"),
        number.max().over("_group").alias("_last"),
        number.min().over(peers).alias("_tie"),
        number.max().over(peers).alias("_peer"),
    ).with_columns((pl.col("_tie") == number).cast(pl.Int64).cum_sum().alias("_distinct"))


def sorted_by(rows: pl.DataFrame, first: Sequence[str], order: Sequence[Sort]) -> pl.DataFrame:
    """Rows sorted by columns, then by an ORDER BY, then by where records stand, so that no two are equal."""
    last = [name for name in (*POSITION, "_origin") if name in rows.columns and name not in first]
    by = [*first, *(sort.column for sort in order), *last]
    descending = [*(False for _ in first), *(sort.descending for sort in order), *(False for _ in last)]
    nulls_last = [*(False for _ in first), *(sort.nulls_last for sort in order), *(False for _ in last)]
    return rows.sort(by, descending=descending, nulls_last=nulls_last)


def axis(rows: pl.DataFrame, settings: RowSettings) -> pl.Expr:
    """What RANGE measures: event time, or the column that rows are ordered by; it grows from row to row."""
    if settings.by_time or not settings.order:
        return pl.col(TIME)
    sort = settings.order[0]
    kind = rows.schema[sort.column]
    if kind.is_temporal():
        value = pl.col(sort.column).cast(pl.Datetime("us")).cast(pl.Int64)
    elif kind.is_integer():
        value = pl.col(sort.column).cast(pl.Int64)
    elif kind.is_numeric():
        value = pl.col(sort.column).cast(pl.Float64)
    else:
        return pl.lit(None, pl.Int64)
    return (-value if sort.descending else value).fill_null(_FAR if sort.nulls_last else -_FAR)


def with_frame(rows: pl.DataFrame, frame: Frame) -> pl.DataFrame:
    """Rows with `_low` and `_high`, cut to `_begin` and `_last`."""
    i, begin, last = pl.col("_i"), pl.col("_begin"), pl.col("_last")
    if frame.unit is Unit.ROWS:
        low = begin if frame.start is None else pl.max_horizontal(begin, i + frame.start)
        high = last if frame.end is None else pl.min_horizontal(last, i + frame.end)
        return rows.with_columns(low.alias("_low"), high.alias("_high"))
    low = begin if frame.start is None else pl.max_horizontal(begin, _edge(frame.start, "left"))
    high = last if frame.end is None else pl.min_horizontal(last, _edge(frame.end, "right"))
    return rows.with_columns(low.alias("_low"), high.alias("_high"))


def _edge(distance: int, side: str) -> pl.Expr:
    """The position of the first (left) or last (right) row of the partition within a distance."""
    if not distance:
        return pl.col("_tie" if side == "left" else "_peer")
    value = pl.col("_axis")
    found = value.search_sorted(value + distance, side=side).cast(pl.Int64)  # type: ignore[arg-type]
    first = pl.col("_i").min()
    return (first + found if side == "left" else first + found - 1).over("_group")
