"""What all windows with bounds on the clock share: panes, and the windows that panes make up."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Aligned:
    """Windows cut from panes: equal stretches of time, aligned to the epoch plus the offset, that no bound divides.

    A window type says its pane, its size, the advance from one window to the next (of one kind), and the windows of a
    pane; all else follows. Times are microseconds, and division is by floor, so that negative times fall right too.
    """

    __slots__ = ()
    keyed: ClassVar[bool] = False
    moves: ClassVar[bool] = False

    size: int
    offset: int

    @property
    def pane(self) -> int:
        """How long a pane is."""
        return self.size

    @property
    def advance_by(self) -> int:
        """From the start of one window to the start of the next."""
        return self.size

    def bounds(self, pane: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        """Starts and ends of all windows that hold a pane, as two lists, oldest first."""
        raise NotImplementedError

    def pane_of(self, event_time: pl.Expr) -> pl.Expr:
        """The start of the pane that holds a time."""
        return floor(event_time, self.pane, self.offset)

    def place(self, rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Rows with the bounds of their pane."""
        start = self.pane_of(pl.col("_start"))
        return rows.with_columns(start.alias("_start"), (start + self.pane).alias("_end"))

    def windows(self, fragments: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Each pane once per window that holds it; a window closes when the watermark reaches its end."""
        starts, ends = self.bounds(pl.col("_start"))
        exploded = fragments.with_columns(starts.alias("_window_start"), ends.alias("_window_end"))
        if self.pane == self.size:
            return exploded.with_columns(pl.col("_window_end").alias("_closes_at"))
        exploded = exploded.explode("_window_start", "_window_end")
        return exploded.with_columns(pl.col("_window_end").alias("_closes_at"))

    def first_end(self, event_time: pl.Expr) -> pl.Expr:
        """The end of the oldest window that holds a record: until then it is open."""
        return self.pane_of(event_time) + self.pane

    def outlived(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """True where the newest window that holds a record ends at or before `time`."""
        return floor(event_time, self.advance_by, self.offset) + self.size <= time

    def missed(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """How many of a record's windows end at or before `time`."""
        _, ends = self.bounds(self.pane_of(event_time))
        if self.pane == self.size:
            return (ends <= time).cast(pl.Int64)
        return ends.list.eval(pl.element() <= time).list.sum().cast(pl.Int64)

    def horizon(self, time: int) -> int:
        """The first pane that belongs to a window ending after `time`; all panes before it can go."""
        return (time - self.size - self.offset) // self.advance_by * self.advance_by + self.offset + self.advance_by


def floor(event_time: pl.Expr, step: int, offset: int) -> pl.Expr:
    """The largest multiple of `step`, plus the offset, that is not above a time; right for negative times."""
    shifted = event_time - offset
    return shifted - shifted.mod(step) + offset
