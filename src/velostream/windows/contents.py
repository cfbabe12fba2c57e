"""What a fragment holds: partial aggregates, or the contributions of rows that may still be replaced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from velostream.windows.accumulators.aggregation import Aggregation

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

ORIGIN, ORIGIN_REVISION, ORIGIN_GONE = "_origin", "_origin_revision", "_origin_gone"
"""Columns of rows that come from a stream with revisions: whose contribution, which revision, and whether withdrawn."""


class Contents(Protocol):
    """Three verbs on frames, with the columns `by` telling fragments apart."""

    def absorb(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Rows as contents."""
        ...

    def join(self, held: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Contents of the same fragment as one; other columns go."""
        ...

    def settle(self, held: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
        """The aggregation state of each fragment that holds anything, and whether any of its parts has each of the
        `labels`; other columns go."""
        ...

    def parted(self, held: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What counts, and what has been withdrawn; what has been replaced goes. All columns stay."""
        ...


class Folded:
    """Partial aggregates: a row is folded in when it comes, and never taken out."""

    def __init__(self, aggregation: Aggregation) -> None:
        self.aggregation = aggregation

    def absorb(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Fold the rows."""
        return self.aggregation.fold(rows, by)

    def join(self, held: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Merge the states."""
        return self.aggregation.merge(held, by)

    def settle(self, held: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
        """Merge the states."""
        return self.aggregation.merge(held, by, labels)

    def parted(self, held: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Everything counts."""
        return held, held.clear()


class Contributed:
    """The rows of a stream with revisions: each replaces what its origin contributed before, and never adds to it."""

    def __init__(self, aggregation: Aggregation) -> None:
        self.aggregation = aggregation
        self.columns = [ORIGIN, ORIGIN_REVISION, ORIGIN_GONE, *aggregation.arguments]

    def absorb(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """The rows themselves, of each origin the newest."""
        columns = [*by, *(name for name in self.columns if name not in by)]
        return self.join(rows.select(columns), by)

    def join(self, held: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Of each origin the newest revision; a withdrawal outdoes the row that it withdraws."""
        return self._latest(held, by).select(*by, *(name for name in self.columns if name not in by))

    def _latest(self, held: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        order = held.sort(ORIGIN_REVISION, ORIGIN_GONE, maintain_order=True)
        return order.unique([*by, ORIGIN], keep="last", maintain_order=True)

    def settle(self, held: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
        """Fold what each origin contributes now."""
        states = self.aggregation.fold(self.join(held, by).filter(~pl.col(ORIGIN_GONE)), by)
        if not labels:
            return states
        told = held.group_by(by).agg(pl.col(name).any() for name in labels)
        return states.join(told, on=by, how="left", nulls_equal=True)

    def parted(self, held: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Of each origin the newest, apart from those that are withdrawn."""
        latest = self._latest(held, by)
        return latest.filter(~pl.col(ORIGIN_GONE)), latest.filter(pl.col(ORIGIN_GONE))
