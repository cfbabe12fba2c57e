"""Sliding windows: one size, a new one every `advance`."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, ClassVar

from velostream.durations import show
from velostream.errors import InvalidWindow
from velostream.windows.assigners.aligned import Aligned, floor
from velostream.windows.assigners.base import GRACE, OFFSET, RETENTION, TIME, WindowParameter, positive

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

MOST_WINDOWS = 100_000
"""More windows per record than this is a slip of the pen, not a query."""


@dataclass(frozen=True, slots=True)
class Sliding(Aligned):
    """`WINDOW SLIDING(size, advance)`: every window whose [start, end) holds the event time.

    Records are aggregated once, into panes as long as the greatest common divisor of size and advance.
    """

    size: int
    advance: int
    offset: int = 0

    name: ClassVar[str] = "SLIDING"
    aliases: ClassVar[tuple[str, ...]] = ("HOPPING", "HOP")
    parameters: ClassVar[tuple[WindowParameter, ...]] = (
        TIME,
        WindowParameter("size", required=True, words=("SIZE",)),
        WindowParameter("advance", required=True, words=("ADVANCE BY", "ADVANCE", "SLIDE")),
        OFFSET,
        GRACE,
        RETENTION,
    )

    def __post_init__(self) -> None:
        positive("sliding", size=self.size, advance=self.advance)
        if self.advance > self.size:
            message = f"sliding window leaves gaps: advance {show(self.advance)} exceeds size {show(self.size)}"
            raise InvalidWindow(message, hint="shorten the advance, or use TUMBLING for windows back to back")
        if self.size // self.pane > MOST_WINDOWS:
            panes = self.size // self.pane
            message = f"sliding window of {show(self.size)} by {show(self.advance)} falls into {panes:,} panes"
            raise InvalidWindow(message, hint=f"lengthen the advance: at most {MOST_WINDOWS:,} panes make a window")

    @property
    def pane(self) -> int:
        """The longest stretch that no bound divides."""
        return gcd(self.size, self.advance)

    @property
    def advance_by(self) -> int:
        """The advance."""
        return self.advance

    def bounds(self, pane: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        """Every start k · advance with start ≤ pane < start + size."""
        if self.pane == self.size:
            return pane, pane + self.size
        newest = floor(pane, self.advance, self.offset)
        oldest = floor(pane - self.size, self.advance, self.offset) + self.advance
        starts = pl.int_ranges(oldest, newest + 1, self.advance)
        return starts, pl.int_ranges(oldest + self.size, newest + self.size + 1, self.advance)

    def first_end(self, event_time: pl.Expr) -> pl.Expr:
        """The oldest window that holds the record ends first."""
        return floor(event_time - self.size, self.advance, self.offset) + self.advance + self.size
