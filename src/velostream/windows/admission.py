"""Who may enter: records with an honest time, the first of their key, and not too late for all of their windows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from velostream.replayed import LATE, MARK
from velostream.windows.dedup import Dedup
from velostream.windows.facts import CLOCK_SKEW, without_skewed
from velostream.windows.lateness import TOO_LATE, LateStrategy, judged
from velostream.windows.moment import Moment
from velostream.windows.outcome import letters
from velostream.windows.previous import Previous
from velostream.windows.settings import OperatorSettings
from velostream.windows.statistics import Stats
from velostream.windows.watermark import Strategy

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.keyed import Keyed
    from velostream.windows.panes import Panes
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

NO_EVENT_TIME = "no_event_time"


@dataclass(frozen=True, slots=True)
class Admitted:
    """Rows that are accepted, rows beyond retention that are processed all the same, and letters for the others."""

    accepted: pl.DataFrame
    reopening: pl.DataFrame
    """Rows beyond retention whose windows are opened again."""
    updates: pl.DataFrame
    """Rows beyond retention that are counted in the last closed window of their key."""
    letters: list[pl.DataFrame]


class Admission:
    """Judges the rows of a micro-batch against the watermark as it begins. Every row gets exactly one place."""

    def __init__(
        self, settings: OperatorSettings, shelf: Panes | Keyed, dedup: Dedup | None, previous: Previous | None
    ) -> None:
        self.settings = settings
        self.lateness = settings.lateness
        self.shelf = shelf
        self.dedup = dedup
        self.previous = previous

    def admit(self, rows: pl.DataFrame, moment: Moment, stats: Stats) -> Admitted:
        """Refuse, deduplicate, judge."""
        honest, refused = self._refuse(rows, moment, stats)
        if self.dedup is not None:
            honest, duplicates = self.dedup.split(honest, moment.before)
            stats.duplicates += duplicates.height
        placed = self._judged(honest, moment, stats)
        gone, fine = placed.filter(pl.col("_too_late")), placed.filter(~pl.col("_too_late"))
        if gone.is_empty():
            return Admitted(fine, gone, gone, refused)
        stats.dropped_after_lateness += gone.height
        admitted = Admitted(fine, gone.clear(), gone.clear(), refused)
        for strategy, part in self._strategies(gone):
            admitted = self._beyond(admitted, part, strategy, moment, stats)
        return admitted

    def _strategies(self, gone: pl.DataFrame) -> list[tuple[LateStrategy, pl.DataFrame]]:
        """Rows that are too late by what is to become of them: those that come again say it themselves."""
        own, again = self.lateness.strategy, pl.col("_source").str.contains(MARK, literal=True).fill_null(value=False)
        if not gone.select(again.any()).item():
            return [(own, gone)]
        found = [(own, gone.filter(~again))]
        for late in LATE:
            found.append(
                (LateStrategy(late), gone.filter(pl.col("_source").str.contains(f"{MARK}{late}", literal=True)))
            )
        return [(strategy, part) for strategy, part in found if part.height]

    def _refuse(self, rows: pl.DataFrame, moment: Moment, stats: Stats) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
        """Rows with an honest time, and letters for the others."""
        timeless = rows.filter(pl.col("_event_time").is_null())
        timed = rows.filter(pl.col("_event_time").is_not_null())
        honest, skewed = without_skewed(timed, moment.now, self.settings.max_clock_skew)
        refused = []
        for reason, found in ((NO_EVENT_TIME, timeless), (CLOCK_SKEW, skewed)):
            if found.height:
                stats.dead_lettered[reason] += found.height
                refused.append(letters(found, reason, moment.before, dead=True))
        return honest, refused

    def _judged(self, rows: pl.DataFrame, moment: Moment, stats: Stats) -> pl.DataFrame:
        """Rows with their place in time and whether they come too late; processing time knows no lateness."""
        if self.settings.watermark.strategy is Strategy.PROCESSING and moment.before is not None:
            arrival = pl.max_horizontal(pl.col("_event_time"), pl.lit(moment.before, pl.Int64))
            rows = rows.with_columns(arrival.alias("_event_time"))
        located = self.shelf.located(rows)
        classed = judged(located, moment.before, self.settings.assigner, self.lateness.allowed)
        classed = self.shelf.rescued(classed, moment)
        late = classed.filter(pl.col("_lateness").is_not_null())
        stats.late_events += late.height
        stats.lateness.add(late["_lateness"])
        stats.allowed_lateness_violations += int(late["_missed"].sum())
        return classed.with_columns(pl.col("_event_time").alias("_start"), pl.col("_event_time").alias("_end"))

    def _beyond(
        self, admitted: Admitted, gone: pl.DataFrame, strategy: LateStrategy, moment: Moment, stats: Stats
    ) -> Admitted:
        """What a strategy makes of rows that are too late, beside those that were admitted before."""
        if strategy.processes:
            stats.warnings += gone.height if strategy is LateStrategy.PROCESS_WITH_WARNING else 0
            return replace(admitted, reopening=pl.concat([admitted.reopening, gone]))
        if strategy is LateStrategy.INCLUDE_IN_NEXT:
            there = pl.lit(moment.before, pl.Int64)
            moved = gone.with_columns(there.alias("_start"), there.alias("_end"))
            return replace(admitted, accepted=pl.concat([admitted.accepted, moved]))
        if strategy is LateStrategy.UPDATE_PREVIOUS:
            admitted, gone = self._updating(admitted, gone, moment)
        if gone.is_empty():
            return admitted
        dead = strategy is not LateStrategy.DROP
        (stats.dead_lettered if dead else stats.dropped)[TOO_LATE] += gone.height
        lost = letters(gone, TOO_LATE, moment.before, dead=dead)
        return replace(admitted, letters=[*admitted.letters, lost])

    def _updating(self, admitted: Admitted, gone: pl.DataFrame, moment: Moment) -> tuple[Admitted, pl.DataFrame]:
        """Rows whose keys have a closed window that can speak again, and rows whose keys have none."""
        assert self.previous is not None, "update_previous keeps the last closed window of every key"
        updates, gone = self.previous.split(gone)
        if self.settings.assigner.keyed and moment.before is not None:
            homed, updates = self.previous.homed(updates, moment.before - self.lateness.allowed)
            admitted = replace(admitted, accepted=pl.concat([admitted.accepted, homed]))
        return replace(admitted, updates=updates), gone
