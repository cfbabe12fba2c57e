"""The row functions over positions: `_i` is the row, `_low` to `_high` its frame, `_begin` to `_last` all it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.rows.framing import framed
from velostream.windows.rows.settings import Frame, RowCall, RowFunction, RowSettings, Unit

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

COUNTS = ("count", "count_if", "count_distinct", "approx_count_distinct")
POSITIONS = ("_i", "_begin", "_last", "_low", "_high", "_tie", "_peer", "_distinct")


def positioned(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Sorted rows with `_i`, the begin of their key, and the first and last row of the same time (`_tie`, `_peer`)."""
    place = pl.col("_i")
    over = ["_cell", *keys]
    numbered = rows.with_row_index("_i").with_columns(place.cast(pl.Int64))
    return numbered.with_columns(
        place.min().over(over).alias("_begin"),
        place.max().over(over).alias("_last"),
        place.min().over([*over, "_event_time"]).alias("_tie"),
        place.max().over([*over, "_event_time"]).alias("_peer"),
    ).with_columns((pl.col("_tie") == place).cast(pl.Int64).cum_sum().alias("_distinct"))


def with_frame(rows: pl.DataFrame, keys: list[str], frame: Frame) -> pl.DataFrame:
    """Rows with `_low` and `_high`, cut to `_begin` and `_last`."""
    i, begin, last = pl.col("_i"), pl.col("_begin"), pl.col("_last")
    if frame.unit is Unit.ROWS:
        low = begin if frame.start is None else pl.max_horizontal(begin, i + frame.start)
        high = last if frame.end is None else pl.min_horizontal(last, i + frame.end)
        return rows.with_columns(low.alias("_low"), high.alias("_high"))
    low = begin if frame.start is None else pl.max_horizontal(begin, _edge(frame.start, "_begin", "left"))
    high = last if frame.end is None else pl.min_horizontal(last, _edge(frame.end, "_begin", "right"))
    over = ["_cell", *keys]
    return rows.with_columns(low.over(over).alias("_low"), high.over(over).alias("_high"))


def _edge(distance: int, begin: str, side: str) -> pl.Expr:
    """The position of the first (left) or last (right) row of the key within a distance of event time."""
    time = pl.col("_event_time")
    found = time.search_sorted(time + distance, side=side).cast(pl.Int64)  # type: ignore[arg-type]
    first = pl.col("_i").min()
    return first + found if side == "left" else first + found - 1


def expression(call: RowCall, settings: RowSettings) -> pl.Expr:
    """The value of a call, over rows with positions."""
    i, low, high, tie = pl.col("_i"), pl.col("_low"), pl.col("_high"), pl.col("_tie")
    begin, last, peer = pl.col("_begin"), pl.col("_last"), pl.col("_peer")
    rows = last - begin + 1
    rank = pl.max_horizontal(tie, begin) - begin + 1
    chosen = {
        RowFunction.LAG: lambda: _at(call, i - call.number, begin, last),
        RowFunction.LEAD: lambda: _at(call, i + call.number, begin, last),
        RowFunction.FIRST_VALUE: lambda: _at(call, low, low, high),
        RowFunction.LAST_VALUE: lambda: _at(call, high, low, high),
        RowFunction.NTH_VALUE: lambda: _at(call, low + call.number - 1, low, high),
        RowFunction.ROW_NUMBER: lambda: i - begin + 1,
        RowFunction.RANK: lambda: rank,
        RowFunction.DENSE_RANK: lambda: pl.col("_distinct") - pl.col("_distinct").gather(begin) + 1,
        RowFunction.PERCENT_RANK: lambda: pl.when(rows > 1).then((rank - 1) / (rows - 1)).otherwise(0.0),
        RowFunction.CUME_DIST: lambda: (pl.min_horizontal(peer, last) - begin + 1) / rows,
        RowFunction.NTILE: lambda: _tile(i - begin, rows, call.number),
    }
    return chosen[call.function]().alias(call.result)


def _at(call: RowCall, place: pl.Expr, low: pl.Expr, high: pl.Expr) -> pl.Expr:
    inside = (place >= low) & (place <= high)
    found = pl.col(call.column).gather(pl.when(inside).then(place))
    if not call.default:
        return found
    return pl.when(inside).then(found).otherwise(pl.col(call.default))


def _tile(place: pl.Expr, rows: pl.Expr, tiles: int) -> pl.Expr:
    """Tiles as even as can be: the first ones are one row longer."""
    size, longer = rows // tiles, rows % tiles
    in_long = place < longer * (size + 1)
    rest = pl.when(size > 0).then((place - longer) // pl.max_horizontal(size, pl.lit(1))).otherwise(place)
    return pl.when(in_long).then(place // (size + 1)).otherwise(rest) + 1


def aggregates(settings: RowSettings, rows: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
    """Wanted rows with the results of all aggregates over their frames."""
    if not settings.aggregates:
        return wanted
    finished = settings.aggregation.finish(framed(settings.aggregation, rows, wanted))
    joined = wanted.join(finished, on="_i", how="left", maintain_order="left")
    counts = [call.result for call in settings.aggregates if call.name in COUNTS]
    return joined.with_columns(pl.col(name).fill_null(0) for name in counts)
