"""Turns the values of groups into rows: which are due, as what, with which revision, and what they withdraw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import ERROR
from velostream.windows.emission import Accumulation
from velostream.windows.emission.base import FINAL as FINAL_ROW
from velostream.windows.emission.base import LATE, RETRACT
from velostream.windows.firings import Firings
from velostream.windows.moment import Moment
from velostream.windows.settings import EVENT_COUNT, OperatorSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

WINDOW = ["_window_start", "_window_end"]


@dataclass(slots=True)
class Speech:
    """What a batch says: the rows, and groups that wait for the clock (`_due`, keys and window)."""

    rows: pl.DataFrame
    waiting: pl.DataFrame | None = None


class Speaker:
    """Asks the emission what is due, and remembers what went out."""

    def __init__(self, settings: OperatorSettings, firings: Firings) -> None:
        self.settings = settings
        self.firings = firings
        self.keys = list(settings.keys)
        self.results = [*settings.aggregation.results]
        self.said = [*self.results, *settings.moving]

    def speak(self, values: pl.DataFrame, remembered: pl.DataFrame | None, moment: Moment) -> Speech:
        """Rows of the groups that are due. `values` holds one finished row per group and window."""
        candidates = self._situated(self.firings.joined(values, remembered), moment)
        asked = candidates.with_columns(self.settings.emission.answer().alias("_emission"))
        due = asked.filter(pl.col("_emission").is_not_null())
        spoken = due.with_columns(pl.col("_revision") + 1)
        silent = asked.filter(pl.col("_emission").is_null() & pl.col("_touched"))
        self._remember(spoken, moment)
        rows = [self._row(spoken, moment)]
        if self.settings.emission.accumulation is Accumulation.RETRACTING:
            rows.insert(0, self._withdrawal(due, moment))
        ordered = pl.concat(rows, how="diagonal_relaxed").sort("_window_end", "_window_start", maintain_order=True)
        return Speech(ordered, self._waiting(silent, moment))

    def speak_each(self, steps: pl.DataFrame, remembered: pl.DataFrame | None, moment: Moment) -> Speech:
        """A row for every step of a group: CHANGES by record. `steps` are in event order."""
        candidates = self._situated(self.firings.joined(steps, remembered), moment)
        group = [*self.keys, *WINDOW]
        before = pl.int_range(pl.len(), dtype=pl.Int64).over(group)
        said = pl.struct(self.said).shift(1).over(group)
        spoken = candidates.with_columns(
            self.settings.emission.answer().alias("_emission"),
            pl.when(before > 0).then(said).otherwise(pl.col("_said")).alias("_said") if self._says else pl.col("_said"),
            (pl.col("_gone") & (before == 0)).alias("_gone"),
            (pl.col("_revision") + before).alias("_revision"),
            pl.int_range(pl.len(), dtype=pl.Int64).alias("_order"),
        )
        now = spoken.with_columns(pl.col("_revision") + 1)
        self._remember(now.unique(group, keep="last", maintain_order=True), moment)
        rows = self._row(now, moment)
        if self.settings.emission.accumulation is Accumulation.RETRACTING:
            rows = pl.concat([self._withdrawal(spoken, moment), rows], how="diagonal_relaxed")
            rows = rows.sort("_order", maintain_order=True)
        return Speech(rows.drop("_order"))

    def withdraw(self, gone: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        """Rows that went out and have ceased to exist; remembered with the revision that was withdrawn."""
        self.firings.record(gone.with_columns(pl.lit(value=True).alias("_gone")), moment.number)
        return self._withdrawal(gone, moment)

    @property
    def _says(self) -> bool:
        return self.settings.says_previous

    def _was(self, groups: pl.DataFrame) -> dict[str, pl.Expr]:
        """What the last row of each group said; of rows that an earlier plan remembered as far as it is known."""
        kind = groups.schema["_said"]
        known = {field.name for field in kind.fields} if isinstance(kind, pl.Struct) else set()
        now = [name for name in self.settings.moving if name in groups.columns]
        was = {name: pl.col("_said").struct.field(name) for name in known}
        return {name: was.get(name, pl.col(name) if name in now else pl.lit(None)) for name in self.said}

    def _situated(self, groups: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        closed = _reached(moment.before)
        closes = pl.lit(value=True) if moment.flush else _reached(moment.after)
        elapsed = (moment.now - pl.col("_emitted_at")).fill_null(0) if moment.clocked else pl.lit(0, pl.Int64)
        news = pl.col(EVENT_COUNT) - pl.col("_emitted")
        if self.settings.emission.accumulation is Accumulation.DISCARDING:
            news = pl.col(EVENT_COUNT)  # which is what came since
        elif self.settings.replaces:
            news = pl.max_horizontal(news, pl.lit(1, pl.Int64))  # a row that takes another's place adds none
        return groups.with_columns(
            closed.alias("_closed"),
            (closes & ~closed).alias("_closes"),
            (pl.col("_final") & ~pl.col("_gone")).alias("_finalised"),
            news.alias("_pending"),
            elapsed.alias("_elapsed"),
        )

    def _row(self, spoken: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        """A row as it goes out; `_previous` is what the row that it corrects said, unless that has been withdrawn."""
        closed_by = ["closed_by"] if "closed_by" in spoken.columns else []
        order = ["_order"] if "_order" in spoken.columns else []
        previous = []
        if self.settings.keeps_previous:
            withdrawn = self.settings.emission.accumulation is Accumulation.RETRACTING
            stands = pl.lit(value=False) if withdrawn else ~pl.col("_gone")
            said = pl.struct(value.alias(name) for name, value in self._was(spoken).items())
            previous = [pl.when(stands).then(said).alias("_previous")]
        return spoken.select(
            *self.keys, *self.results, ERROR, *WINDOW, *closed_by, "_emission", "_revision", *previous, *order,
            pl.lit(moment.after, pl.Int64).alias("_watermark"),
        )  # fmt: skip

    def _withdrawal(self, gone: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        live = gone.filter(~pl.col("_gone") & (pl.col("_revision") > 0))
        order = ["_order"] if "_order" in live.columns else []
        was = self._was(live) if self._says and live.height else {}
        window = [name for name in WINDOW if name not in was]
        rows = live.select(*self.keys, *window, "_revision", *order, **was)
        return rows.with_columns(pl.lit(RETRACT).alias("_emission"), pl.lit(moment.after, pl.Int64).alias("_watermark"))

    def _remember(self, spoken: pl.DataFrame, moment: Moment) -> None:
        """Only what can speak again: groups whose window is retained after this batch. What a flush says is kept with
        its values, since after one rows may be withdrawn that nothing would withdraw else."""
        final = pl.col("_final") | pl.col("_emission").is_in([FINAL_ROW, LATE])
        rows = self._retained(spoken, moment).with_columns(
            pl.col(EVENT_COUNT).fill_null(0).alias("_emitted"),
            pl.lit(moment.now, pl.Int64).alias("_emitted_at"),
            final.alias("_final"),
            pl.lit(value=False).alias("_gone"),
            (pl.struct(self.said) if self._says or moment.flush else pl.lit(None)).alias("_said"),
        )
        self.firings.record(rows, moment.number)

    def _retained(self, groups: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        horizon = moment.closing_by(self.settings.lateness.allowed)
        if horizon is None:
            return groups
        return groups.filter((pl.col("_closes_at") > horizon).fill_null(value=True))

    def _waiting(self, silent: pl.DataFrame, moment: Moment) -> pl.DataFrame | None:
        """Groups that changed and said nothing, and when the clock asks them; new ones begin to wait now."""
        interval = self.settings.emission.interval
        if interval is None or silent.is_empty():
            return None
        open_groups = silent.filter(~pl.col("_closed") & ~pl.col("_closes") & ~pl.col("_finalised"))
        new = open_groups.filter(pl.col("_emitted_at").is_null()).with_columns(
            pl.lit(moment.now, pl.Int64).alias("_emitted_at"), pl.lit(0, pl.Int64).alias("_emitted")
        )
        self.firings.record(new, moment.number)
        since = pl.col("_emitted_at").fill_null(moment.now)
        return open_groups.select(pl.col("_cell").alias("_slot"), *self.keys, *WINDOW, (since + interval).alias("_due"))


def _reached(watermark: int | None) -> pl.Expr:
    """True where a watermark closes the window; groups without bounds are never closed by one."""
    return pl.lit(value=False) if watermark is None else (pl.col("_closes_at") <= watermark).fill_null(value=False)
