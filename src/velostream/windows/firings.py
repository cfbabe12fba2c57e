"""Which groups have spoken: the revision of their last row, what it said, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.state import Ledger, newest
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

SPOKEN = ("_revision", "_emitted", "_emitted_at", "_final", "_gone")
"""Of the last row: revision, event count, the clock; whether a final or late row went out; whether it was withdrawn."""


class Firings:
    """One row per group and window that has spoken and is still retained; the newest version counts.

    A window of a group is told apart by its bounds, or by its start alone where the end can move.
    """

    def __init__(self, keys: list[str], *, keyed: bool, store: Store, snapshot: dict[str, Any] | None) -> None:
        self.keyed = keyed
        self.identity = [*keys, "_window_start"] if keyed else [*keys, "_window_start", "_window_end"]
        self.ledger = Ledger("fired", store, self._reduce, snapshot)
        self.horizon: int | None = None
        self.newest = newest(self.identity, "_version")

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        return self._living(self.newest(frame, False)) if complete else self.newest(frame, False)

    def _living(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self.horizon is None:
            return frame
        return frame.filter((pl.col("_closes_at") > self.horizon).fill_null(value=True))

    def forget(self, horizon: int) -> None:
        """Windows that closed by then are beyond their lateness."""
        self.horizon = horizon
        if not self.keyed:
            self.ledger.drop_below(horizon + 1)

    def read(self, groups: pl.DataFrame) -> pl.DataFrame | None:
        """What is remembered in the cells of these groups (their `_cell`), one row for each."""
        if not self.ledger.segments or groups.is_empty():
            return None
        found = self.ledger.look_up(groups["_cell"].unique().sort())
        return None if found is None else self._living(self.newest(found, False))

    def joined(self, groups: pl.DataFrame, remembered: pl.DataFrame | None) -> pl.DataFrame:
        """Groups with what is remembered of them; those that have not spoken are at revision 0."""
        if remembered is None:
            said = pl.lit(None).alias("_said")
            blank = groups.with_columns(*(pl.lit(None, pl.Int64).alias(name) for name in SPOKEN[:3]), said)
            blank = blank.with_columns(pl.lit(None, pl.Boolean).alias(name) for name in SPOKEN[3:])
        else:
            columns = [*self.identity, *SPOKEN, "_said"]
            blank = groups.join(remembered.select(columns), on=self.identity, how="left", nulls_equal=True)
        return blank.with_columns(
            pl.col("_revision").fill_null(0),
            pl.col("_emitted").fill_null(0),
            pl.col("_final").fill_null(value=False),
            pl.col("_gone").fill_null(value=True),
        )

    def record(self, rows: pl.DataFrame, number: int) -> None:
        """Remember rows that went out in batch `number`."""
        names = ["_cell", *self.identity, *(["_window_end"] if self.keyed else []), "_closes_at", *SPOKEN, "_said"]
        self.ledger.append(rows.select(names).with_columns(pl.lit(number, pl.Int64).alias("_version")))

    def bury(self, groups: pl.DataFrame, number: int, horizon: int) -> None:
        """Forget groups without bounds (`_cell` and key) that have outlived their time."""
        nothing = [pl.lit(None, pl.Int64).alias(name) for name in ("_window_start", "_window_end", "_emitted_at")]
        zeros = [pl.lit(0, pl.Int64).alias(name) for name in ("_revision", "_emitted")]
        marks = (pl.lit(value=False).alias("_final"), pl.lit(value=True).alias("_gone"), pl.lit(None).alias("_said"))
        grave = groups.with_columns(*nothing, *zeros, *marks, pl.lit(horizon, pl.Int64).alias("_closes_at"))
        self.record(grave, number)
