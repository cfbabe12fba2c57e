"""All that the rows of a table were: their versions by time, for those who ask what held at an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.tables.newest import GONE, ROW, TIME, index_of, named

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

ORDER = "_order"
"""The column that tells which of two versions of one time came later."""
MOST_FILES = 16
"""In so many files the past is kept before they are joined."""
_PER_VERSION = 1 << 32


def numbered(changes: pa.Table, number: int) -> pa.Table:
    """Changes in the order in which they came; `number` is that of the version that brings them."""
    import numpy as np
    import pyarrow as pa

    order = np.arange(changes.num_rows, dtype=np.int64) + number * _PER_VERSION
    return changes.append_column(ORDER, pa.array(order))


def vanished(past: pa.Table, index: pl.DataFrame, key: Sequence[str], now: int | None) -> pa.Table:
    """Deletions, as of `now`, of keys that are alive in the past and that the table has no more."""
    import polars as pl
    import pyarrow as pa

    told = index_of(past, key).with_columns(pl.Series(ORDER, past[ORDER].to_numpy()))
    last = told.sort(TIME, ORDER, nulls_last=False).unique(named(key), keep="last").filter(~pl.col(GONE))
    lost = last.join(index, on=named(key), how="anti", nulls_equal=True).sort(ROW)
    rows = past.drop_columns(ORDER).take(lost[ROW].to_arrow())
    told_gone = rows.schema.get_field_index(GONE)
    rows = rows.set_column(told_gone, GONE, pa.array([True] * rows.num_rows, pa.bool_()))
    if now is None:
        return rows
    return rows.set_column(rows.schema.get_field_index(TIME), TIME, pa.array([now] * rows.num_rows, pa.int64()))


def shortened(past: pa.Table, key: Sequence[str], keeps: int | None) -> pa.Table:
    """The past without what nobody can ask for: of one key and time the last to come; where rows stay for a while only,
    of what is older than that the last version of each key."""
    import polars as pl

    told = index_of(past, key).with_columns(pl.Series(ORDER, past[ORDER].to_numpy()))
    kept = told.sort(TIME, ORDER, nulls_last=False).unique([*named(key), TIME], keep="last", maintain_order=True)
    most = kept[TIME].max()
    if keeps is not None and isinstance(most, int):
        old = (pl.col(TIME) < most - keeps).fill_null(value=True)
        last = kept.filter(old).unique(named(key), keep="last", maintain_order=True).filter(~pl.col(GONE))
        kept = pl.concat([kept.filter(~old), last])
    return past.take(kept.sort(ROW)[ROW].to_arrow())
