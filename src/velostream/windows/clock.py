"""Groups that wait for the clock: early rows and fallbacks come by processing time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.moment import Moment
from velostream.windows.panes import LEAST
from velostream.windows.state import Ledger
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Clock:
    """Keys and windows by the time at which they are to be asked. Whether they then speak, the emission decides."""

    def __init__(self, store: Store, snapshot: dict[str, Any] | None) -> None:
        self.ledger = Ledger("clock", store, lambda frame, _: frame.unique(), snapshot)

    def wait(self, groups: pl.DataFrame) -> None:
        """Remember groups by their `_due`."""
        self.ledger.append(groups.rename({"_due": "_cell"}).unique())

    def ringing(self, moment: Moment) -> pl.DataFrame | None:
        """The groups whose time has come; they wait no longer."""
        if not moment.clocked:
            return None
        found = self.ledger.read([(LEAST, moment.now)])
        self.ledger.drop_below(moment.now + 1)
        return None if found is None else found.drop("_cell").unique()

    @property
    def next(self) -> int | None:
        """When the clock should be looked at again."""
        floor = self.ledger.floor if self.ledger.floor is not None else LEAST
        return min((max(segment.low, floor) for segment in self.ledger.segments), default=None)
