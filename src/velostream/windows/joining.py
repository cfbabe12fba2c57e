"""Joins of two streams: rows of both sides are held as long as a match may come, and each is settled exactly once.

A left row at t meets right rows from t + lower to t + upper. Once the watermark has passed its deadline nothing more
can meet it: then it goes out alone where its side is kept (LEFT, RIGHT, FULL), and is unmatched where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.durations import show
from velostream.errors import InvalidPlan
from velostream.windows.admission import NO_EVENT_TIME
from velostream.windows.emission.base import FINAL, RETRACT
from velostream.windows.facts import Facts
from velostream.windows.forms import computed, failing
from velostream.windows.lateness import TOO_LATE, Lateness, LateStrategy
from velostream.windows.outcome import Outcome, letters
from velostream.windows.panes import LEAST, MOST
from velostream.windows.root import Made, read_root, write_root
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.watermark import Watermark, WatermarkSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

SIDE, ID = "_side", "_id"
LEFT, RIGHT = 0, 1
IDS = ("_left", "_right")
TIMES = ("_left_time", "_right_time")


@dataclass(frozen=True, slots=True)
class JoinSettings:
    """Keys that both sides have, the columns of each side, and how far apart rows may be that meet."""

    keys: tuple[str, ...]
    columns: tuple[tuple[str, ...], tuple[str, ...]]
    lower: int
    upper: int
    keeps: tuple[bool, bool] = (False, False)
    """Whether a row of a side goes out although nothing meets it."""
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)
    lateness: Lateness = field(default_factory=Lateness)
    conditions: tuple[tuple[Any, ...], ...] = ()
    """What must hold for two rows to meet beside keys and times (velostream.plan.forms)."""

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            message = f"rows from {show(self.lower)} to {show(self.upper)} apart are none"
            raise InvalidPlan(message, hint="put the lower bound first")
        if self.lateness.strategy not in (LateStrategy.DEAD_LETTER, LateStrategy.DROP):
            strategy = self.lateness.strategy.value
            raise InvalidPlan(f"a join cannot do '{strategy}' with late rows", hint="use dead_letter or drop")

    def deadline(self, side: int) -> int:
        """How long after its event time the last row may come that meets a row of this side."""
        return self.upper if side == LEFT else -self.lower


class JoinOperator:
    """The join of one bucket of keys. Rows come with `_side`, the keys, the columns of their side, and a position."""

    def __init__(self, settings: JoinSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.keys = list(settings.keys)
        bounds = f"{show(settings.lower)} to {show(settings.upper)}"
        self.made = Made({"operator": "join", "keys": ", ".join(self.keys), "bounds": bounds})
        saved = read_root(store, self.made)
        self.open: int = saved.get("open", 0)
        self.next: int = saved.get("next", 0)
        self.horizon: int | None = None
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.held = tuple(
            Ledger(name, store, self._living(side), saved.get(name)) for side, name in enumerate(("left", "right"))
        )
        self.waiting = Ledger("waiting", store, _all, saved.get("waiting"))
        self.settled = Ledger("settled", store, _all, saved.get("settled"))
        self.said = Ledger("said", store, _all, saved.get("said"))
        self.ledgers = (*self.held, self.waiting, self.settled, self.said)

    def _living(self, side: int) -> Any:
        """Rows that something may still meet."""

        def reduce(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
            if self.horizon is None:
                return frame
            return frame.filter(pl.col("_event_time") + self.settings.deadline(side) >= self.horizon)

        return reduce

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take a micro-batch: pairs that meet now, and rows that nothing will meet any more."""
        stats = Stats(read=rows.height, open=self.open)
        before = self.watermark.value
        timed, lost = admitted(rows, before, self.settings.lateness, stats)
        accepted = self._named(timed).with_columns(cell(rows).alias("_cell"))
        after = self.watermark.advance(facts)
        stats.open += accepted.height
        pairs = self._pairs(accepted)
        said = [pairs, self._withdrawn(pairs)]
        fresh = self._settle(accepted, pairs, stats)
        self._hold(accepted, fresh)
        said.append(self._due(pairs.clear(), after, stats, flush=facts.flush))
        self._forget(after)
        results = stacked([frame for frame in said if frame.height] or [pairs])
        results = results.sort(["_emission", *IDS], descending=[True, False, False], nulls_last=True)
        for emission, number in results["_emission"].value_counts().iter_rows():
            stats.emitted[emission] = number
        stats.watermark = after
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = self.watermark.holders()
        self._save(stats)
        dead = stacked(lost) if lost else letters(rows.clear(), "", None, dead=True)
        return Outcome(results, dead, results.clear(), stats)

    def _named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with what they are known by: a place, and a number, since records of two files may have one place."""
        places = (SIDE, "_source", "_partition", "_offset")
        ordered = rows.sort(*places, "_event_time", maintain_order=True)
        parts = [pl.col(name).cast(pl.String).fill_null("") for name in places]
        number = pl.int_range(self.next, self.next + rows.height, dtype=pl.Int64).cast(pl.String)
        self.next += rows.height
        return ordered.with_columns(pl.concat_str([*parts, number], separator="/").alias(ID))

    def _pairs(self, rows: pl.DataFrame) -> pl.DataFrame:
        """New rows with new ones, and new rows of each side with those that are held of the other."""
        left, right = (self._side(rows.filter(pl.col(SIDE) == side), side) for side in (LEFT, RIGHT))
        held_left, held_right = self._found(LEFT, right), self._found(RIGHT, left)
        made = [self._met(left, right)]
        if held_right is not None:
            made.append(self._met(left, held_right))
        if held_left is not None:
            made.append(self._met(held_left, right))
        return stacked(made)

    def _side(self, rows: pl.DataFrame, side: int) -> pl.DataFrame:
        return rows.select("_cell", *self.keys, "_event_time", ID, *self.settings.columns[side])

    def _found(self, side: int, others: pl.DataFrame) -> pl.DataFrame | None:
        """The rows of a side that are held for the keys of new rows of the other."""
        if others.is_empty():
            return None
        found = self.held[side].look_up(others["_cell"].unique().sort())
        return None if found is None else self._side(found, side)

    def _met(self, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        return self._row(met(left.rename({ID: IDS[LEFT]}), right.rename({ID: IDS[RIGHT]}), self.settings))

    def _row(self, frame: pl.DataFrame, emission: str = FINAL) -> pl.DataFrame:
        columns = [name for side in self.settings.columns for name in side]
        return frame.select(
            *IDS, *TIMES, *columns,
            pl.lit(emission).alias("_emission"), pl.lit(1, pl.Int64).alias("_revision"),
        )  # fmt: skip

    def _ends(self, pairs: pl.DataFrame, side: int) -> pl.DataFrame:
        """The rows of one side among pairs, each once, by deadline."""
        time = pl.col(TIMES[side]) + self.settings.deadline(side)
        return pairs.select((time + 1).alias("_cell"), pl.col(IDS[side]).alias(ID)).unique()

    def _settle(self, rows: pl.DataFrame, pairs: pl.DataFrame, stats: Stats) -> pl.DataFrame:
        """Count the rows that meet something for the first time; what is left of the new rows waits."""
        met = stacked([self._ends(pairs, LEFT), self._ends(pairs, RIGHT)])
        if met.height:
            cells = met["_cell"].unique().sort()
            known = self.settled.look_up(cells)
            first = met if known is None else met.join(known, on=["_cell", ID], how="anti")
            spoken = self.said.look_up(cells)
            again = first.clear() if spoken is None else first.join(spoken, on=["_cell", ID], how="semi")
            alone = again.filter(~self._is_kept()).height
            stats.in_results += first.height - again.height + alone
            stats.unmatched -= alone
            stats.open -= first.height - again.height
            self.settled.append(first.select("_cell", ID))
        return rows.join(met.select(ID), on=ID, how="anti")

    def _is_kept(self) -> pl.Expr:
        """True for the id of a row whose side goes out alone."""
        left, right = self.settings.keeps
        return pl.when(pl.col(ID).str.starts_with(f"{LEFT}/")).then(pl.lit(left)).otherwise(pl.lit(right))

    def _withdrawn(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Rows that a flush let go out alone, and that have met something now."""
        found = []
        for side in (LEFT, RIGHT):
            if not self.settings.keeps[side] or pairs.is_empty():
                continue
            ends = self._ends(pairs, side)
            spoken = self.said.look_up(ends["_cell"].unique().sort())
            if spoken is None:
                continue
            known = self.settled.look_up(ends["_cell"].unique().sort())
            alone = spoken if known is None else spoken.join(known, on=["_cell", ID], how="anti")
            mine = pairs.join(alone.select(ID), left_on=IDS[side], right_on=ID, how="semi")
            found.append(self._alone(mine.unique(IDS[side], maintain_order=True), side, RETRACT))
        return stacked(found) if found else pairs.clear()

    def _alone(self, rows: pl.DataFrame, side: int, emission: str) -> pl.DataFrame:
        """Rows of one side without the other."""
        other = 1 - side
        nothing = [*self.settings.columns[other], IDS[other], TIMES[other]]
        return self._row(rows.with_columns(pl.lit(None, rows.schema[name]).alias(name) for name in nothing), emission)

    def _hold(self, rows: pl.DataFrame, fresh: pl.DataFrame) -> None:
        for side in (LEFT, RIGHT):
            mine = rows.filter(pl.col(SIDE) == side)
            self.held[side].append(self._side(mine, side))
        ends = pl.when(pl.col(SIDE) == LEFT).then(self.settings.deadline(LEFT)).otherwise(self.settings.deadline(RIGHT))
        columns = [name for side in self.settings.columns for name in side]
        self.waiting.append(
            fresh.select((pl.col("_event_time") + ends + 1).alias("_cell"), SIDE, ID, "_event_time", *columns)
        )

    def _due(self, nothing: pl.DataFrame, after: int | None, stats: Stats, *, flush: bool) -> pl.DataFrame:
        """Rows whose deadline has passed, or all that wait where a flush asks, and that nothing has met."""
        end = MOST if flush else None if after is None else after - self.settings.lateness.allowed
        alone = None if end is None else self.waiting.read([(LEAST, end)])
        if alone is None or end is None:
            return nothing
        for ledger in (self.settled, self.said):
            known = ledger.read([(LEAST, end)])
            alone = alone if known is None else alone.join(known, on=["_cell", ID], how="anti")
        self.said.append(alone.select("_cell", ID))
        stats.open -= alone.height
        made = [nothing]
        for side in (LEFT, RIGHT):
            mine = alone.filter(pl.col(SIDE) == side)
            if not self.settings.keeps[side]:
                stats.unmatched += mine.height
                continue
            stats.in_results += mine.height
            mine = mine.with_columns(
                pl.col(ID).alias(IDS[side]),
                pl.col("_event_time").alias(TIMES[side]),
                pl.lit(None, pl.String).alias(IDS[1 - side]),
                pl.lit(None, pl.Int64).alias(TIMES[1 - side]),
            )
            made.append(self._alone(mine, side, FINAL))
        return stacked(made)

    def _forget(self, after: int | None) -> None:
        if after is None:
            return
        self.horizon = after - self.settings.lateness.allowed
        for ledger in (self.waiting, self.settled, self.said):
            ledger.drop_below(self.horizon + 1)

    def _save(self, stats: Stats) -> None:
        for ledger in self.ledgers:
            ledger.tidy()
        stats.state_bytes = sum(ledger.bytes for ledger in self.ledgers)
        stats.state_rows = sum(ledger.rows for ledger in self.ledgers)
        self.open = stats.open
        saved = {ledger.name: ledger.snapshot() for ledger in self.ledgers}
        counted = {"open": self.open, "next": self.next}
        write_root(self.store, self.made, {**counted, "watermark": self.watermark.snapshot(), **saved})


