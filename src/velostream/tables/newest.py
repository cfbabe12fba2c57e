"""The newest row per key: what a table is made of, out of what it was and what has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

TIME = "_version_time"
"""The column beside those of the table that says when a row became what it is, in microseconds."""
GONE = "_gone"
"""The column of a change that is true where it deletes the row of its key."""
ROW = "_row"
"""Where a row stands in the table that an index is about."""


def index_of(rows: pa.Table, key: Sequence[str]) -> pl.DataFrame:
    """What tells rows apart: their keys as `k0` …, their times, whether they delete, and where they stand."""
    import polars as pl

    gone = pl.Series(GONE, pl.from_arrow(rows[GONE]), dtype=pl.Boolean) if GONE in rows.schema.names else None
    return pl.DataFrame(
        {
            TIME: pl.Series(TIME, pl.from_arrow(rows[TIME]), dtype=pl.Int64),
            GONE: pl.repeat(value=False, n=rows.num_rows, eager=True) if gone is None else gone.fill_null(value=False),
            ROW: pl.int_range(rows.num_rows, eager=True),
            **{
                name: pl.Series(name, pl.from_arrow(rows[column])) for name, column in zip(named(key), key, strict=True)
            },
        }
    )


def named(key: Sequence[str]) -> list[str]:
    """What the columns of a key are called in an index."""
    return [f"k{place}" for place in range(len(key))]


def latest(index: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Of the rows of one key the one of the latest time, of one time the last to come; without a key all."""
    if not key:
        return index
    ordered = index.sort(TIME, ROW, nulls_last=False)
    return ordered.unique(named(key), keep="last", maintain_order=True).sort(ROW)


def in_order(changes: pa.Table, key: Sequence[str], held: pl.DataFrame | None) -> pa.Table:
    """Changes of a source that tells them in the order in which they happened: a deletion takes away whatever came
    before it, so that it holds from no earlier time on. `held` is the index of the rows that are there."""
    import polars as pl

    if GONE not in changes.schema.names or not key:
        return changes
    keys, index = named(key), index_of(changes, key)
    gone = index.filter(pl.col(GONE))
    if gone.is_empty():
        return changes
    before = pl.col(TIME).cum_max().over(keys)
    if held is not None:
        asked = held.join(gone, on=keys, how="semi", nulls_equal=True).select(*keys, pl.col(TIME).alias("_held"))
        index = index.join(asked, on=keys, how="left", nulls_equal=True, maintain_order="left")
        before = pl.max_horizontal(before, "_held")
    times = index.select(pl.when(GONE).then(pl.max_horizontal(TIME, before)).otherwise(TIME)).to_series()
    return changes.set_column(changes.schema.get_field_index(TIME), TIME, times.to_arrow())


def newest(before: pa.Table | None, changes: pa.Table, key: Sequence[str], keeps: int | None = None) -> pa.Table:
    """The rows of a table after changes, in the order in which they came. All have TIME, changes may have GONE.

    The row of the latest time wins, of one time the last to come; a deletion wins over what is not later than it.
    Without a key every row stays. Rows that are older than the newest by more than `keeps` microseconds go.
    """
    import polars as pl

    both = stacked(before, changes)
    index = latest(index_of(both, key), key).filter(~pl.col(GONE))
    if keeps is not None and index.height:
        index = index.filter(~expired(index, keeps))
    return both.select([name for name in both.schema.names if name != GONE]).take(index[ROW].to_arrow())


def expired(index: pl.DataFrame, keeps: int) -> pl.Series:
    """True for rows that are older than the newest by more than `keeps` microseconds."""
    import polars as pl

    most = index[TIME].max()
    return index.select((pl.col(TIME) < (pl.lit(most) - keeps)).fill_null(value=False)).to_series()


def stacked(before: pa.Table | None, changes: pa.Table) -> pa.Table:
    """Rows and changes to them in one table; rows that were there before delete nothing."""
    import pyarrow as pa

    if before is None:
        return changes
    if GONE in changes.schema.names and GONE not in before.schema.names:
        before = alive(before)
    return pa.concat_tables([before, changes.select(before.schema.names).cast(before.schema)])


def alive(rows: pa.Table) -> pa.Table:
    """Rows as changes, none of which deletes."""
    import pyarrow as pa

    return rows.append_column(GONE, pa.repeat(pa.scalar(value=False), rows.num_rows))


def merged(base: pa.Table, delta: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows of a base with the changes of a delta, which holds every key once and wins."""
    import pyarrow as pa
    import pyarrow.compute as pc

    fresh = delta.filter(pc.invert(delta[GONE])).drop_columns(GONE)
    if key:
        held = index_of(base, key).join(index_of(delta, key), on=named(key), how="anti", nulls_equal=True)
        base = base.take(held.sort(ROW)[ROW].to_arrow())
    return pa.concat_tables([base, fresh.select(base.schema.names).cast(base.schema)])
