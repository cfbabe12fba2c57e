"""Rows as they stand: of partitions that are answered as a whole, anew with every change of one of their rows.

What is said is the difference to what was said before: rows that are new or other than before go out with the next
revision, rows that no longer stand are withdrawn. ORDER BY, LIMIT, DISTINCT, top-N and row windows over rows that are
corrected are answers of this kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import ERROR
from velostream.windows.contents import ORIGIN, ORIGIN_REVISION
from velostream.windows.emission.base import CHANGE, EARLY, FINAL, LATE
from velostream.windows.facts import Facts
from velostream.windows.lateness import TOO_LATE, LateStrategy
from velostream.windows.outcome import Outcome, letters
from velostream.windows.panes import LEAST, MOST
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.rows.answer import Due, StandingSettings
from velostream.windows.rows.base import NO_EVENT_TIME
from velostream.windows.rows.held import Held, refuse_scattered, with_origin
from velostream.windows.rows.said import Said, outgoing
from velostream.windows.rows.waiting import Waiting
from velostream.windows.state import completed, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass
class _Batch:
    """One micro-batch on its way: the watermark before and after, what was lost, which windows were asked."""

    before: int | None
    after: int | None
    flush: bool
    stats: Stats
    lost: list[pl.DataFrame] = field(default_factory=list)
    asked: set[int] | None = None


class Standing:
    """Partitions of rows. Rows may have an origin (whose row it is), its revision, and whether it is withdrawn."""

    def __init__(self, settings: StandingSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.over = ["_cell", *settings.partition]
        self.made = Made({"operator": settings.answer.kind, "keys": ", ".join(settings.partition)})
        saved = read_root(store, self.made)
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.number: int = saved.get("number", 0)
        self.waiting = Waiting(saved.get("waiting"))
        self.rows = Held(self.over, store, saved.get("rows"))
        identity = [] if settings.by_partition else [ORIGIN]
        self.said = Said(self.over, identity, store, saved.get("said"), lives=settings.ttl is not None)

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch."""
        self.number += 1
        before = self.watermark.value
        if self.settings.ttl is not None and before is not None:
            self.rows.horizon = self.said.horizon = before - self.settings.ttl
        stats = Stats(read=rows.height)
        batch = _Batch(before, self.watermark.advance(facts), facts.flush, stats)
        arrived = self._arrived(rows, batch)
        windowed = self.settings.due is Due.AT_CLOSE
        self.waiting.add(arrived, pl.col("_cell") if windowed else pl.lit(0, pl.Int64))
        self.rows.add(arrived, self.number)
        said, failed = self._answers(arrived, batch)
        stats.in_results = self.waiting.release(batch.asked)
        stats.open = self.waiting.number
        if batch.after is not None and windowed:
            for ledger in (self.rows.ledger, self.said.ledger):
                ledger.drop_below(batch.after - self.settings.lateness.allowed + 1)
        stats.watermark, stats.failed_groups = batch.after, failed.height
        stats.partitions = self.watermark.report(facts.now)
        self._save(stats)
        dead = stacked(batch.lost) if batch.lost else letters(rows.clear(), "", None, dead=True)
        said = said.with_columns(pl.lit(batch.after, pl.Int64).alias("_watermark"))
        return Outcome(said, dead, failed, stats, outgoing=self.waiting.holding(batch.after))

    def _arrived(self, rows: pl.DataFrame, batch: _Batch) -> pl.DataFrame:
        """Rows with a cell and an origin; without those that have no time, or come after their window is gone."""
        timeless = pl.col("_event_time").is_null()
        self._lose(rows.filter(timeless), NO_EVENT_TIME, batch)
        rows = with_origin(rows.filter(~timeless), self.number).with_columns(self._cell(rows).alias("_cell"))
        if batch.before is None or self.settings.due is not Due.AT_CLOSE:
            return rows
        late = pl.col("_cell") + self.settings.lateness.allowed <= batch.before
        self._lose(
            rows.filter(late).with_columns((batch.before - pl.col("_event_time")).alias("_lateness")), TOO_LATE, batch
        )
        return rows.filter(~late)

    def _cell(self, rows: pl.DataFrame) -> pl.Expr:
        if self.settings.due is Due.AT_CLOSE:
            close = pl.col(self.settings.close) if self.settings.close else pl.col("_event_time") + 1
            return close.cast(pl.Int64)
        return pl.col("_hash").cast(pl.Int64) if "_hash" in rows.columns else pl.lit(0, pl.Int64)

    def _lose(self, rows: pl.DataFrame, reason: str, batch: _Batch) -> None:
        if rows.is_empty():
            return
        late = reason == TOO_LATE
        dead = not late or self.settings.lateness.strategy is LateStrategy.DEAD_LETTER
        (batch.stats.dead_lettered if dead else batch.stats.dropped)[reason] += rows.height
        batch.stats.late_events += rows.height if late else 0
        batch.lost.append(letters(rows, reason, batch.before, dead=dead))

    def _answers(self, arrived: pl.DataFrame, batch: _Batch) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows that go out, and those whose functions failed."""
        found, was = self._due(arrived, batch)
        if found is None:
            found = arrived.clear().drop("_record", strict=False).with_columns(pl.lit(0, pl.Int64).alias("_version"))
        if self.settings.in_one_partition:
            refuse_scattered(found, self.settings.partition)
        found = completed(found, arrived.drop("_record", strict=False))
        found, was, forgotten = self._fresh(found, self.said.of(was))
        living = self.rows.living(found)
        living = living.with_columns((pl.col("_version") == self.number).alias("_new")).drop("_version")
        answers = self.settings.answer.answered(_with_revisions(living, was, self.said.by), self.over)
        answers = self._without_late(answers, arrived, batch)
        failed = answers.clear()
        if ERROR in answers.columns:
            failed = answers.filter(pl.col(ERROR).is_not_null())
            answers = answers.filter(pl.col(ERROR).is_null())
        if was is not None and "_fixed" in answers.columns:
            fixed = answers.filter("_fixed").select(self.said.by)
            was = was.join(fixed, on=self.said.by, how="anti", nulls_equal=True)
        stand = pl.col("_listed") & ~pl.col("_fixed") if "_fixed" in answers.columns else pl.col("_listed")
        now = self._labelled(answers.filter(stand).drop("_revision"), was, batch)
        if self.settings.ttl is not None:
            now = now.with_columns(pl.col("_event_time").max().over(self.over).alias("_newest"))
        news, gone = self.said.differing(now, was, self.settings.shown, self.number)
        if forgotten is not None:
            self.said.forget(forgotten.join(news, on=self.said.by, how="anti", nulls_equal=True), self.number)
        if "_leaves" in answers.columns:
            self._let_go(answers.filter("_leaves"))
        rows = self._spoken(now, news, gone)
        for emission, number in rows["_emission"].value_counts().iter_rows():
            batch.stats.emitted[emission] = number
        return rows, failed

    def _due(self, arrived: pl.DataFrame, batch: _Batch) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
        """The rows of partitions that are asked, and what was said of them."""
        rows, said = self.rows.ledger, self.said.ledger
        if self.settings.due is Due.AT_FLUSH:
            batch.asked = None if batch.flush else set()
            return (rows.read(), said.read()) if batch.flush else (None, None)
        if self.settings.due is Due.AT_CLOSE:
            batch.asked = self._closing(arrived, batch)
            cells = pl.Series(sorted(batch.asked), dtype=pl.Int64)
            return rows.look_up(cells), said.look_up(cells)
        touched = arrived.select(self.over).unique()
        cells = touched["_cell"].unique().sort()
        return _among(rows.look_up(cells), touched), _among(said.look_up(cells), touched)

    def _closing(self, arrived: pl.DataFrame, batch: _Batch) -> set[int]:
        """The ends of windows that are asked: those that close now, and those that changed after they spoke."""
        ends: set[int] = set()
        high = MOST if batch.flush else batch.after
        low = LEAST if batch.before is None else batch.before + 1
        if high is not None and low <= high and not self.settings.changes:
            closing = self.rows.ledger.read([(low, high)])
            ends |= set() if closing is None else set(closing["_cell"].unique().to_list())
        touched = arrived["_cell"].unique().sort()
        spoken = self.said.ledger.look_up(touched)
        again = set() if spoken is None else set(spoken["_cell"].unique().to_list())
        if self.settings.kind:
            again |= set(arrived.filter(pl.col(self.settings.kind) == EARLY)["_cell"].to_list())
        past = LEAST if batch.before is None else batch.before
        return ends | {end for end in touched if self.settings.changes or end in again or end <= past}

    def _fresh(
        self, found: pl.DataFrame, was: pl.DataFrame | None
    ) -> tuple[pl.DataFrame, pl.DataFrame | None, pl.DataFrame | None]:
        """The rows without old ones of partitions that are forgotten; what was said of others, and what of these."""
        stale = self.rows.stale(found, self.number)
        if stale.is_empty():
            return found, was, None
        partitions = stale.select(self.over).unique()
        old = pl.col("_version") < self.number
        new = found.filter(~old)
        self.rows.bury(stale.join(new, on=[*self.over, ORIGIN], how="anti", nulls_equal=True), self.number)
        found = stacked([found.filter(old).join(partitions, on=self.over, how="anti", nulls_equal=True), new])
        if was is None:
            return found, was, None
        forgotten = was.join(partitions, on=self.over, how="semi", nulls_equal=True)
        return found, was.join(partitions, on=self.over, how="anti", nulls_equal=True), forgotten

    def _labelled(self, now: pl.DataFrame, was: pl.DataFrame | None, batch: _Batch) -> pl.DataFrame:
        """Rows with `_emission`, as they are said if they are, and `_final`."""
        if self.settings.due is Due.AT_ONCE:
            given = pl.col(self.settings.kind) if self.settings.kind else pl.lit(None, pl.String)
            return now.with_columns(given.fill_null(CHANGE).alias("_emission"), pl.lit(value=False).alias("_final"))
        final = [] if was is None else was.filter("_final")["_cell"].unique().to_list()
        spoken = pl.col("_cell").is_in(final)
        if self.settings.due is Due.AT_FLUSH:
            label = pl.when(spoken).then(pl.lit(LATE)).otherwise(pl.lit(FINAL))
            return now.with_columns(label.alias("_emission"), pl.lit(value=True).alias("_final"))
        closed = pl.col("_cell") <= (LEAST if batch.before is None else batch.before)
        closes = pl.col("_cell") <= (MOST if batch.flush else LEAST if batch.after is None else batch.after)
        if self.settings.changes:
            label = pl.when(closed).then(pl.lit(LATE)).otherwise(pl.lit(CHANGE))
            return now.with_columns(label.alias("_emission"), pl.lit(value=False).alias("_final"))
        label = pl.when(closed | spoken).then(pl.lit(LATE)).when(closes).then(pl.lit(FINAL)).otherwise(pl.lit(EARLY))
        return now.with_columns(label.alias("_emission"), (closes | spoken).alias("_final"))

    def _spoken(self, now: pl.DataFrame, news: pl.DataFrame, gone: pl.DataFrame) -> pl.DataFrame:
        if self.settings.whole and news.height + gone.height:
            revision = pl.lit(self.number, pl.Int64).alias("_revision")
            nothing = pl.lit(None, news.schema["_previous"]).alias("_previous")
            news, gone = now.with_columns(revision, nothing), gone.clear()
        elif self.settings.due is Due.AT_ONCE:
            again = (pl.col("_revision") > 1) & (pl.col("_emission") == FINAL)
            label = pl.when(again).then(pl.lit(LATE)).otherwise(pl.col("_emission"))
            news = news.with_columns(label.alias("_emission"))
        rows = outgoing(news, gone if self.settings.withdraws else gone.clear(), self.settings.shown)
        if self.settings.ttl is not None and self.settings.by_partition:
            rows = rows.with_columns(pl.lit(self.number, pl.Int64).alias(ORIGIN_REVISION))
        return rows if self.settings.keeps_previous else rows.drop("_previous")

    def _without_late(self, answers: pl.DataFrame, arrived: pl.DataFrame, batch: _Batch) -> pl.DataFrame:
        """Rows that an answer takes for too late become letters, and are let go."""
        if "_late" not in answers.columns:
            return answers
        late = answers.filter("_late")
        unsaid = pl.col("_revision") == 0
        if late.height:
            self.rows.bury(late.filter(unsaid), self.number)
            by = [*self.over, ORIGIN]
            tardy = arrived.join(late.select(by), on=by, how="semi", nulls_equal=True)
            self._lose(tardy, TOO_LATE, batch)
            self.waiting.counts[0][0] -= tardy.height
        return answers.filter(~(pl.col("_late") & unsaid))

    def _let_go(self, leaving: pl.DataFrame) -> None:
        self.rows.bury(leaving, self.number)
        if not self.settings.by_partition:
            self.said.forget(leaving, self.number)

    def _save(self, stats: Stats) -> None:
        ledgers = (self.rows.ledger, self.said.ledger)
        for ledger in ledgers:
            ledger.tidy()
        stats.weigh(ledgers, self.store.cached)
        root = {"number": self.number, "watermark": self.watermark.snapshot(), "waiting": self.waiting.counts}
        write_root(self.store, self.made, root | {ledger.name: ledger.snapshot() for ledger in ledgers})


def _among(found: pl.DataFrame | None, partitions: pl.DataFrame) -> pl.DataFrame | None:
    if found is None:
        return None
    return found.join(partitions, on=partitions.columns, how="semi", nulls_equal=True)


def _with_revisions(living: pl.DataFrame, was: pl.DataFrame | None, by: list[str]) -> pl.DataFrame:
    """Rows with the revision that was said of them, 0 for none."""
    if was is None:
        return living.with_columns(pl.lit(0, pl.Int64).alias("_revision"))
    joined = living.join(was.select(*by, "_revision"), on=by, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(pl.col("_revision").fill_null(0))