def _all(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return frame


def admitted(
    rows: pl.DataFrame, before: int | None, lateness: Lateness, stats: Stats
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """Rows that come in time; letters for the others."""
    time = pl.col("_event_time")
    lost = []
    timeless = rows.filter(time.is_null())
    if timeless.height:
        stats.dead_lettered[NO_EVENT_TIME] += timeless.height
        lost.append(letters(timeless, NO_EVENT_TIME, before, dead=True))
    timed = rows.filter(time.is_not_null())
    if before is None:
        return timed, lost
    late = timed.filter(time < before)
    stats.late_events += late.height
    stats.lateness.add(before - late["_event_time"])
    gone = late.filter(time < before - lateness.allowed)
    if gone.height:
        dead = lateness.strategy is LateStrategy.DEAD_LETTER
        (stats.dead_lettered if dead else stats.dropped)[TOO_LATE] += gone.height
        stats.dropped_after_lateness += gone.height
        lost.append(letters(gone.with_columns((before - time).alias("_lateness")), TOO_LATE, before, dead=dead))
    return timed.filter(time >= before - lateness.allowed), lost


def cell(rows: pl.DataFrame) -> pl.Expr:
    """Where rows of one key are held."""
    return pl.col("_hash").cast(pl.Int64) if "_hash" in rows.columns else pl.lit(0, pl.Int64)


def met(left: pl.DataFrame, right: pl.DataFrame, settings: JoinSettings) -> pl.DataFrame:
    """The pairs whose keys are equal (a NULL equals nothing), whose times lie within the bounds, and for which all that
    is asked beside holds."""
    one, other = left.rename({"_event_time": TIMES[LEFT]}), right.rename({"_event_time": TIMES[RIGHT]})
    pairs = one.join(other, on=["_cell", *settings.keys], how="inner", nulls_equal=False)
    apart = pl.col(TIMES[RIGHT]) - pl.col(TIMES[LEFT])
    return pairs.filter(apart.is_between(settings.lower, settings.upper), *map(_holds, settings.conditions))


def _holds(form: tuple[Any, ...]) -> pl.Expr:
    """True where a condition holds, and where it cannot be computed: then it is asked once more, and says so."""
    failed = failing(form)
    return computed(form) if failed is None else computed(form).fill_null(value=False) | failed
