"""Partitions whose rows wait for others: when each was heard of last, so that those that stay silent are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.panes import LEAST
from velostream.windows.state import Ledger
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Silence:
    """A ledger of partitions by the newest event time of their rows. One that was heard of again stands in it twice:
    who asks looks at the rows themselves."""

    def __init__(self, over: list[str], store: Store, snapshot: dict[str, Any] | None) -> None:
        self.over = over
        self.ledger = Ledger("heard", store, lambda frame, _: frame.unique(), snapshot)
        self.complete = snapshot is not None
        """False where rows may be kept of a time at which nobody listened."""

    def heard(self, rows: pl.DataFrame) -> None:
        """Partitions have these rows now, some of which wait."""
        newest = rows.group_by(self.over).agg(pl.col("_event_time").max().alias("_newest"))
        self.ledger.append(newest.rename({"_cell": "_slot", "_newest": "_cell"}))

    def since(self, horizon: int) -> pl.DataFrame | None:
        """The partitions that may have been silent since then, once each; None for none."""
        found = self.ledger.read([(LEAST, horizon)])
        self.ledger.drop_below(horizon + 1)
        return None if found is None else found.drop("_cell").rename({"_slot": "_cell"}).unique()
