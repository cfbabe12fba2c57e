"""ROWS WINDOW BUFFER: an answer at arrival, from the last n rows of the key by event time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import POSITION
from velostream.windows.facts import Facts
from velostream.windows.lateness import TOO_LATE
from velostream.windows.rows.base import RowOperator
from velostream.windows.rows.functions import answered, answered_apart
from velostream.windows.rows.placing import PLACES, placed
from velostream.windows.rows.settings import BUFFER_EXPIRED, Emit, RowSettings
from velostream.windows.state import stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

_RECORD = "_record"


class BufferOperator(RowOperator):
    """Keeps at most n rows per key. A row older than the whole buffer, or expired on arrival, is late."""

    def __init__(self, settings: RowSettings, store: Store) -> None:
        super().__init__(settings, store)
        self.by_time = settings if settings.by_time else replace(settings, by_time=True, order=())
        self.answer = answered if settings.by_time else answered_apart

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """One pass where the rows of a key continue its buffer in order; else the nth row of every key at a time."""
        wanted = rows.select(self.over).unique()
        fresh = rows.with_columns(pl.lit(value=True).alias("_fresh"))
        held = None if rows.is_empty() else self._held(wanted)
        if held is None:
            held = fresh.clear()
        stats.open += rows.height
        said = []
        for part in self._parts(fresh, held):
            keys = part.select(self.over).unique()
            on = {"on": self.over, "nulls_equal": True}
            mine = held.join(keys, how="semi", **on)  # type: ignore[arg-type]
            spoken, kept = self._pass(mine, part, before, stats)
            held = stacked([held.join(keys, how="anti", **on), kept])  # type: ignore[arg-type]
            said.append(spoken)
        if wanted.height:
            self._hold(held.drop(_RECORD, strict=False), wanted)
        spoken = stacked(said) if said else self._pass(held, fresh, before, stats)[0]
        return spoken.sort(POSITION).drop("_cell", _RECORD, strict=False)

    def waiting_of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Those that no full buffer has shown."""
        return rows.filter("_fresh")

    def _parts(self, rows: pl.DataFrame, held: pl.DataFrame) -> list[pl.DataFrame]:
        newest = held.group_by(self.over).agg(pl.col("_event_time").max().alias("_newest"))
        marked = rows.join(newest, on=self.over, how="left", nulls_equal=True)
        follows = (pl.col("_event_time").min().over(self.over) > pl.col("_newest")).fill_null(value=True)
        marked = marked.with_columns(follows.alias("_follows")).drop("_newest").sort(POSITION)
        turn = pl.when("_follows").then(-1).otherwise(pl.int_range(pl.len(), dtype=pl.Int64).over(self.over))
        turns = marked.with_columns(turn.alias("_turn")).drop("_follows").sort("_turn", maintain_order=True)
        return [part.drop("_turn") for part in turns.partition_by("_turn", maintain_order=True)]

    def _pass(
        self, held: pl.DataFrame, rows: pl.DataFrame, before: int | None, stats: Stats
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """What new rows say, and the buffers after them. Each new row sees the buffer, and the new rows before it."""
        new = rows.with_columns(pl.lit(value=True).alias("_new"))
        both = stacked([held.with_columns(pl.lit(value=False).alias("_new")), new])
        bounded = self._bounded(placed(both, self.over, self.by_time))
        late = pl.col("_i") < pl.col("_begin")
        lost = bounded.filter(pl.col("_new") & late)
        self._lose(lost.select(rows.columns).drop("_fresh"), TOO_LATE, before, stats)
        stats.open -= lost.height
        spoken = self.answer(self.settings, bounded, pl.col("_new") & ~late & self._due())
        self._settle(bounded, spoken, stats)
        kept = self._kept(bounded, spoken, stats).select(rows.columns)
        return spoken.drop([*PLACES, "_new", "_fresh"], strict=False), kept

    def _bounded(self, rows: pl.DataFrame) -> pl.DataFrame:
        """`_begin` and `_last` as each row finds them: the buffer ends with the newest row that has arrived by then."""
        size = self.settings.buffer or 1
        arrived = pl.when(pl.col("_new")).then(pl.col("_i"))
        newest_old = pl.when(~pl.col("_new")).then(pl.col("_i")).max().over("_group")
        last = pl.max_horizontal(arrived, newest_old)
        bounded = rows.with_columns(last.alias("_last"))
        begin = pl.max_horizontal(pl.col("_begin"), pl.col("_last") - size + 1)
        bounded = bounded.with_columns(begin.alias("_begin"))
        if self.settings.expire_after is None:
            return bounded
        newest = pl.col("_event_time").gather(pl.col("_last"))
        return expired(bounded.with_columns((newest - self.settings.expire_after).alias("_since")))

    def _due(self) -> pl.Expr:
        if self.settings.emit is Emit.EVERY_RECORD:
            return pl.lit(value=True)
        return pl.col("_last") - pl.col("_begin") + 1 == self.settings.buffer

    def _settle(self, rows: pl.DataFrame, spoken: pl.DataFrame, stats: Stats) -> None:
        """Records are in results once a row that saw them has gone out."""
        seen = self._seen(rows, spoken).filter(pl.col("_fresh") & pl.col("_in_row"))
        stats.in_results += seen.height
        stats.open -= seen.height

    def _seen(self, rows: pl.DataFrame, spoken: pl.DataFrame) -> pl.DataFrame:
        spans = spoken.group_by("_group").agg(pl.col("_begin").min().alias("_from"), pl.col("_last").max().alias("_to"))
        joined = rows.join(spans, on="_group", how="left", maintain_order="left")
        inside = pl.col("_i").is_between(pl.col("_from"), pl.col("_to")).fill_null(value=False)
        return joined.with_columns(inside.alias("_in_row")).drop("_from", "_to")

    def _kept(self, rows: pl.DataFrame, spoken: pl.DataFrame, stats: Stats) -> pl.DataFrame:
        """The buffer of each key after its newest row; what leaves it unseen has expired by choice."""
        end = pl.col("_last").max().over("_group")
        begin = pl.when(pl.col("_last") == end).then(pl.col("_begin")).max().over("_group")
        marked = self._seen(rows, spoken).with_columns((pl.col("_i") >= begin).alias("_stays"))
        late = pl.col("_new") & (pl.col("_i") < pl.col("_begin"))
        unseen = marked.filter(~pl.col("_stays") & pl.col("_fresh") & ~pl.col("_in_row") & ~late).height
        if unseen:
            stats.dropped[BUFFER_EXPIRED] += unseen
            stats.open -= unseen
        return marked.filter("_stays").with_columns((pl.col("_fresh") & ~pl.col("_in_row")).alias("_fresh"))


def expired(rows: pl.DataFrame) -> pl.DataFrame:
    """Placed rows that see nothing older than `_since`."""
    time = pl.col("_event_time")
    alive = (pl.col("_i").min() + time.search_sorted(pl.col("_since"), side="left").cast(pl.Int64)).over("_group")
    return rows.with_columns(pl.max_horizontal("_begin", alive).alias("_begin")).drop("_since")
