"""State of windows with bounds on the clock: fragments by pane, and an index of the windows that hold any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.contents import Contents
from velostream.windows.emission import Accumulation
from velostream.windows.firings import Firings
from velostream.windows.moment import Ask, Batch, Moment
from velostream.windows.settings import OperatorSettings
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.assigners.aligned import Aligned
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

WINDOW = ["_window_start", "_window_end"]
LEAST, MOST = -(1 << 62), 1 << 62


class Panes:
    """Appends without reading; reads the panes of the windows that may speak; lets go what no window needs.

    `fresh` counts the records that no final row has counted yet, by the end of their first window. Where rows discard
    what earlier rows have said, windows cannot share panes: then a fragment is of one window, and of the epoch between
    two of its rows.
    """

    def __init__(
        self,
        window: Aligned,
        settings: OperatorSettings,
        contents: Contents,
        firings: Firings,
        store: Store,
        snapshot: dict[str, Any],
    ) -> None:
        self.window = window
        self.keys = list(settings.keys)
        self.contents = contents
        self.firings = firings
        self.allowed = settings.lateness.allowed
        self.discards = settings.emission.accumulation is Accumulation.DISCARDING
        self.by = [*self.keys, "_start", "_end"]
        self.held_by = [*self.by, "_epoch"] if self.discards else self.by
        self.panes = Ledger("panes", store, self._reduce, snapshot.get("panes"))
        self.index = Ledger("index", store, _summed(["_cell", *WINDOW]), snapshot.get("index"))
        self.fresh = Ledger("fresh", store, _summed(["_cell"]), snapshot.get("fresh"))
        self.created, self.completed, self.deleted = snapshot.get("windows", (0, 0, 0))

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """All tables."""
        return self.panes, self.index, self.fresh

    def snapshot(self) -> dict[str, Any]:
        """The indices of all tables, and the numbers of windows."""
        tables: dict[str, Any] = {ledger.name: ledger.snapshot() for ledger in self.ledgers}
        return {**tables, "windows": (self.created, self.completed, self.deleted)}

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        return self.contents.join(frame, ["_cell", *self.held_by])

    def celled(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Groups with the cell of their firings: their close."""
        return groups.with_columns(pl.col("_closes_at").alias("_cell"))

    def counted(self, number: pl.Expr, moment: Moment, *, at_once: bool) -> pl.Expr:
        """How many of the `number` records of a fragment of a gathered frame are counted by the rows of now."""
        touched, first = pl.col("_touched"), self.window.first_end(pl.col("_start"))
        if at_once:
            return pl.when(touched).then(number).otherwise(0)
        open_before = first > (LEAST if moment.before is None else moment.before)
        closed = first <= (MOST if moment.flush else LEAST if moment.after is None else moment.after)
        return pl.when((touched | open_before) & closed).then(number).otherwise(0)

    def located(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows as they are: time finds their cell."""
        return rows

    def rescued(self, rows: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        """Rows as they are: their windows depend on nothing else."""
        return rows

    def absorb(self, placed: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> pl.DataFrame:
        """The fragments of a batch; its records are open until their first window closes, or not at all."""
        if placed.height:
            records = placed.group_by("_start", "_end").agg(pl.len().cast(pl.Int64).alias("n"))
            self._count(records, moment, stats, at_once=at_once)
        if not self.discards:
            return self.contents.absorb(placed, self.by)
        return self.contents.absorb(self._by_epoch(placed, moment), self.held_by)

    def take(self, fragments: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> pl.DataFrame:
        """Fragments that were combined before, with the number of their `_records`."""
        records = fragments.group_by("_start", "_end").agg(pl.col("_records").sum().alias("n"))
        self._count(records, moment, stats, at_once=at_once)
        return fragments.drop("_records", "_hash", strict=False)

    def _by_epoch(self, placed: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        rows = self.window.windows(placed, self.keys)
        horizon = moment.closed_by(self.allowed)
        rows = rows if horizon is None else rows.filter(pl.col("_closes_at") > horizon)
        rows = rows.with_columns(pl.col("_window_start").alias("_start"), pl.col("_window_end").alias("_end"))
        return self._epochs(rows).rename({"_revision": "_epoch"})

    def _epochs(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Groups with the `_revision` of their last row."""
        celled = self.celled(groups)
        return self.firings.joined(celled, self.firings.read(celled)).select(*groups.columns, "_revision")

    def _windows(self, fragments: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        if not self.discards:
            return self.window.windows(fragments, keys)
        start, end = pl.col("_start"), pl.col("_end")
        return fragments.with_columns(start.alias("_window_start"), end.alias("_window_end"), end.alias("_closes_at"))

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """The cells that hold the fragments of a window."""
        return (end, end) if self.discards else (start + self.window.pane, end)

    def gather(self, delta: pl.DataFrame, moment: Moment, ask: Ask) -> pl.DataFrame | None:
        """The fragments of all groups that may speak, once per window; `_touched` are those of this batch.

        Windows that close now are asked whole. Of windows that the batch touches, only the touched groups are asked,
        and only where they may speak: always where emission is eager, else where they have closed or spoken before.
        """
        touched = self._touched(delta, moment, ask)
        due = self._due(moment) if ask.at_close else None
        timers = ask.timers
        asked = [frame.select(WINDOW) for frame in (touched, due, timers) if frame is not None and not frame.is_empty()]
        if not asked:
            return None
        windows = pl.concat(asked).unique()
        old = self.panes.read(self._ranges(windows))
        parts = [delta.with_columns(pl.lit(value=True).alias("_touched"))]
        if old is not None:
            parts.insert(0, old.drop("_cell").with_columns(pl.lit(value=False).alias("_touched")))
        exploded = self._windows(stacked(parts), self.keys)
        named = [frame for frame in (touched, timers) if frame is not None and not frame.is_empty()]
        chosen = self._chosen(exploded, None if due is None else self._closing(moment), named)
        if not self.discards:
            return chosen
        return self._epochs(chosen).filter(pl.col("_epoch") == pl.col("_revision")).drop("_revision", "_epoch")

    def _chosen(self, exploded: pl.DataFrame, due: tuple[int, int] | None, named: list[pl.DataFrame]) -> pl.DataFrame:
        """Fragments of windows that close within bounds, and of the groups that are named."""
        closes = pl.lit(value=False) if due is None else pl.col("_closes_at").is_between(*due)
        keep = [exploded.filter(closes)]
        rest = exploded.filter(~closes) if named else exploded.clear()
        groups = [*self.keys, *WINDOW]
        for frame in named:
            keep.append(rest.join(frame.select(groups), on=groups, how="semi", nulls_equal=True))
            rest = rest.join(frame.select(groups), on=groups, how="anti", nulls_equal=True)
        return pl.concat(keep)

    def _touched(self, delta: pl.DataFrame, moment: Moment, ask: Ask) -> pl.DataFrame | None:
        if delta.is_empty():
            return None
        retained = self._windows(delta.select("_start", "_end").unique(), []).select(WINDOW).unique()
        horizon, closed = moment.closed_by(self.allowed), moment.closed_by()
        if horizon is not None:
            retained = retained.filter(pl.col("_window_end") > horizon)
        if not ask.eager:
            may = pl.lit(value=False) if closed is None else pl.col("_window_end") <= closed
            for segment in ask.spoken.segments:
                may = may | pl.col("_window_end").is_between(segment.low, segment.high)
            retained = retained.filter(may)
        if retained.is_empty():
            return None
        groups = self._windows(delta.select(self.by), self.keys).select(*self.keys, *WINDOW).unique()
        return groups.join(retained, on=WINDOW, how="semi")

    def _closing(self, moment: Moment) -> tuple[int, int] | None:
        """The ends of the windows that close now: the first and the last."""
        high = MOST if moment.flush else moment.after
        low = LEAST if moment.before is None else moment.before + 1
        return None if high is None or low > high else (low, high)

    def _due(self, moment: Moment) -> pl.DataFrame | None:
        closing = self._closing(moment)
        return None if closing is None else self.index.read([closing])

    def _ranges(self, windows: pl.DataFrame) -> list[tuple[int, int]]:
        """The cells that hold the panes of windows, as few stretches."""
        ranges: list[tuple[int, int]] = []
        for start, end in windows.sort(WINDOW).iter_rows():
            low, high = self._span(start, end)
            if ranges and low <= ranges[-1][1] + self.window.pane:
                ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
            else:
                ranges.append((low, high))
        return ranges

    def _count(self, panes: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> None:
        first = panes.select(self.window.first_end(pl.col("_start")).alias("_cell"), "n")
        closed = moment.closed_by()
        waiting = first.filter(pl.col("_cell") > closed) if closed is not None else first
        waiting = waiting.clear() if at_once else waiting
        self.fresh.append(waiting.group_by("_cell").agg(pl.col("n").sum()))
        total, held = int(panes["n"].sum()), int(waiting["n"].sum())
        stats.in_results += total - held
        stats.open += held
        windows = self.window.windows(panes, []).group_by(WINDOW).agg(pl.col("n").sum())
        horizon = moment.closed_by(self.allowed)
        if horizon is not None:
            windows = windows.filter(pl.col("_window_end") > horizon)
        self._enter(windows.with_columns(pl.col("_window_end").alias("_cell")), closed, stats)

    def _enter(self, windows: pl.DataFrame, closed: int | None, stats: Stats) -> None:
        if windows.is_empty():
            return
        known = self.index.read([(int(windows["_cell"].min()), int(windows["_cell"].max()))])  # type: ignore[arg-type]
        new = windows if known is None else windows.join(known, on=WINDOW, how="anti")
        late = 0 if closed is None else new.filter(pl.col("_cell") <= closed).height
        if closed is not None:
            stats.windows_with_late_data += windows.filter(pl.col("_cell") <= closed).height
        self.created += new.height
        self.completed += late
        stats.windows_created += new.height
        stats.windows_completed += late
        self.index.append(windows.select("_cell", *WINDOW, "n"))

    def keep(self, batch: Batch, moment: Moment, stats: Stats) -> None:
        """Store what the batch brought; settle what has closed; let go what is beyond the lateness."""
        gone = moment.closing_by(self.allowed)
        floor = None if gone is None else gone + 1 if self.discards else self.window.horizon(gone) + self.window.pane
        fragments = batch.delta.drop("_critical", strict=False).with_columns(pl.col("_end").alias("_cell"))
        self.panes.append(fragments if floor is None else fragments.filter(pl.col("_cell") >= floor))
        self._settle(moment, stats)
        due = (
            None if moment.after is None else self._due(Moment(moment.before, moment.after, moment.now, moment.number))
        )
        if due is not None:
            closing = due.select(WINDOW).unique().height
            self.completed += closing
            stats.windows_completed += closing
        if gone is not None and floor is not None:
            expired = self.index.read([(LEAST, gone)])
            deleted = 0 if expired is None else expired.select(WINDOW).unique().height
            self.deleted += deleted
            self.index.drop_below(gone + 1)
            self.panes.drop_below(floor)
            self.fresh.drop_below((moment.after or 0) + 1)
        stats.open_windows = self.created - self.completed
        stats.windows_held = self.completed - self.deleted

    def _settle(self, moment: Moment, stats: Stats) -> None:
        high = MOST if moment.flush else moment.after
        counted = None if high is None else self.fresh.read([(LEAST, high)])
        if counted is None:
            return
        settled = int(counted["n"].sum())
        stats.in_results += settled
        stats.open -= settled
        if moment.flush:
            self.fresh.clear()


def _summed(by: list[str]) -> Any:
    def reduce(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        return frame.group_by(by).agg(pl.col("n").sum())

    return reduce
