"""Rows to state and states to one state, for any set of cells: one grouping for all scalar cells, more for tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from velostream.lazy import lazy
from velostream.windows.accumulators.base import GROUP, Cell, ScalarCell, TableCell

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


def fold(cells: Iterable[Cell], rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row of state per group of rows: `by`, then the columns of the cells."""
    return _grouped(list(cells), rows, by, merging=False)


def merge(cells: Iterable[Cell], states: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row of state per group of states: `by`, then the columns of the cells."""
    return _grouped(list(cells), states, by, merging=True)


def _grouped(cells: list[Cell], frame: pl.DataFrame, by: Sequence[str], *, merging: bool) -> pl.DataFrame:
    scalars = [cell for cell in cells if isinstance(cell, ScalarCell)]
    tables = [cell for cell in cells if isinstance(cell, TableCell)]
    parts = [part for cell in scalars for part in (cell.merge() if merging else cell.fold())]
    columns = [name for cell in cells for name in cell.columns]
    if by and not tables:
        return frame.group_by(by).agg(parts).select(*by, *columns)
    numbered = _numbered(frame, by)
    states = numbered.group_by(GROUP).agg(*(pl.col(name).first() for name in by), *parts)
    for table in tables:
        found = table.merge(numbered) if merging else table.fold(numbered)
        states = states.join(found, on=GROUP, how="left")
    return states.select(*by, *columns)


def _numbered(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    # One integer per group: the keys, which may be many and long, are hashed once, however many groupings follow.
    rows = frame.with_row_index(GROUP)
    return rows.with_columns(pl.col(GROUP).first().over(*by) if by else pl.lit(0, dtype=pl.UInt32).alias(GROUP))
