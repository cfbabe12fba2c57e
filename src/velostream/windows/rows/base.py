"""What both kinds of row windows share: refusing, finding the rows of keys, letters, the root of their state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.accumulators.base import ERROR
from velostream.windows.emission.base import CHANGE
from velostream.windows.facts import Facts
from velostream.windows.failed import lose
from velostream.windows.lateness import TOO_LATE, LateStrategy
from velostream.windows.outcome import Outcome, letters
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.rows.settings import RowSettings
from velostream.windows.rows.silence import Silence
from velostream.windows.state import Ledger, newest, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

NO_EVENT_TIME = "no_event_time"


class RowOperator:
    """A row window over micro-batches; subclasses say what a batch brings about."""

    def __init__(self, settings: RowSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.keys = list(settings.partition)
        self.before: int | None = None
        self.made = Made({"operator": settings.kind, "keys": ", ".join(self.keys)})
        saved = read_root(store, self.made)
        self.saved = saved
        self.number: int = saved.get("number", 0)
        self.open: int = saved.get("open", 0)
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.reduce = newest(self.over, "_version")
        self.rows = Ledger("rows", store, self._latest, saved.get("rows"))
        self.ledgers: list[Ledger] = [self.rows]
        self.silence: Silence | None = None
        if settings.waits and settings.lasts is not None:
            self.silence = Silence(self.over, store, saved.get("heard"))
            self.ledgers.append(self.silence.ledger)
        self.lost: list[pl.DataFrame] = []

    @property
    def over(self) -> list[str]:
        """What makes a partition."""
        return ["_cell", *self.keys]

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch: input rows with the results of the row functions come back."""
        stats = Stats(read=rows.height, open=self.open)
        before = self.before = self.watermark.value
        self.number += 1
        self.lost = []
        timed = rows.filter(pl.col("_event_time").is_not_null())
        if timed.height < rows.height:
            self._lose(rows.filter(pl.col("_event_time").is_null()), NO_EVENT_TIME, before, stats)
        cell = pl.col("_hash").cast(pl.Int64) if "_hash" in rows.columns else pl.lit(0, pl.Int64)
        after = self.watermark.advance(facts)
        self._let_go(before, stats)
        said = self.step(timed.with_columns(cell.alias("_cell")), before, after, facts, stats)
        failed = said.clear()
        if ERROR in said.columns:
            failed = said.filter(pl.col(ERROR).is_not_null())
            said = said.filter(pl.col(ERROR).is_null()).drop(ERROR)
        stats.failed_groups = failed.height
        lose(stats, self.unanswered(failed))
        stats.emitted.update(self.kinds(said))
        stats.watermark = after
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = self.watermark.holders()
        self.open = stats.open
        self._save(stats)
        dead = stacked(self.lost) if self.lost else letters(rows.clear(), "", None, dead=True)
        said = said.with_columns(pl.lit(after, pl.Int64).alias("_watermark"))
        return Outcome(said, dead, failed, stats, outgoing=self.outgoing(after))

    def unanswered(self, failed: pl.DataFrame) -> int:
        """How many records are in no row since these, which are theirs, failed."""
        return failed.height

    def kinds(self, said: pl.DataFrame) -> dict[str, int]:
        """How many rows of each kind go out."""
        return {CHANGE: said.height}

    def outgoing(self, after: int | None) -> int | None:
        """How far the event time of the rows that still come is known."""
        return after

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """The rows that go out, in event order; `rows` have a time and a cell."""
        raise NotImplementedError

    def more(self) -> dict[str, Any]:
        """What a subclass remembers beside its tables."""
        return {}

    def waiting_of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Of the rows that are kept, those that have been in no result yet."""
        raise NotImplementedError

    def given_up(self, rows: pl.DataFrame) -> None:
        """Rows that waited will be in no result."""

    def _let_go(self, before: int | None, stats: Stats) -> None:
        """What waits in partitions that are silent for longer than they are remembered goes, by the user's choice."""
        if self.silence is None or self.settings.lasts is None or before is None:
            return
        if not self.silence.complete:
            self._listen(self._stored(None))
            self.silence.complete = True
        horizon = before - self.settings.lasts
        perhaps = self.silence.since(horizon)
        found = None if perhaps is None else self._stored(perhaps)
        if found is None:
            return
        gone = found.filter(pl.col("_event_time").max().over(self.over) <= horizon)
        if gone.is_empty():
            return
        lost = self.waiting_of(gone)
        stats.open -= lost.height
        if lost.height:
            stats.dropped[self.settings.let_go_by] += lost.height
            self.given_up(lost)
        partitions = gone.select(self.over).unique()
        stats.expired_groups += partitions.height
        self._hold(gone.clear(), partitions)

    def _listen(self, rows: pl.DataFrame | None) -> None:
        if self.silence is None or rows is None:
            return
        waiting = self.waiting_of(rows).select(self.over).unique()
        self.silence.heard(rows.join(waiting, on=self.over, how="semi", nulls_equal=True))

    def _lose(self, rows: pl.DataFrame, reason: str, watermark: int | None, stats: Stats) -> None:
        """Letters for rows that are in no result."""
        if rows.is_empty():
            return
        dead = reason != TOO_LATE or self.settings.lateness.strategy is LateStrategy.DEAD_LETTER
        (stats.dead_lettered if dead else stats.dropped)[reason] += rows.height
        self.lost.append(letters(rows, reason, watermark, dead=dead))

    def _held(self, wanted: pl.DataFrame | None) -> pl.DataFrame | None:
        """The rows that are kept for keys (`_cell` and key), or for all."""
        found = self._stored(wanted)
        living = None if found is None else self._fresh(found)
        return None if living is None or living.is_empty() else living

    def _stored(self, wanted: pl.DataFrame | None) -> pl.DataFrame | None:
        """The same, silent partitions included."""
        found = self.rows.read() if wanted is None else self.rows.look_up(wanted["_cell"].unique().sort())
        if found is None:
            return None
        if wanted is not None:
            found = found.join(wanted, on=self.over, how="semi", nulls_equal=True)
        return self.reduce(found, True).drop("_version", "_gone")

    def _fresh(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Without partitions that have been silent for longer than their time to live."""
        lasts = self.settings.lasts
        if lasts is None or self.before is None or rows.is_empty():
            return rows
        return rows.filter(pl.col("_event_time").max().over(self.over) > self.before - lasts)

    def _latest(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        latest = self.reduce(frame, complete)
        return self._fresh(latest) if complete else latest

    def _hold(self, rows: pl.DataFrame, wanted: pl.DataFrame) -> None:
        """Keep these rows for the wanted keys, and nothing else of them."""
        version = pl.lit(self.number, pl.Int64).alias("_version")
        empty = wanted.join(rows.select(self.over), on=self.over, how="anti", nulls_equal=True)
        gone = empty.with_columns(version, pl.lit(value=True).alias("_gone"))
        held = rows.with_columns(version, pl.lit(value=False).alias("_gone"))
        self.rows.append(stacked([held, gone]) if gone.height else held)
        self._listen(rows)

    def _save(self, stats: Stats) -> None:
        for ledger in self.ledgers:
            ledger.tidy()
        stats.weigh(self.ledgers, self.store.cached)
        root = {
            "number": self.number,
            "open": self.open,
            "watermark": self.watermark.snapshot(),
            **{ledger.name: ledger.snapshot() for ledger in self.ledgers},
            **self.more(),
        }
        write_root(self.store, self.made, root)
