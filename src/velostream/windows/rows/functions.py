"""The row functions over positions: `_i` is the row, `_low` to `_high` its frame, `_begin` to `_last` all it sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import ERROR
from velostream.windows.rows.framing import framed
from velostream.windows.rows.placing import positioned, with_frame
from velostream.windows.rows.settings import RowCall, RowFunction, RowSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

COUNTS = ("count", "count_if", "count_distinct", "approx_count_distinct")


def answered(settings: RowSettings, rows: pl.DataFrame, wanted: pl.Expr) -> pl.DataFrame:
    """Wanted ones of placed rows with the results of all functions, and `ERROR` where there are aggregates."""
    answers = rows.filter(wanted)
    failed: list[str] = []
    for place, (frame, calls, aggregation) in enumerate(settings.framed):
        bounded = with_frame(rows, frame)
        if calls:
            values = bounded.select("_i", *(value(call) for call in calls), wanted.alias("_wanted"))
            answers = _joined(answers, values.filter("_wanted").drop("_wanted"))
        if aggregation.calls:
            spans = bounded.filter(wanted).select("_i", "_low", "_high")
            found = aggregates(aggregation, rows, spans).rename({ERROR: f"{ERROR}{place}"})
            answers = _joined(answers, found)
            failed.append(f"{ERROR}{place}")
    if not failed:
        return answers
    return answers.with_columns(pl.coalesce(failed).alias(ERROR)).drop(failed)


def answered_apart(settings: RowSettings, rows: pl.DataFrame, wanted: pl.Expr) -> pl.DataFrame:
    """The same where each wanted row sees `_begin` to `_last` in an order of its own."""
    asked = rows.filter(wanted).with_columns(pl.int_ranges("_begin", pl.col("_last") + 1).alias("_member"))
    columns = [name for name in rows.columns if name not in ("_group", "_i", "_begin", "_last")]
    pairs = asked.select(pl.col("_i").alias("_group"), "_member").explode("_member")
    members = pairs.join(rows.select(pl.col("_i").alias("_member"), *columns), on="_member", how="inner")
    inner = ("_tie", "_peer", "_distinct", "_axis")
    ordered = positioned(members.drop(inner, strict=False), settings)
    found = answered(settings, ordered, pl.col("_member") == pl.col("_group"))
    results = [name for name in (*settings.results, ERROR) if name in found.columns]
    own = found.select(pl.col("_member").alias("_i"), *results)
    return rows.filter(wanted).join(own, on="_i", how="left", maintain_order="left")


def _joined(rows: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    return rows.join(values, on="_i", how="left", maintain_order="left")


def aggregates(aggregation: Aggregation, rows: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """The results of aggregates over stretches (`_i`, `_low`, `_high`) of placed rows; a count of nothing is zero."""
    finished = aggregation.finish(framed(aggregation, rows, spans))
    return counted(aggregation, spans.select("_i").join(finished, on="_i", how="left", maintain_order="left"))


def counted(aggregation: Aggregation, finished: pl.DataFrame) -> pl.DataFrame:
    """Results in which a count of nothing is zero."""
    counts = [call.result for call in aggregation.calls if call.name in COUNTS]
    return finished.with_columns(pl.col(name).fill_null(0) for name in counts)


def value(call: RowCall) -> pl.Expr:
    """The value of a call, over rows with positions and a frame."""
    i, low, high, tie = pl.col("_i"), pl.col("_low"), pl.col("_high"), pl.col("_tie")
    begin, last, peer = pl.col("_begin"), pl.col("_last"), pl.col("_peer")
    rows = last - begin + 1
    rank = pl.max_horizontal(tie, begin) - begin + 1
    chosen: dict[RowFunction, Callable[[], pl.Expr]] = {
        RowFunction.LAG: lambda: _at(call, _place(call, i, -call.number), begin, last),
        RowFunction.LEAD: lambda: _at(call, _place(call, i, call.number), begin, last),
        RowFunction.FIRST_VALUE: lambda: _at(call, _nth(call, low, 1), low, high),
        RowFunction.LAST_VALUE: lambda: _at(call, _final(call, high), low, high),
        RowFunction.NTH_VALUE: lambda: _at(call, _nth(call, low, call.number), low, high),
        RowFunction.ROW_NUMBER: lambda: i - begin + 1,
        RowFunction.RANK: lambda: rank,
        RowFunction.DENSE_RANK: lambda: pl.col("_distinct") - pl.col("_distinct").gather(begin) + 1,
        RowFunction.PERCENT_RANK: lambda: pl.when(rows > 1).then((rank - 1) / (rows - 1)).otherwise(0.0),
        RowFunction.CUME_DIST: lambda: (pl.min_horizontal(peer, last) - begin + 1) / rows,
        RowFunction.NTILE: lambda: _tile(i - begin, rows, call.number),
    }
    return chosen[call.function]().alias(call.result)


def lead_place(call: RowCall) -> pl.Expr:
    """Where the row stands that a LEAD looks at; NULL where it has not come."""
    return _place(call, pl.col("_i"), call.number)


def _known(call: RowCall) -> pl.Expr:
    return pl.col(call.column).is_not_null()


def _place(call: RowCall, i: pl.Expr, distance: int) -> pl.Expr:
    """The row at a distance; of those that have a value where the others are passed over."""
    if not call.ignore_nulls:
        return i + distance
    upto = _known(call).cast(pl.Int64).cum_sum()
    return _of_known(call, upto + distance - 1 if distance > 0 else upto - _known(call).cast(pl.Int64) + distance)


def _nth(call: RowCall, low: pl.Expr, number: int) -> pl.Expr:
    """The nth row from `low` on."""
    if not call.ignore_nulls:
        return low + number - 1
    before = _known(call).cast(pl.Int64).cum_sum() - _known(call).cast(pl.Int64)
    return _of_known(call, before.gather(low.clip(0, pl.len().cast(pl.Int64) - 1)) + number - 1)


def _final(call: RowCall, high: pl.Expr) -> pl.Expr:
    """The last row up to `high`."""
    if not call.ignore_nulls:
        return high
    upto = _known(call).cast(pl.Int64).cum_sum()
    return _of_known(call, upto.gather(high.clip(0, pl.len().cast(pl.Int64) - 1)) - 1)


def _of_known(call: RowCall, number: pl.Expr) -> pl.Expr:
    """The position of the row with this number (from 0) among those that have a value."""
    places = pl.col("_i").filter(_known(call))
    inside = (number >= 0) & (number < _known(call).sum().cast(pl.Int64))
    return places.gather(pl.when(inside).then(number))


def _at(call: RowCall, place: pl.Expr, low: pl.Expr, high: pl.Expr) -> pl.Expr:
    inside = ((place >= low) & (place <= high)).fill_null(value=False)
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
