"""ORDER BY, LIMIT and DISTINCT per window, over the rows of all groups: an operator behind the operator.

Its rows are those of a windowed statement after HAVING and the select list, from all buckets; so it runs in one place
per window, takes revisions as replacements, and says what enters and what leaves the list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.errors import InvalidPlan
from velostream.windows.accumulators.base import Sort
from velostream.windows.contents import ORIGIN, ORIGIN_GONE, ORIGIN_REVISION
from velostream.windows.emission.base import CHANGE, FINAL, LATE, RETRACT
from velostream.windows.facts import Facts
from velostream.windows.outcome import Outcome
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

WINDOW = ["_window_start", "_window_end"]
MADE = Made({"operator": "order and limit per window"})


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """`columns` are those of the select list; with `changes` lists are kept up to date, and not said at the close."""

    columns: tuple[str, ...]
    order: tuple[Sort, ...] = ()
    limit: int | None = None
    distinct: bool = False
    changes: bool = False
    allowed: int = 0
    watermark: WatermarkSettings = field(default_factory=WatermarkSettings)

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 0:
            raise InvalidPlan(f"LIMIT {self.limit} is negative", hint="give zero or more")
        if not (self.order or self.distinct or self.limit is not None):
            raise InvalidPlan("a ranking without order, limit or distinct changes nothing", hint="leave it out")


class Ranking:
    """Lists of rows per window. Rows come with `_origin` (whose row it is), its revision, and whether it is gone."""

    def __init__(self, settings: RankingSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        saved = read_root(store, MADE)
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.number: int = saved.get("number", 0)
        self.rows = Ledger("rows", store, _newest, saved.get("rows"))
        self.lists = Ledger("lists", store, _latest, saved.get("lists"))

    def process(self, rows: pl.DataFrame, facts: Facts) -> Outcome:
        """Take rows of the windowed statement; its watermarks are the facts."""
        before = self.watermark.value
        after = self.watermark.advance(facts)
        self.number += 1
        celled = rows.with_columns(pl.col("_window_end").alias("_cell"))
        self.rows.append(celled)
        windows = self._due(celled, before, after, flush=facts.flush)
        said = rows.clear() if windows is None else self._said(windows, before)
        if after is not None:
            self.rows.drop_below(after - self.settings.allowed + 1)
            self.lists.drop_below(after - self.settings.allowed + 1)
        stats = Stats(read=rows.height, in_results=rows.height, watermark=after)
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = [f"{source}/{number}" for source, number in self.watermark.holding()]
        if windows is not None:
            for emission, number in said["_emission"].value_counts().iter_rows():
                stats.emitted[emission] = number
        self._save(stats)
        return Outcome(said, rows.clear(), rows.clear(), stats)

    def _due(self, rows: pl.DataFrame, before: int | None, after: int | None, *, flush: bool) -> list[int] | None:
        """The ends of windows that are asked: those that close now, and those that changed after they spoke."""
        ends: set[int] = set()
        if not self.settings.changes:
            high = MOST if flush else after
            if high is not None:
                closing = self.rows.read([(LEAST if before is None else before + 1, high)])
                ends |= set() if closing is None else set(closing["_cell"].unique().to_list())
        touched = rows["_cell"].unique().sort()
        spoken = self.lists.look_up(touched)
        again = set() if spoken is None else set(spoken["_cell"].unique().to_list())
        ends |= {
            end for end in touched if self.settings.changes or end in again or (before is not None and end <= before)
        }
        return sorted(ends) or None

    def _said(self, ends: list[int], before: int | None) -> pl.DataFrame:
        """What enters, changes or leaves the lists of these windows."""
        cells = pl.Series(ends, dtype=pl.Int64)
        held = self.rows.look_up(cells)
        old = self.lists.look_up(cells)
        current = self._listed(_newest(held, True)) if held is not None else None
        was = None if old is None else _latest(old, False)
        return self._difference(current, was, before)

    def _listed(self, rows: pl.DataFrame) -> pl.DataFrame:
        living = rows.filter(~pl.col(ORIGIN_GONE))
        columns = list(self.settings.columns)
        by = [sort.column for sort in self.settings.order]
        down = [sort.descending for sort in self.settings.order]
        last = [sort.nulls_last for sort in self.settings.order]
        ordered = living.sort([*by, ORIGIN], descending=[*down, False], nulls_last=[*last, False])
        if self.settings.distinct:
            ordered = ordered.unique([*WINDOW, *columns], keep="first", maintain_order=True)
        place = pl.int_range(pl.len(), dtype=pl.Int64).over(WINDOW)
        ranked = ordered.with_columns(place.alias("_place"))
        return ranked if self.settings.limit is None else ranked.filter(pl.col("_place") < self.settings.limit)

    def _difference(self, current: pl.DataFrame | None, was: pl.DataFrame | None, before: int | None) -> pl.DataFrame:
        identity = [*WINDOW, ORIGIN]
        shown = [*identity, *self.settings.columns]
        if current is None:
            current = was.clear() if was is not None else None
        assert current is not None  # a window is asked only where rows or a list of it exist
        if was is None:
            news = current.with_columns(pl.lit(1, pl.Int64).alias("_revision"))
            gone = news.select(*shown, "_revision", "_place").clear()
        else:
            old = was.select(
                *identity,
                *(pl.col(n).alias(f"{n}!") for n in self.settings.columns),
                "_listed",
                pl.col("_revision").alias("_was"),
            )
            joined = current.drop("_revision", strict=False).join(
                old, on=identity, how="left", nulls_equal=True, maintain_order="left"
            )
            same = pl.all_horizontal(
                pl.col("_listed").fill_null(value=False),
                *(pl.col(n).eq_missing(pl.col(f"{n}!")) for n in self.settings.columns),
            )
            news = joined.filter(~same).with_columns((pl.col("_was").fill_null(0) + 1).alias("_revision"))
            left = was.filter("_listed").join(current.select(identity), on=identity, how="anti", nulls_equal=True)
            gone = left.select(*shown, "_revision", "_place")
        news = news.select(*shown, "_revision", "_place")
        self._remember(news, gone)
        return self._rows(news, gone, was, before)

    def _remember(self, news: pl.DataFrame, gone: pl.DataFrame) -> None:
        marks = [frame.with_columns(pl.lit(flag).alias("_listed")) for frame, flag in ((news, True), (gone, False))]
        version = pl.lit(self.number, pl.Int64).alias("_version")
        self.lists.append(stacked(marks).with_columns(pl.col("_window_end").alias("_cell"), version))

    def _rows(
        self, news: pl.DataFrame, gone: pl.DataFrame, was: pl.DataFrame | None, before: int | None
    ) -> pl.DataFrame:
        spoken = set() if was is None else set(was["_window_end"].unique().to_list())
        late = pl.col("_window_end").is_in(sorted(spoken)) & pl.lit(not self.settings.changes)
        if before is not None:
            late = late | (pl.col("_window_end") <= before)
        first = CHANGE if self.settings.changes else FINAL
        entered = news.with_columns(pl.when(late).then(pl.lit(LATE)).otherwise(pl.lit(first)).alias("_emission"))
        left = gone.with_columns(pl.lit(RETRACT).alias("_emission"))
        both = pl.concat([left, entered]).sort("_window_end", maintain_order=True)
        return both.with_columns(pl.lit(self.watermark.value, pl.Int64).alias("_watermark"))

    def _save(self, stats: Stats) -> None:
        for ledger in (self.rows, self.lists):
            ledger.tidy()
        stats.weigh((self.rows, self.lists), self.store.cached)
        root = {"number": self.number, "watermark": self.watermark.snapshot()}
        root |= {ledger.name: ledger.snapshot() for ledger in (self.rows, self.lists)}
        write_root(self.store, MADE, root)


def _newest(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    ordered = frame.sort(ORIGIN_REVISION, ORIGIN_GONE)
    return ordered.unique([*WINDOW, ORIGIN], keep="last", maintain_order=True)


def _latest(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
    return frame.sort("_version").unique([*WINDOW, ORIGIN], keep="last", maintain_order=True)
