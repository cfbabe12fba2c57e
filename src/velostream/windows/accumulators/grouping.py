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

_MANY = 10_000
"""Rows from which on it pays to look at the bounds of columns first."""
_MOST = 1 << 62


def fold(cells: Iterable[Cell], rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row of state per group of rows: `by`, then the columns of the cells."""
    return _grouped(list(cells), rows, by, merging=False)


def merge(cells: Iterable[Cell], states: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
    """One row of state per group of states: `by`, the columns of the cells, and whether any state has the `labels`."""
    return _grouped(list(cells), states, by, labels, merging=True)


def _grouped(
    cells: list[Cell], frame: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = (), *, merging: bool
) -> pl.DataFrame:
    scalars = [cell for cell in cells if isinstance(cell, ScalarCell)]
    tables = [cell for cell in cells if isinstance(cell, TableCell)]
    parts = [part for cell in scalars for part in (cell.merge() if merging else cell.fold())]
    parts += [pl.col(name).any() for name in labels]
    columns = [name for cell in cells for name in cell.columns] + [*labels]
    if by and not tables:
        packed = _packed(frame, by)
        if packed is None:
            return frame.group_by(by).agg(parts).select(*by, *columns)
        keys = (pl.col(name).first() for name in by)
        return frame.with_columns(packed.alias(GROUP)).group_by(GROUP).agg(*keys, *parts).select(*by, *columns)
    numbered = _numbered(frame, by)
    states = numbered.group_by(GROUP).agg(*(pl.col(name).first() for name in by), *parts)
    for table in tables:
        found = table.merge(numbered) if merging else table.fold(numbered)
        states = states.join(found, on=GROUP, how="left")
    return states.select(*by, *columns)


def _packed(frame: pl.DataFrame, by: Sequence[str]) -> pl.Expr | None:
    """Several columns of whole numbers, or of what is coded as such, as one number: one column is grouped by in half
    the time. None where they are other columns, do not fit into 63 bits, or where few rows would not repay the look."""
    if len(by) < 2 or frame.height < _MANY or not all(_is_number(frame.schema[name]) for name in by):
        return None
    numbers = [pl.col(name).to_physical().cast(pl.Int64) for name in by]
    bounds = frame.select(
        *(number.min().alias(f"{place}") for place, number in enumerate(numbers)),
        *(number.max().alias(f"{place}_") for place, number in enumerate(numbers)),
    ).row(0)
    packed, size = pl.lit(0, pl.Int64), 1
    for number, least, most in zip(numbers, bounds, bounds[len(by) :], strict=False):
        if least is None:
            continue
        width = most - least + 2
        size *= width
        if size >= _MOST:
            return None
        packed = packed * width + (number - least + 1).fill_null(0)
    return packed


def _is_number(kind: pl.DataType) -> bool:
    """True for what is a number of 64 bits with a sign, or less."""
    return (kind.is_integer() and kind not in (pl.UInt64, pl.Int128, pl.UInt128)) or kind in (pl.Enum, pl.Date)


def _numbered(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    # One integer per group: the keys, which may be many and long, are hashed once, however many groupings follow.
    rows = frame.with_row_index(GROUP)
    return rows.with_columns(pl.col(GROUP).first().over(*by) if by else pl.lit(0, dtype=pl.UInt32).alias(GROUP))
