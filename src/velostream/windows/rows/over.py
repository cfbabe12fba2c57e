"""Standard OVER: a row goes out when the watermark has passed its time, in event order, so that it equals batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.accumulators.base import POSITION
from velostream.windows.facts import Facts
from velostream.windows.lateness import TOO_LATE
from velostream.windows.panes import LEAST
from velostream.windows.rows.base import RowOperator
from velostream.windows.rows.continuing import Continuing
from velostream.windows.rows.settings import RowSettings
from velostream.windows.state import Ledger
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class OverOperator(RowOperator):
    """Rows wait until the watermark passes them; of each key as many are kept as later rows can look back on."""

    def __init__(self, settings: RowSettings, store: Store) -> None:
        super().__init__(settings, store)
        self.continuing = Continuing(settings)
        self.waiting = Ledger("waiting", store, lambda frame, _: frame, self.saved.get("waiting"))
        self.pending = Ledger("pending", store, _summed, self.saved.get("pending"))
        self.ledgers += [self.waiting, self.pending]
        self.said_to: int | None = self.saved.get("said_to")

    def more(self) -> dict[str, Any]:
        """How far rows have gone out: a flush goes further than the watermark."""
        return {"said_to": self.said_to}

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """Refuse what comes after its place has been passed, let wait, release."""
        passed = max((edge for edge in (before, self.said_to) if edge is not None), default=None)
        accepted = self._accepted(rows, passed, before, stats).drop("_record", strict=False)
        stats.open += accepted.height
        self.waiting.append(accepted.rename({"_cell": "_slot"}).with_columns(pl.col("_event_time").alias("_cell")))
        said = self._released(accepted, after, flush=facts.flush)
        oldest = self.outgoing(after)
        if oldest is not None:
            self.pending.drop_below(oldest)
        stats.open -= said.height
        stats.in_results += said.height
        return said.sort(POSITION)

    def waiting_of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Those whose LEAD has not come."""
        return rows.filter(~pl.col("_said"))

    def given_up(self, rows: pl.DataFrame) -> None:
        """They hold the time of what goes out no longer."""
        self._await(rows, -1)

    def _accepted(self, rows: pl.DataFrame, passed: int | None, before: int | None, stats: Stats) -> pl.DataFrame:
        """Rows whose place has not been passed; the others are too late."""
        if passed is None:
            return rows
        late = pl.col("_event_time") < passed
        tardy = rows.filter(late).drop("_cell").with_columns((passed - pl.col("_event_time")).alias("_lateness"))
        stats.late_events += tardy.height
        self._lose(tardy, TOO_LATE, before, stats)
        return rows.filter(~late)

    def _released(self, rows: pl.DataFrame, after: int | None, *, flush: bool) -> pl.DataFrame:
        ready = None
        if flush:
            ready = self.waiting.read()
            self.waiting.clear()
        elif after is not None:
            ready = self.waiting.read([(LEAST, after - 1)])
            self.waiting.drop_below(after)
        if ready is None:
            ready = rows.clear()
        else:
            newest = int(ready["_event_time"].max()) + 1  # type: ignore[arg-type]
            self.said_to = newest if self.said_to is None else max(self.said_to, newest)
            ready = ready.drop("_cell").rename({"_slot": "_cell"})
        wanted = ready.select(self.over).unique()
        held = self._held(None if flush else wanted) if flush or wanted.height else None
        return self._continued(ready, held, flush=flush)

    def _continued(self, ready: pl.DataFrame, held: pl.DataFrame | None, *, flush: bool) -> pl.DataFrame:
        """What rows that follow the held ones say, and held ones that waited for them."""
        columns = [name for name in ready.columns if name != "_cell"]
        answers = self.continuing.answered(ready, held, self.over, flush=flush)
        self._await(answers.filter("_new"), 1)
        self._await(answers.filter("_due"), -1)
        kept = self.continuing.kept(answers)
        self._hold(kept, answers.select(self.over).unique())
        return answers.filter("_due").select(*columns, *self.continuing.results(answers))

    def _await(self, rows: pl.DataFrame, number: int) -> None:
        """Count the rows that have been released and wait for later ones, by their time."""
        if self.settings.leads and rows.height:
            counted = rows.group_by(pl.col("_event_time").alias("_cell")).agg(pl.len().cast(pl.Int64).alias("_n"))
            self.pending.append(counted.with_columns(pl.col("_n") * number))

    def outgoing(self, after: int | None) -> int | None:
        """Rows that wait for later ones hold it."""
        found = self.pending.read() if self.settings.leads and after is not None else None
        waiting = None if found is None else _summed(found, True)
        if after is None or waiting is None or waiting.is_empty():
            return after
        return min(after, int(waiting["_cell"].min()))  # type: ignore[arg-type]


def _summed(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    counted = frame.group_by("_cell").agg(pl.col("_n").sum())
    return counted.filter(pl.col("_n") != 0) if complete else counted
