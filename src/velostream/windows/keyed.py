"""State of windows whose bounds depend on the events of a key, and of groups without a window: fragments by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.contents import Contents
from velostream.windows.emission import Accumulation
from velostream.windows.moment import Ask, Batch, Moment
from velostream.windows.panes import LEAST
from velostream.windows.settings import OperatorSettings
from velostream.windows.state import Ledger, newest, stacked
from velostream.windows.statistics import STATE_TTL, Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.assigners import Assigner
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

OWN = ("_fresh", "_seen")
"""Beside its contents a fragment has the number of records that no final row has counted yet, and its newest event."""


class Keyed:
    """Each batch writes the fragments of the keys that it changed anew; of each key the newest version counts.

    `alarms` are keys by the watermark at which one of their windows closes, or is to be let go. `outlived` are the
    groups whose time to live ended with the last batch.
    """

    def __init__(
        self, window: Assigner, settings: OperatorSettings, contents: Contents, store: Store, snapshot: dict[str, Any]
    ) -> None:
        keys = list(settings.keys)
        self.window = window
        self.keys = keys
        self.contents = contents
        self.allowed = settings.lateness.allowed
        self.ttl = settings.ttl
        self.joins = not settings.replaces
        discards = settings.emission.accumulation is Accumulation.DISCARDING
        self.discarded = list(settings.aggregation.state) if discards else []
        self.by = ["_cell", *keys, "_start", "_end"]
        self.groups = Ledger("groups", store, newest(["_cell", *keys], "_version"), snapshot.get("groups"))
        self.alarms = Ledger("alarms", store, lambda frame, _: frame.unique(), snapshot.get("alarms"))
        self.windows_kept, self.windows_held = snapshot.get("windows", (0, 0))
        self.earlier: pl.DataFrame | None = None
        self.outlived: pl.DataFrame | None = None

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """All tables."""
        return self.groups, self.alarms

    def snapshot(self) -> dict[str, Any]:
        """The indices of all tables, and the numbers of windows."""
        tables: dict[str, Any] = {ledger.name: ledger.snapshot() for ledger in self.ledgers}
        return {**tables, "windows": (self.windows_kept, self.windows_held)}

    def celled(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Groups as they are: they know the cell of their key."""
        return groups

    def counted(self, number: pl.Expr, moment: Moment, *, at_once: bool) -> pl.Expr:
        """How many of the `number` records of a fragment of a gathered frame are counted by the rows of now."""
        return pl.when("_touched").then(number).otherwise(0) if at_once else pl.col("_fresh").fill_null(0)

    def located(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with the hash of their key as `_cell`; without one, all keys share a cell."""
        slot = pl.col("_hash").cast(pl.Int64) if "_hash" in rows.columns else pl.lit(0, pl.Int64)
        return rows.with_columns(slot.alias("_cell"))

    def rescued(self, rows: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        """Rows with `_too_late` taken back where an event, too old by itself, joins a window that is still retained."""
        horizon = moment.closed_by(self.allowed)
        late = rows.filter(pl.col("_too_late"))
        if horizon is None or late.is_empty():
            return rows
        wanted = late.select("_cell", *self.keys).unique()
        numbered = rows.with_row_index("_row").with_columns(
            pl.col("_event_time").alias("_start"), pl.col("_event_time").alias("_end")
        )
        chain = [self._of(numbered, wanted).select(*self.by, "_row")]
        current = self._current(wanted)
        if current is not None:
            chain.append(current.select(self.by))
        windows = self.window.windows(pl.concat(chain, how="diagonal"), self.keys)
        alive = windows.filter(pl.col("_row").is_not_null() & (pl.col("_closes_at") > horizon)).select("_row")
        flagged = rows.with_row_index("_row").join(
            alive.with_columns(pl.lit(value=True).alias("_alive")), on="_row", how="left"
        )
        still = pl.col("_too_late") & pl.col("_alive").is_null()
        return flagged.with_columns(still.alias("_too_late")).drop("_row", "_alive")

    def absorb(self, placed: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> pl.DataFrame:
        """The fragments of a batch; its records are open until a row counts them, or not at all."""
        if at_once:
            stats.in_results += placed.height
        else:
            stats.open += placed.height
        fresh = pl.lit(0, pl.Int64) if at_once else pl.len().cast(pl.Int64)
        own = placed.group_by(self.by).agg(fresh.alias("_fresh"), pl.col("_event_time").max().alias("_seen"))
        return self.contents.absorb(placed, self.by).join(own, on=self.by, how="left", nulls_equal=True)

    def take(self, fragments: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> pl.DataFrame:
        """Fragments that were combined before, with the number of their `_records`."""
        total = int(fragments["_records"].sum())
        stats.in_results += total if at_once else 0
        stats.open += 0 if at_once else total
        fresh = pl.lit(0, pl.Int64) if at_once else pl.col("_records")
        own = fragments.with_columns(fresh.alias("_fresh"), pl.col("_end").alias("_seen"))
        return self.located(own).drop("_records", "_hash", strict=False)

    def gather(self, delta: pl.DataFrame, moment: Moment, ask: Ask) -> pl.DataFrame | None:
        """All fragments of the keys that the batch touches, that an alarm names, or of all keys on a flush."""
        wanted = [delta.select("_cell", *self.keys)] if delta.height else []
        ringing = None if moment.after is None else self.alarms.read([(LEAST, moment.after)])
        if ringing is not None:
            wanted.append(ringing.select(pl.col("_slot").alias("_cell"), *self.keys))
        if ask.timers is not None and ask.timers.height:
            wanted.append(ask.timers.select(pl.col("_slot").alias("_cell"), *self.keys))
        if not wanted and not moment.flush:
            return None
        chosen = None if moment.flush else pl.concat(wanted).unique()
        current = self._current(chosen)
        self.earlier = None if current is None else self._distinct(self.window.windows(current, self.keys))
        parts = [delta.with_columns(pl.lit(value=True).alias("_touched"))] if delta.height else []
        if current is not None:
            parts.insert(0, self._before(current).with_columns(pl.lit(value=False).alias("_touched")))
        return self._windows(stacked(parts)) if parts else None

    def _before(self, current: pl.DataFrame) -> pl.DataFrame:
        """Fragments with `_was`, the start of the window that they were in."""
        living, withdrawn = self.contents.parted(current, self.by)
        windows = self.window.windows(living, self.keys).select(*current.columns, pl.col("_window_start").alias("_was"))
        return stacked([windows, withdrawn]) if withdrawn.height else windows

    def _windows(self, fragments: pl.DataFrame) -> pl.DataFrame:
        """Fragments with their windows; touched are also those that moved, and those whose neighbour was withdrawn."""
        living, withdrawn = self.contents.parted(fragments, self.by)
        windows = self.window.windows(living, self.keys)
        if "_was" not in fragments.columns:
            return stacked([windows, self.window.windows(withdrawn, self.keys)]) if withdrawn.height else windows
        moved = pl.col("_was").is_not_null() & (pl.col("_was") != pl.col("_window_start"))
        if withdrawn.height:
            left = fragments.join(withdrawn.filter("_touched"), on=self.by, how="semi", nulls_equal=True)
            lost = left.filter(pl.col("_was").is_not_null()).select(
                *self.keys, "_was", pl.lit(value=True).alias("_lost")
            )
            windows = windows.join(lost.unique(), on=[*self.keys, "_was"], how="left", nulls_equal=True)
            moved = moved | pl.col("_lost").fill_null(value=False)
            windows = stacked([windows, self.window.windows(withdrawn, self.keys)])
        windows = windows.with_columns((pl.col("_touched") | moved).alias("_touched"))
        return windows.drop("_was", "_lost", strict=False)

    def _current(self, wanted: pl.DataFrame | None) -> pl.DataFrame | None:
        """The fragments of keys as they are stored; of all keys where none are named."""
        found = self.groups.read() if wanted is None else self.groups.look_up(wanted["_cell"].unique().sort())
        if found is None:
            return None
        if wanted is not None:
            found = self._of(found, wanted)
        living = self.groups.reduce(found, True)
        return None if living.is_empty() else living.drop("_version", "_gone")

    def _of(self, frame: pl.DataFrame, wanted: pl.DataFrame) -> pl.DataFrame:
        return frame.join(wanted, on=["_cell", *self.keys], how="semi", nulls_equal=True)

    def keep(self, batch: Batch, moment: Moment, stats: Stats) -> None:
        """Store the keys that changed without what is beyond its lateness, and set their alarms."""
        stats.open_windows, stats.windows_held = self.windows_kept - self.windows_held, self.windows_held
        self.outlived = None
        if batch.asked is None:
            return
        exploded = self._flagged(batch.asked, batch.final, "_settled")
        if self.discarded:
            exploded = self._flagged(exploded, batch.spoken, "_discarded")
            unsaid = pl.when(~pl.col("_discarded"))
            exploded = exploded.with_columns(unsaid.then(pl.col(name)).alias(name) for name in self.discarded)
        settled = pl.col("_settled")
        exploded = exploded.with_columns(
            (settled & (pl.col("_fresh") > 0)).alias("_settled"), self._expired(moment).alias("_expired")
        )
        counted = int(exploded.filter(pl.col("_settled"))["_fresh"].sum())
        stats.in_results += counted
        stats.open -= counted
        exploded = exploded.with_columns(
            pl.when(pl.col("_settled")).then(0).otherwise(pl.col("_fresh")).alias("_fresh")
        )
        self._let_go(exploded, stats)
        changes = ["_touched", "_settled", "_expired", *(["_discarded"] if self.discarded else [])]
        changed = exploded.filter(pl.any_horizontal(changes)).select("_cell", *self.keys).unique()
        kept = self._of(exploded.filter(~pl.col("_expired")), changed)
        self._alarm(kept, moment)
        self._write(kept, changed, moment)
        self._count(exploded, moment, stats)
        if moment.after is not None:
            self.alarms.drop_below(moment.after + 1)

    def _distinct(self, windows: pl.DataFrame) -> pl.DataFrame:
        return windows.select("_cell", *self.keys, "_window_start", "_closes_at").unique()

    def _count(self, exploded: pl.DataFrame, moment: Moment, stats: Stats) -> None:
        """How many windows there are, as the difference between before and now of the keys that were asked."""
        now = self._distinct(exploded)
        kept = self._distinct(exploded.filter(~pl.col("_expired")))
        identity = ["_cell", *self.keys, "_window_start"]
        before = now.clear() if self.earlier is None else self.earlier
        stats.windows_created += now.join(before, on=identity, how="anti", nulls_equal=True).height
        closed_now, closed_before = _closed(now, moment.after), _closed(before, moment.before)
        stats.windows_completed += closed_now.join(closed_before, on=identity, how="anti", nulls_equal=True).height
        self.windows_kept += kept.height - before.height
        self.windows_held += _closed(kept, moment.after).height - closed_before.height
        stats.open_windows, stats.windows_held = self.windows_kept - self.windows_held, self.windows_held

    def _flagged(self, exploded: pl.DataFrame, rows: pl.DataFrame, name: str) -> pl.DataFrame:
        """Fragments with a flag: true for those whose window is among the rows."""
        if rows.is_empty():
            return exploded.with_columns(pl.lit(value=False).alias(name))
        group = [*self.keys, "_window_start"]
        flags = rows.select(group).unique().with_columns(pl.lit(value=True).alias(name))
        flagged = exploded.join(flags, on=group, how="left", nulls_equal=True)
        return flagged.with_columns(pl.col(name).fill_null(value=False))

    def _expired(self, moment: Moment) -> pl.Expr:
        if moment.after is None:
            return pl.lit(value=False)
        over = (pl.col("_closes_at") <= moment.after - self.allowed).fill_null(value=False)
        if self.ttl is None:
            return over
        return over | (
            pl.col("_closes_at").is_null()
            & (pl.col("_seen").max().over(self.keys or [pl.lit(0)]) <= moment.after - self.ttl)
        )

    def _let_go(self, exploded: pl.DataFrame, stats: Stats) -> None:
        """What expires without ever having been in a row was dropped by the time to live that the user set."""
        gone = exploded.filter(pl.col("_expired") & pl.col("_closes_at").is_null())
        self.outlived = gone.select("_cell", *self.keys).unique() if gone.height else None
        if gone.height:
            unsaid = int(gone["_fresh"].sum())
            stats.expired_groups += gone.select(self.keys).unique().height if self.keys else 1
            stats.open -= unsaid
            if unsaid:
                stats.dropped[STATE_TTL] += unsaid

    def _alarm(self, kept: pl.DataFrame, moment: Moment) -> None:
        """The next time at which something happens to a key."""
        if kept.is_empty():
            return
        closing = pl.col("_closes_at")
        if moment.after is not None:
            closing = pl.when(closing > moment.after).then(closing).otherwise(closing + self.allowed)
        when = closing if self.ttl is None else pl.coalesce(closing, pl.col("_seen") + self.ttl)
        alarms = kept.select(when.alias("_when"), pl.col("_cell").alias("_slot"), *self.keys)
        alarms = alarms.filter(pl.col("_when").is_not_null()).unique()
        self.alarms.append(alarms.rename({"_when": "_cell"}))

    def _write(self, kept: pl.DataFrame, changed: pl.DataFrame, moment: Moment) -> None:
        version = (pl.lit(moment.number, pl.Int64).alias("_version"), pl.lit(value=False).alias("_gone"))
        parts = []
        if kept.height:
            bare = self.window.place(kept, self.keys) if self.joins else kept
            own = bare.group_by(self.by).agg(pl.col("_fresh").sum(), pl.col("_seen").max())
            held = self.contents.join(bare, self.by).join(own, on=self.by, how="left", nulls_equal=True)
            parts.append(held.with_columns(*version))
        empty = changed
        if kept.height:
            empty = changed.join(
                kept.select("_cell", *self.keys), on=["_cell", *self.keys], how="anti", nulls_equal=True
            )
        if empty.height:
            parts.append(
                empty.with_columns(pl.lit(moment.number, pl.Int64).alias("_version"), pl.lit(value=True).alias("_gone"))
            )
        if parts:
            self.groups.append(stacked(parts))


def _closed(windows: pl.DataFrame, watermark: int | None) -> pl.DataFrame:
    return windows.clear() if watermark is None else windows.filter(pl.col("_closes_at") <= watermark)
