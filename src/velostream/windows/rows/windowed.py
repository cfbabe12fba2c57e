"""Row functions within a time window: when it closes all its rows are known, so every function has an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.accumulators.base import POSITION
from velostream.windows.facts import Facts
from velostream.windows.lateness import TOO_LATE
from velostream.windows.panes import LEAST
from velostream.windows.rows.base import RowOperator
from velostream.windows.rows.functions import POSITIONS, aggregates, expression, positioned, with_frame
from velostream.windows.rows.settings import Frame, RowSettings, Unit
from velostream.windows.state import Ledger
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.assigners.aligned import Aligned
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

WINDOW = ["_window_start", "_window_end"]


class WindowedOperator(RowOperator):
    """Rows wait for their windows to close; a row that is in several goes out with each of them."""

    def __init__(self, settings: RowSettings, window: Aligned, store: Store) -> None:
        super().__init__(settings, store)
        self.window = window
        self.frame = settings.frame or Frame(Unit.RANGE, None, 0)
        self.waiting = Ledger("waiting", store, lambda frame, _: frame, self.saved.get("waiting"))
        self.ledgers.append(self.waiting)
        self.said_to: int | None = self.saved.get("said_to")

    def more(self) -> dict[str, Any]:
        """Up to which end windows have spoken: a flush goes further than the watermark."""
        return {"said_to": self.said_to}

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """Let rows wait in each of their windows that has not spoken, and release the windows that close."""
        passed = max((edge for edge in (before, self.said_to) if edge is not None), default=LEAST)
        fragments = rows.with_columns(pl.col("_event_time").alias("_start"), pl.col("_event_time").alias("_end"))
        spread = self.window.windows(self.window.place(fragments, self.keys), self.keys).drop("_start", "_end")
        time = pl.col("_event_time")
        late = self.window.outlived(time, passed)
        tardy = rows.filter(late).drop("_cell").with_columns((passed - time).alias("_lateness"))
        stats.late_events += tardy.height
        stats.allowed_lateness_violations += spread.filter(pl.col("_window_end") <= passed).height
        self._lose(tardy, TOO_LATE, before, stats)
        held = spread.filter(pl.col("_window_end") > passed)
        first = pl.col("_window_end") == pl.col("_window_end").min().over(POSITION)
        held = held.rename({"_cell": "_slot"}).with_columns(first.alias("_fresh"), pl.col("_closes_at").alias("_cell"))
        stats.open += rows.height - tardy.height
        self.waiting.append(held.drop("_closes_at"))
        return self._released(held.drop("_closes_at").clear(), after, stats, flush=facts.flush)

    def _released(self, none: pl.DataFrame, after: int | None, stats: Stats, *, flush: bool) -> pl.DataFrame:
        ready = None
        if flush:
            ready = self.waiting.read()
            self.waiting.clear()
        elif after is not None:
            ready = self.waiting.read([(LEAST, after)])
            self.waiting.drop_below(after + 1)
        if ready is None:
            return self._answered(none)
        newest = int(ready["_window_end"].max())  # type: ignore[arg-type]
        self.said_to = newest if self.said_to is None else max(self.said_to, newest)
        settled = int(ready["_fresh"].sum())
        stats.in_results += settled
        stats.open -= settled
        return self._answered(ready)

    def _answered(self, ready: pl.DataFrame) -> pl.DataFrame:
        keys = [*self.keys, *WINDOW]
        rows = ready.drop("_cell", "_fresh").rename({"_slot": "_cell"})
        plain = [name for name in self.keys if not rows.schema[name].is_nested()]
        placed = with_frame(positioned(rows.sort(["_cell", *plain, *WINDOW, *POSITION]), keys), keys, self.frame)
        answered = placed.with_columns(expression(call, self.settings) for call in self.settings.calls)
        said = aggregates(self.settings, placed, answered)
        return said.drop([*POSITIONS, "_cell"]).sort(["_window_end", *POSITION])
