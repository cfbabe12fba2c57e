"""Records that wait until what they are part of is asked: how many, and how far back they hold the watermark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Waiting:
    """By the end of a window, or 0 where there are none: the number of records, and their smallest event time."""

    def __init__(self, snapshot: Mapping[str, list[int]] | None) -> None:
        self.counts = {int(end): list(both) for end, both in (snapshot or {}).items()}

    def add(self, rows: pl.DataFrame, end: pl.Expr) -> None:
        """Rows that begin to wait."""
        if rows.is_empty():
            return
        oldest = pl.col("_event_time").min().alias("oldest")
        for key, number, time in rows.group_by(end.alias("_end")).agg(pl.len().alias("n"), oldest).iter_rows():
            held = self.counts.get(key, [0, time])
            self.counts[key] = [held[0] + number, min(held[1], time)]

    def release(self, ends: Iterable[int] | None) -> int:
        """How many records wait no longer; None is all of them."""
        return sum(self.counts.pop(end, [0, 0])[0] for end in (list(self.counts) if ends is None else ends))

    @property
    def number(self) -> int:
        """How many wait."""
        return sum(number for number, _ in self.counts.values())

    def holding(self, after: int | None) -> int | None:
        """How far the event time of rows to come is known."""
        return after if after is None else min([after, *(oldest for _, oldest in self.counts.values())])
