"""The newest row per key: what a table is made of, out of what it was and what has come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.tables.store import TIME

if TYPE_CHECKING:
    import pyarrow as pa

GONE = "_gone"
"""The column of a change that is true where it deletes the row of its key."""


def newest(before: pa.Table | None, changes: pa.Table, key: Sequence[str], keeps: int | None = None) -> pa.Table:
    """The rows of a table after changes, in the order in which they came. All have TIME, changes may have GONE.

    The row of the latest time wins, of one time the last to come; a deletion wins over what is not later than it.
    Without a key every row stays. Rows that are older than the newest by more than `keeps` microseconds go.
    """
    import polars as pl
    import pyarrow as pa

    gone = changes[GONE] if GONE in changes.schema.names else None
    rows = changes.drop_columns(GONE) if gone is not None else changes
    held = 0 if before is None else before.num_rows
    both = rows if before is None else pa.concat_tables([before, rows.cast(before.schema)])
    index = pl.DataFrame({TIME: pl.from_arrow(both[TIME]), "_row": pl.int_range(both.num_rows, eager=True)})
    deletes = pl.Series("_deletes", [False]).new_from_index(0, both.num_rows)
    if gone is not None:
        told = pl.Series("_deletes", gone.to_pylist(), dtype=pl.Boolean).fill_null(value=False)
        deletes = pl.concat([deletes.head(held), told])
    index = index.with_columns(deletes, *(pl.Series(f"k{n}", pl.from_arrow(both[name])) for n, name in enumerate(key)))
    if key:
        ordered = index.sort(TIME, "_row", nulls_last=False)
        index = ordered.unique([f"k{n}" for n in range(len(key))], keep="last", maintain_order=True).sort("_row")
    index = index.filter(~pl.col("_deletes"))
    if keeps is not None and index.height:
        index = index.filter(pl.col(TIME).is_null() | (pl.col(TIME) >= pl.col(TIME).max() - keeps))
    return both.take(index["_row"].to_arrow())
