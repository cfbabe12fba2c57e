"""LIMIT without an order on a stream: the first n rows that come, then the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import POSITION
from velostream.windows.emission.base import CHANGE
from velostream.windows.facts import Facts
from velostream.windows.outcome import Outcome, letters
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark, WatermarkSettings

if TYPE_CHECKING:
    import polars as pl

MADE = Made({"operator": "the first rows of all"})


class LimitOperator:
    """Lets the first n rows through, within a micro-batch those of the smallest position; it counts on for ever."""

    def __init__(self, limit: int, watermark: WatermarkSettings, store: Store) -> None:
        self.limit = limit
        self.store = store
        saved = read_root(store, MADE)
        self.watermark = Watermark(watermark, saved.get("watermark"))
        self.passed: int = saved.get("passed", 0)

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch. Rows beyond the limit are hidden, and counted like the others."""
        stats = Stats(read=rows.height, in_results=rows.height)
        first = rows.sort(POSITION).head(max(self.limit - self.passed, 0)).drop("_record", strict=False)
        self.passed += first.height
        stats.emitted[CHANGE] = first.height
        stats.watermark = self.watermark.advance(facts)
        stats.partitions = self.watermark.report(facts.now)
        write_root(self.store, MADE, {"watermark": self.watermark.snapshot(), "passed": self.passed})
        none = letters(rows.clear(), "", None, dead=True)
        return Outcome(first, none, rows.clear(), stats, done=self.passed >= self.limit)
