"""Rows that follow others of their partition: answers that go on from what was kept, and what must be kept on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import ERROR
from velostream.windows.rows.functions import aggregates, counted, lead_place, value
from velostream.windows.rows.placing import PLACES, placed, with_frame
from velostream.windows.rows.settings import Frame, RowCall, RowFunction, RowSettings, Unit
from velostream.windows.running import running
from velostream.windows.state import stacked

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

NUMBERED = {RowFunction.ROW_NUMBER: "_number", RowFunction.RANK: "_rank", RowFunction.DENSE_RANK: "_dense"}
_LOOK_BACK = (RowFunction.LAG, RowFunction.LAST_VALUE)
_LOOK_TO_FIRST = (RowFunction.FIRST_VALUE, RowFunction.NTH_VALUE)


class Continuing:
    """Standard OVER over the rows that are kept of a partition and new ones, all of them later."""

    def __init__(self, settings: RowSettings) -> None:
        self.settings = settings
        self.frames = [frame for frame, _, _ in settings.framed]
        unbounded = [call for frame, _, some in settings.framed if frame.start is None for call in some.calls]
        self.running = Aggregation(tuple(unbounded))

    def answered(self, ready: pl.DataFrame, held: pl.DataFrame | None, over: list[str], *, flush: bool) -> pl.DataFrame:
        """Held and new rows with results; `_due` says which can be said now, `_new` which are new."""
        new = ready.with_columns(pl.lit(value=True).alias("_new"), pl.lit(value=False).alias("_said"))
        parts = [new] if held is None else [held.with_columns(pl.lit(value=False).alias("_new")), new]
        rows = self._numbered(placed(stacked(parts), over, self.settings))
        rows = self._with_states(rows)
        for place, (frame, calls, aggregation) in enumerate(self.settings.framed):
            bounded = with_frame(rows, frame)
            rows = self._with_calls(rows, bounded, calls)
            if aggregation.calls:
                found = self._aggregates(bounded, frame, aggregation).rename({ERROR: f"{ERROR}{place}"})
                rows = merged(rows, found)
        places = [lead_place(call) for call in self.settings.leads]
        come = [(place <= pl.col("_last")).fill_null(value=False) for place in places]
        due = pl.lit(value=True) if flush or not come else pl.all_horizontal(come)
        return rows.with_columns((due & ~pl.col("_said")).alias("_due"))

    def results(self, answers: pl.DataFrame) -> list[pl.Expr]:
        """The results of answered rows, and what went wrong."""
        failed = [name for name in answers.columns if name.startswith(ERROR)]
        return [*map(pl.col, self.settings.results), *([pl.coalesce(failed).alias(ERROR)] if failed else [])]

    def _numbered(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with their number, rank and dense rank in the whole partition, counted on from those that are kept."""
        new = pl.col("_new").cast(pl.Int64)
        starts = (pl.col("_new") & (pl.col("_tie") == pl.col("_i"))).cast(pl.Int64)
        missing = [name for name in ("_number", "_rank", "_dense") if name not in rows.columns]
        rows = rows.with_columns(pl.lit(None, pl.Int64).alias(name) for name in missing)
        number = pl.col("_number").max().over("_group").fill_null(0) + new.cum_sum().over("_group")
        dense = pl.col("_dense").max().over("_group").fill_null(0) + starts.cum_sum().over("_group")
        rows = rows.with_columns(
            pl.when("_new").then(number).otherwise(pl.col("_number")).alias("_number"),
            pl.when("_new").then(dense).otherwise(pl.col("_dense")).alias("_dense"),
        )
        rank = pl.col("_number").gather(pl.col("_tie"))
        return rows.with_columns(pl.when("_new").then(rank).otherwise(pl.col("_rank")).alias("_rank"))

    def _with_calls(self, rows: pl.DataFrame, bounded: pl.DataFrame, calls: tuple[RowCall, ...]) -> pl.DataFrame:
        """Answers are computed once, when a row is new; those of LEAD until it has been said."""
        for call in calls:
            answer = pl.col(NUMBERED[call.function]) if call.function in NUMBERED else value(call)
            found = bounded.select(answer.alias(call.result)).to_series()
            if call.result in rows.columns and call.function is not RowFunction.LEAD:
                found = rows.select(pl.when("_new").then(found).otherwise(pl.col(call.result))).to_series()
            rows = rows.with_columns(found.alias(call.result))
        return rows

    def _with_states(self, rows: pl.DataFrame) -> pl.DataFrame:
        """For frames from the beginning on: the state up to each row goes on from that of the last row that is kept."""
        if not self.running.calls:
            return rows
        state = list(self.running.state)
        new = rows.filter("_new")
        steps = new.select("_group", "_i").join(self.running.fold(new, ["_i"]), on="_i", how="left")
        if all(name in rows.columns for name in state):
            old = rows.filter(~pl.col("_new"))
            base = old.filter(pl.col("_i") == pl.col("_i").max().over("_group")).select("_group", "_i", *state)
            steps = stacked([base, steps.select(base.columns)])
        sums = running(self.running, steps, ["_group"], "_i").select("_i", *state)
        return merged(rows, sums.join(new.select("_i"), on="_i", how="semi"))

    def _aggregates(self, bounded: pl.DataFrame, frame: Frame, aggregation: Aggregation) -> pl.DataFrame:
        new = bounded.filter("_new")
        if frame.start is not None:
            return aggregates(aggregation, bounded, new.select("_i", "_low", "_high"))
        inside = pl.col("_high") >= pl.col("_begin")
        at = new.select("_i", pl.when(inside).then("_high").alias("_at"))
        states = bounded.select(pl.col("_i").alias("_at"), *aggregation.state)
        joined = at.join(states, on="_at", how="left", maintain_order="left").drop("_at")
        return counted(aggregation, aggregation.finish(joined))

    def kept(self, answers: pl.DataFrame) -> pl.DataFrame:
        """What later rows look back on: the last rows, the first ones where a frame begins there, and the unsaid."""
        answers = answers.with_columns((pl.col("_said") | pl.col("_due")).alias("_said"))
        recent = (pl.col("_last") - pl.col("_i") < self._reach) | self._in_range()
        marked = answers.with_columns(recent.alias("_recent"))
        keep = pl.col("_recent") | ~pl.col("_said") | (pl.col("_number") <= self._anchors)
        for call in self.settings.calls:
            if call.ignore_nulls:
                keep = keep | self._known(call)
        marked = marked.with_columns(keep.alias("_keep"))
        if any(frame.unit is Unit.RANGE and frame.start is None for frame in self.frames):
            before = pl.col("_keep").shift(-1).over("_group").fill_null(value=False)
            marked = marked.with_columns((pl.col("_keep") | before).alias("_keep"))
        return marked.filter("_keep").drop([*PLACES, "_new", "_due", "_keep", "_recent"], strict=False)

    def _in_range(self) -> pl.Expr:
        edges = [frame for frame in self.frames if frame.unit is Unit.RANGE]
        if not edges:
            return pl.lit(value=False)
        width = max(-(edge or 0) for frame in edges for edge in (frame.start, frame.end))
        return pl.col("_event_time") >= pl.col("_event_time").max().over("_group") - width

    def _known(self, call: RowCall) -> pl.Expr:
        """Rows with a value that later rows may look for: the last ones before the recent, or the first of all."""
        known = pl.col(call.column).is_not_null()
        if call.function in _LOOK_BACK:
            older = known & ~pl.col("_recent")
            number = call.number if call.function is RowFunction.LAG else 1
            return older & (older.cast(pl.Int64).reverse().cum_sum().reverse().over("_group") <= number)
        if call.function in _LOOK_TO_FIRST and self.settings.frame_of(call.result).start is None:
            return known & (known.cast(pl.Int64).cum_sum().over("_group") <= call.number)
        return pl.lit(value=False)

    @property
    def _reach(self) -> int:
        """How many rows back a later row can look."""
        lags = [call.number for call in self.settings.calls if call.function is RowFunction.LAG]
        edges = [f for f in self.frames if f.unit is Unit.ROWS]
        back = [-edge for frame in edges for edge in (frame.start, frame.end) if edge is not None]
        return max([1, *lags, *back])

    @property
    def _anchors(self) -> int:
        """How many of the first rows a frame without a beginning needs for ever."""
        firsts = [c for c in self.settings.calls if c.function in _LOOK_TO_FIRST]
        return max([0, *(c.number for c in firsts if self.settings.frame_of(c.result).start is None)])


def merged(rows: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Rows with columns that new ones find by `_i`; the others keep what they have."""
    names = [name for name in found.columns if name != "_i"]
    fresh = found.rename({name: f"{name}!" for name in names})
    joined = rows.join(fresh, on="_i", how="left", maintain_order="left")
    for name in names:
        answer = pl.col(f"{name}!")
        if name in rows.columns:
            answer = pl.when("_new").then(answer).otherwise(pl.col(name))
        joined = joined.with_columns(answer.alias(name))
    return joined.drop([f"{name}!" for name in names])
