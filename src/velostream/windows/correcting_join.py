"""Joins of two streams whose rows may be corrected: a row that comes anew replaces what was made of it before.

The rows of both sides are held as they stand, by their origin. For the keys that something happens to, all that stands
is joined anew, and what differs from what went out goes out: a pair that says something else with its next revision,
one that is no more as a withdrawal. Nothing changes a row once the watermark, less the lateness, has passed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.durations import show
from velostream.windows.contents import ORIGIN, ORIGIN_GONE
from velostream.windows.emission.base import FINAL, LATE
from velostream.windows.facts import Facts
from velostream.windows.joining import IDS, LEFT, RIGHT, SIDE, TIMES, JoinSettings, admitted, cell, met
from velostream.windows.outcome import Outcome, letters
from velostream.windows.panes import LEAST, MOST
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.rows.held import newest_of, with_origin
from velostream.windows.rows.said import PREVIOUS, Said, outgoing
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

OPEN, MET, ALONE, BOUND = 0, 1, 2, 3
"""What has become of a row that stands: something may meet it, something has, nothing will, or something has that never
changes again and is forgotten before the row itself is."""
_STATE, _NOW, _SETTLES = "_state", "_state_now", "_newest"


class _Spoken(Said):
    """What went out of each pair, until nothing can change it any more: its time never moves."""

    def _touch(self, now: pl.DataFrame, was: pl.DataFrame, number: int) -> None:
        pass


class CorrectingJoin:
    """The join of one bucket of keys. Rows come with `_side`, the keys, the columns of their side, and an origin where
    they may be corrected."""

    def __init__(self, settings: JoinSettings, keeps_previous: bool, store: Store) -> None:
        self.settings = settings
        self.keeps_previous = keeps_previous
        self.store = store
        bounds = f"{show(settings.lower)} to {show(settings.upper)}"
        keys = ", ".join(settings.keys)
        self.made = Made({"operator": "join of rows that may be corrected", "keys": keys, "bounds": bounds})
        saved = read_root(store, self.made)
        self.open: int = saved.get("open", 0)
        self.number: int = saved.get("number", 0)
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.horizon: int | None = None
        """Rows that settle before it never change again."""
        self.held = Ledger("rows", store, self._reduce, saved.get("rows"))
        self.due = Ledger("due", store, _all, saved.get("due"))
        """The keys of rows by the time at which nothing can meet these any more."""
        self.said = _Spoken(["_cell", *IDS], (), store, saved.get("said"))
        self.columns = [name for side in settings.columns for name in side]
        self.shown = [*TIMES, *self.columns]

    def _settles(self) -> pl.Expr:
        """The last time at which a row may come that meets a row, or the row itself again."""
        left, right = (max(self.settings.deadline(side), 0) for side in (LEFT, RIGHT))
        return pl.col("_event_time") + pl.when(pl.col(SIDE) == LEFT).then(left).otherwise(right)

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        return self._living(frame) if complete else newest_of(frame, ["_cell", SIDE])

    def _living(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows that stand and may still change, or be met."""
        living = newest_of(frame, ["_cell", SIDE]).filter(~pl.col(ORIGIN_GONE))
        return living if self.horizon is None else living.filter(self._settles() >= self.horizon)

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch: what is joined otherwise now, and rows that nothing will meet any more."""
        stats = Stats(read=rows.height)
        self.number += 1
        before, allowed = self.watermark.value, self.settings.lateness.allowed
        self.horizon = None if before is None else before - allowed
        self.said.horizon = None if self.horizon is None else self.horizon - 1
        timed, lost = admitted(rows, before, self.settings.lateness, stats)
        after = self.watermark.advance(facts)
        arrived = self._arrived(timed)
        passed = None if after is None else after - allowed
        end = MOST if facts.flush else LEAST if passed is None else passed
        cells = self._touched(arrived, end)
        held = self.held.look_up(cells) if cells.len() else None
        stood = arrived.clear() if held is None else self._living(held)
        standing = self._living(arrived if held is None else stacked([held, arrived]))
        pairs = self._pairs(standing)
        standing = self._judged(standing, pairs, end, LEAST if passed is None else passed)
        said = pairs.select("_cell", *IDS, *self.shown, _SETTLES)
        results = self._differing(stacked([said, *self._alone(standing)]), cells)
        self._count(stood, standing, arrived.height, stats)
        self._hold(arrived, standing, passed)
        for emission, number in results["_emission"].value_counts().iter_rows():
            stats.emitted[emission] = number
        stats.watermark = after
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = self.watermark.holders()
        self._save(stats)
        dead = stacked(lost) if lost else letters(rows.clear(), "", None, dead=True)
        return Outcome(results, dead, results.clear(), stats)

    def _arrived(self, rows: pl.DataFrame) -> pl.DataFrame:
        """New rows as they are held; when they settle is put down."""
        named = with_origin(rows, self.number).with_columns(
            cell(rows).alias("_cell"),
            pl.lit(OPEN, pl.Int8).alias(_STATE),
            pl.lit(self.number, pl.Int64).alias("_version"),
        )
        arrived = named.drop("_record", "_hash", strict=False)
        fresh = arrived.filter(~pl.col(ORIGIN_GONE))
        self.due.append(fresh.select((self._settles() + 1).alias("_cell"), pl.col("_cell").alias("_slot")))
        return arrived

    def _touched(self, arrived: pl.DataFrame, end: int) -> pl.Series:
        """The cells of keys that something happens to: rows came, or the time of some is over."""
        due = self.due.read([(LEAST, end)])
        cells = [arrived["_cell"], *([] if due is None else [due["_slot"].alias("_cell")])]
        return pl.concat(cells).unique().sort()

    def _pairs(self, standing: pl.DataFrame) -> pl.DataFrame:
        """All pairs of rows that stand."""
        sides: list[pl.DataFrame] = []
        for side in (LEFT, RIGHT):
            settles = self._settles().alias(f"{_SETTLES}{side}")
            mine = standing.filter(pl.col(SIDE) == side)
            own = ("_cell", *self.settings.keys, "_event_time", *self.settings.columns[side])
            sides.append(mine.select(*own, pl.col(ORIGIN).alias(IDS[side]), settles))
        both = [f"{_SETTLES}{side}" for side in (LEFT, RIGHT)]
        paired = met(sides[LEFT], sides[RIGHT], self.settings)
        return paired.select("_cell", *IDS, *self.shown, *both, pl.min_horizontal(both).alias(_SETTLES))

    def _judged(self, standing: pl.DataFrame, pairs: pl.DataFrame, end: int, passed: int) -> pl.DataFrame:
        """Rows that stand with what has become of each now."""
        found = [
            pairs.select(
                "_cell",
                pl.lit(side, standing.schema[SIDE]).alias(SIDE),
                pl.col(IDS[side]).alias(ORIGIN),
                (pl.col(f"{_SETTLES}{1 - side}") < passed).alias("_binds"),
            )
            for side in (LEFT, RIGHT)
        ]
        meets = pl.concat(found).group_by("_cell", SIDE, ORIGIN).agg(pl.col("_binds").any())
        bound = (pl.col(_STATE) == BOUND) | pl.col("_binds").fill_null(value=False)
        over = (pl.col(_STATE) == ALONE) | (self._settles() + 1 <= end)
        state = pl.when(bound).then(BOUND).when(pl.col("_binds").is_not_null()).then(MET).when(over).then(ALONE)
        judged = standing.join(meets, on=["_cell", SIDE, ORIGIN], how="left")
        return judged.with_columns(state.otherwise(OPEN).cast(pl.Int8).alias(_NOW)).drop("_binds")

    def _alone(self, standing: pl.DataFrame) -> list[pl.DataFrame]:
        """Rows of the sides that are kept, of those that nothing will meet."""
        made = []
        for side in (LEFT, RIGHT):
            if not self.settings.keeps[side]:
                continue
            mine = standing.filter((pl.col(SIDE) == side) & (pl.col(_NOW) == ALONE))
            other = [pl.lit(None, standing.schema[name]).alias(name) for name in self.settings.columns[1 - side]]
            made.append(
                mine.with_columns(
                    pl.col(ORIGIN).alias(IDS[side]),
                    pl.lit(None, pl.String).alias(IDS[1 - side]),
                    pl.col("_event_time").alias(TIMES[side]),
                    pl.lit(None, pl.Int64).alias(TIMES[1 - side]),
                    self._settles().alias(_SETTLES),
                    *other,
                ).select("_cell", *IDS, *self.shown, _SETTLES)
            )
        return made

    def _differing(self, now: pl.DataFrame, cells: pl.Series) -> pl.DataFrame:
        """What goes out, since it is not what went out before."""
        found = self.said.ledger.look_up(cells) if cells.len() else None
        was = self.said.of(found)
        if was is not None and self.horizon is not None:
            was = was.filter(pl.col(_SETTLES) >= self.horizon)
        final = now.with_columns(pl.lit(value=False).alias("_final"))
        news, gone = self.said.differing(final, was, self.shown, self.number)
        label = pl.when(pl.col("_revision") > 1).then(pl.lit(LATE)).otherwise(pl.lit(FINAL))
        said = outgoing(news.with_columns(label.alias("_emission")), gone, [*IDS, *self.shown])
        said = said.sort(["_emission", *IDS], descending=[True, False, False], nulls_last=True)
        wanted = [*IDS, *self.shown, "_emission", "_revision"]
        return said.select(*wanted, PREVIOUS) if self.keeps_previous else said.select(wanted)

    def _count(self, stood: pl.DataFrame, standing: pl.DataFrame, came: int, stats: Stats) -> None:
        """Each row that came is open, unmatched, or in results, as is one that was replaced or withdrawn."""
        opened = standing.filter(pl.col(_NOW) == OPEN).height - stood.filter(pl.col(_STATE) == OPEN).height
        lost = [side for side in (LEFT, RIGHT) if not self.settings.keeps[side]]
        unmet = pl.col(SIDE).is_in(lost)
        alone = standing.filter(unmet & (pl.col(_NOW) == ALONE)).height
        alone -= stood.filter(unmet & (pl.col(_STATE) == ALONE)).height
        self.open += opened
        stats.open = self.open
        stats.unmatched += alone
        stats.in_results += came - opened - alone

    def _hold(self, arrived: pl.DataFrame, standing: pl.DataFrame, passed: int | None) -> None:
        """Keeps what is new, and what has become of rows."""
        new = pl.col("_version") == self.number
        changed = standing.filter(new | (pl.col(_STATE) != pl.col(_NOW))).drop(_STATE).rename({_NOW: _STATE})
        self.held.append(arrived.filter(pl.col(ORIGIN_GONE)))
        self.held.append(changed.with_columns(pl.lit(self.number, pl.Int64).alias("_version")).select(arrived.columns))
        if passed is not None:
            self.due.drop_below(passed + 1)

    def _save(self, stats: Stats) -> None:
        ledgers = (self.held, self.due, self.said.ledger)
        for ledger in ledgers:
            ledger.tidy()
        stats.weigh(ledgers, self.store.cached)
        saved: dict[str, Any] = {"open": self.open, "number": self.number, "watermark": self.watermark.snapshot()}
        saved |= {"rows": self.held.snapshot(), "due": self.due.snapshot(), "said": self.said.ledger.snapshot()}
        write_root(self.store, self.made, saved)


def _all(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return frame
