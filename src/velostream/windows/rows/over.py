"""Standard OVER: a row goes out when the watermark has passed its time, in event order, so that it equals batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.accumulators.base import POSITION
from velostream.windows.facts import Facts
from velostream.windows.lateness import TOO_LATE
from velostream.windows.panes import LEAST
from velostream.windows.rows.base import RowOperator
from velostream.windows.rows.functions import POSITIONS, aggregates, expression, positioned, with_frame
from velostream.windows.rows.settings import Frame, RowFunction, RowSettings, Unit
from velostream.windows.running import running
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

NUMBERED = {RowFunction.ROW_NUMBER: "_number", RowFunction.RANK: "_rank", RowFunction.DENSE_RANK: "_dense"}


class OverOperator(RowOperator):
    """Rows wait until the watermark passes them; of each key as many are kept as later rows can look back on."""

    def __init__(self, settings: RowSettings, store: Store) -> None:
        super().__init__(settings, store)
        self.frame = settings.frame or Frame(Unit.RANGE, None, 0)
        self.waiting = Ledger("waiting", store, lambda frame, _: frame, self.saved.get("waiting"))
        self.ledgers.append(self.waiting)
        self.said_to: int | None = self.saved.get("said_to")

    def more(self) -> dict[str, Any]:
        """How far rows have gone out: a flush goes further than the watermark."""
        return {"said_to": self.said_to}

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """Refuse what comes after its place has been passed, let wait, release."""
        passed = max((edge for edge in (before, self.said_to) if edge is not None), default=None)
        late = pl.lit(value=False) if passed is None else pl.col("_event_time") < passed
        tardy = rows.filter(late).drop("_cell")
        if passed is not None:
            tardy = tardy.with_columns((passed - pl.col("_event_time")).alias("_lateness"))
        stats.late_events += tardy.height
        self._lose(tardy, TOO_LATE, before, stats)
        accepted = rows.filter(~late).rename({"_cell": "_slot"}).with_columns(pl.col("_event_time").alias("_cell"))
        stats.open += accepted.height
        self.waiting.append(accepted)
        said = self._released(rows, after, flush=facts.flush)
        stats.open -= said.height
        stats.in_results += said.height
        return said.sort(POSITION)

    def _released(self, rows: pl.DataFrame, after: int | None, *, flush: bool) -> pl.DataFrame:
        ready = None
        if flush:
            ready = self.waiting.read()
            self.waiting.clear()
        elif after is not None:
            ready = self.waiting.read([(LEAST, after - 1)])
            self.waiting.drop_below(after)
        if ready is None:
            ready = rows.clear().rename({"_cell": "_slot"})
        else:
            newest = int(ready["_event_time"].max()) + 1  # type: ignore[arg-type]
            self.said_to = newest if self.said_to is None else max(self.said_to, newest)
            ready = ready.drop("_cell")
        ready = ready.rename({"_slot": "_cell"})
        wanted = ready.select("_cell", *self.keys).unique()
        held = self._held(None if flush else wanted) if flush or wanted.height else None
        return self._spoken(ready, held, flush=flush)

    def _spoken(self, ready: pl.DataFrame, held: pl.DataFrame | None, *, flush: bool) -> pl.DataFrame:
        new = ready.with_columns(pl.lit(value=True).alias("_new"), pl.lit(value=False).alias("_said"))
        parts = [new] if held is None else [held.with_columns(pl.lit(value=False).alias("_new")), new]
        plain = [name for name in self.keys if not ready.schema[name].is_nested()]
        both = stacked(parts).sort(["_cell", *plain, *POSITION])
        placed = with_frame(self._numbered(positioned(both, self.keys)), self.keys, self.frame)
        answered = self._answered(placed)
        due = pl.lit(value=True) if flush else pl.col("_i") + self.settings.lead <= pl.col("_last")
        leads = [call for call in self.settings.calls if call.function is RowFunction.LEAD]
        answered = answered.with_columns(expression(call, self.settings) for call in leads)
        answered = answered.with_columns((due & ~pl.col("_said")).alias("_due"))
        spoken = answered.filter("_due").select(*(n for n in ready.columns if n != "_cell"), *self._results(answered))
        kept = self._kept(answered.with_columns((pl.col("_said") | pl.col("_due")).alias("_said")))
        self._hold(kept, both.select("_cell", *self.keys).unique())
        return spoken

    def _results(self, answered: pl.DataFrame) -> list[str]:
        return [name for name in (*self.settings.results, "_error") if name in answered.columns]

    def _numbered(self, placed: pl.DataFrame) -> pl.DataFrame:
        """Rows with their number, rank and dense rank in the whole partition, counted on from those that are kept."""
        over = ["_cell", *self.keys]
        new = pl.col("_new").cast(pl.Int64)
        starts = (pl.col("_new") & (pl.col("_tie") == pl.col("_i"))).cast(pl.Int64)
        for name in ("_number", "_dense"):
            if name not in placed.columns:
                placed = placed.with_columns(pl.lit(None, pl.Int64).alias(name), pl.lit(None, pl.Int64).alias("_rank"))
        number = pl.col("_number").max().over(over).fill_null(0) + new.cum_sum().over(over)
        dense = pl.col("_dense").max().over(over).fill_null(0) + starts.cum_sum().over(over)
        placed = placed.with_columns(
            pl.when("_new").then(number).otherwise(pl.col("_number")).alias("_number"),
            pl.when("_new").then(dense).otherwise(pl.col("_dense")).alias("_dense"),
        )
        rank = pl.col("_number").gather(pl.col("_tie"))
        return placed.with_columns(pl.when("_new").then(rank).otherwise(pl.col("_rank")).alias("_rank"))

    def _answered(self, placed: pl.DataFrame) -> pl.DataFrame:
        """All answers but those of LEAD, computed once, when a row is released."""
        answers = placed
        for call in self.settings.calls:
            if call.function is RowFunction.LEAD:
                continue
            value = pl.col(NUMBERED[call.function]) if call.function in NUMBERED else expression(call, self.settings)
            if call.result in placed.columns:
                value = pl.when("_new").then(value).otherwise(pl.col(call.result))
            answers = answers.with_columns(value.alias(call.result))
        if not self.settings.aggregates:
            return answers
        new = answers.filter("_new").drop(self._results(answers), strict=False).select("_i", "_low", "_high")
        if self.frame.start is None:
            answers, found = self._running(answers)
        else:
            found = aggregates(self.settings, placed.drop(self.settings.results, "_error", strict=False), new)
        return self._merged(answers, found.drop("_low", "_high", strict=False))

    def _merged(self, answers: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
        names = [name for name in found.columns if name != "_i"]
        fresh = found.rename({name: f"{name}!" for name in names})
        joined = answers.join(fresh, on="_i", how="left", maintain_order="left")
        for name in names:
            value = pl.col(f"{name}!")
            if name in answers.columns:
                value = pl.when("_new").then(value).otherwise(pl.col(name))
            joined = joined.with_columns(value.alias(name))
        return joined.drop([f"{name}!" for name in names])

    def _running(self, answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """From the beginning on: the state up to each row goes on from that of the last row that is kept."""
        aggregation = self.settings.aggregation
        state = list(aggregation.state)
        group = ["_cell", *self.keys]
        new = answers.filter("_new")
        steps = new.select(*group, "_i").join(aggregation.fold(new, ["_i"]), on="_i", how="left")
        if all(name in answers.columns for name in state):
            old = answers.filter(~pl.col("_new"))
            base = old.filter(pl.col("_i") == pl.col("_i").max().over(group)).select(*group, "_i", *state)
            steps = stacked([base, steps.select(base.columns)])
        sums = running(aggregation, steps, group, "_i").select("_i", *state)
        answers = self._merged(answers, sums.join(new.select("_i"), on="_i", how="semi"))
        at = answers.filter("_new").select(
            "_i", pl.when(pl.col("_high") >= pl.col("_begin")).then("_high").alias("_at")
        )
        states = answers.select(pl.col("_i").alias("_at"), *state)
        return answers, self._counted(at.join(states, on="_at", how="left", maintain_order="left").drop("_at"))

    def _counted(self, states: pl.DataFrame) -> pl.DataFrame:
        finished = self.settings.aggregation.finish(states)
        return finished.with_columns(
            pl.col(call.result).fill_null(0) for call in self.settings.aggregates if call.name.startswith("count")
        )

    def _kept(self, answered: pl.DataFrame) -> pl.DataFrame:
        """What later rows look back on: the last rows, the first ones where a frame begins there, and the unsaid."""
        group = ["_cell", *self.keys]
        keep = (pl.col("_last") - pl.col("_i") < self._reach) | ~pl.col("_said") | (pl.col("_number") <= self._anchors)
        if self.frame.unit is Unit.RANGE:
            width = max(-(edge or 0) for edge in (self.frame.start, self.frame.end))
            keep = keep | (pl.col("_event_time") >= pl.col("_event_time").max().over(group) - width)
        marked = answered.with_columns(keep.alias("_keep"))
        if self.frame.unit is Unit.RANGE and self.frame.start is None:
            before = pl.col("_keep").shift(-1).over(group).fill_null(value=False)
            marked = marked.with_columns((pl.col("_keep") | before).alias("_keep"))
        inner = [name for name in POSITIONS if name in marked.columns]
        return marked.filter("_keep").drop([*inner, "_new", "_due", "_keep"])

    @property
    def _reach(self) -> int:
        """How many rows back a later row can look."""
        lags = [call.number for call in self.settings.calls if call.function is RowFunction.LAG]
        edges = [-edge for edge in (self.frame.start, self.frame.end) if edge is not None]
        return max([1, *lags, *(edges if self.frame.unit is Unit.ROWS else [])])

    @property
    def _anchors(self) -> int:
        """How many of the first rows a frame without a beginning needs for ever."""
        if self.frame.start is not None:
            return 0
        first = [1 for call in self.settings.calls if call.function is RowFunction.FIRST_VALUE]
        return max([0, *first, *(c.number for c in self.settings.calls if c.function is RowFunction.NTH_VALUE)])
