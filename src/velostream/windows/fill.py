"""Gap filling: the windows between two windows of a group that have records, said when the later one fires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.types import Type
from velostream.windows.accumulators.exact import between
from velostream.windows.assigners.aligned import Aligned
from velostream.windows.emission.base import FINAL, LATE
from velostream.windows.moment import Moment
from velostream.windows.settings import EVENT_COUNT, Fill, OperatorSettings
from velostream.windows.state import Ledger, newest, stacked
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

WINDOW = ["_window_start", "_window_end"]


class Filler:
    """Per key the windows that have spoken and can still change, and the one before them; filled ones among them.

    `_lead` is the revision that a filled row had reached, on which those of a real one go on. A late window that falls
    into a gap takes the place of its filled row with the next revision, and the filled rows
    around it are corrected. A gap longer than the time to live is left empty, so that keys which have been silent for
    longer are forgotten.
    """

    def __init__(
        self, fill: Fill, window: Aligned, settings: OperatorSettings, store: Store, snapshot: dict[str, Any] | None
    ) -> None:
        self.fill = fill
        self.window = window
        self.settings = settings
        self.keys = list(settings.keys)
        self.types: dict[str, Type] = settings.aggregation.results
        self.values = [name for name in self.types if name != EVENT_COUNT]
        self.columns = ["_cell", *self.keys, *WINDOW, *self.values, "_revision", "_filled", "_lead"]
        self.newest = newest(["_cell", *self.keys], "_version")
        self.horizon: int | None = None
        """Keys without a window that ends later are forgotten: the next one would be too far away."""
        self.ledger = Ledger("timeline", store, self._reduce, snapshot)

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        latest = self.newest(frame, complete)
        if not complete or self.horizon is None:
            return latest
        return latest.filter(pl.col("_window_end").max().over(["_cell", *self.keys]) > self.horizon)

    def filled(self, rows: pl.DataFrame, moment: Moment) -> pl.DataFrame:
        """Rows with those between; each says in `_filled` which it is."""
        if self.settings.ttl is not None and moment.before is not None:
            silent = self.settings.ttl + self.settings.lateness.allowed + self.window.size
            self.horizon = moment.before - silent
        marked = rows.with_columns(pl.lit(value=False).alias("_filled"))
        firing = marked.filter(pl.col("_emission").is_in([FINAL, LATE]))
        if firing.is_empty():
            return marked
        cell = pl.lit(0, pl.Int64).alias("_cell")
        wanted = firing.select(cell, *self.keys).unique()
        known = self._known(wanted)
        firing = self._renumbered(firing.with_columns(cell), known)
        real = self._real(firing, known)
        between = self._between(real, known, moment)
        self._keep(real, between, moment)
        others = marked.filter(~pl.col("_emission").is_in([FINAL, LATE]))
        spoken = between.filter(pl.col("_emission").is_not_null())
        spoken = spoken.with_columns(pl.lit(moment.after, pl.Int64).alias("_watermark"))
        columns = [name for name in marked.columns if name in spoken.columns]
        parts = [others, firing.select(marked.columns), spoken.select(columns)]
        return pl.concat(parts, how="diagonal_relaxed").sort("_window_end", maintain_order=True)

    def _known(self, wanted: pl.DataFrame) -> pl.DataFrame | None:
        found = self.ledger.read()
        if found is None:
            return None
        mine = found.join(wanted, on=["_cell", *self.keys], how="semi", nulls_equal=True)
        return self.ledger.reduce(mine, True).drop("_version", "_gone")

    def _renumbered(self, firing: pl.DataFrame, known: pl.DataFrame | None) -> pl.DataFrame:
        """A window that was filled has been said before: its own first row is a correction of that."""
        if known is None:
            return firing.with_columns(pl.lit(0, pl.Int64).alias("_lead"))
        said = known.select(*self.keys, *WINDOW, "_lead")
        joined = firing.join(said, on=[*self.keys, *WINDOW], how="left", nulls_equal=True, maintain_order="left")
        joined = joined.with_columns(pl.col("_lead").fill_null(0))
        return joined.with_columns(pl.col("_revision") + pl.col("_lead"))

    def _real(self, firing: pl.DataFrame, known: pl.DataFrame | None) -> pl.DataFrame:
        mine = firing.select(self.columns)
        if known is None:
            return mine
        both = stacked([known.filter(~pl.col("_filled")).select(self.columns), mine])
        return both.unique([*self.keys, *WINDOW], keep="last", maintain_order=True)

    def _between(self, real: pl.DataFrame, known: pl.DataFrame | None, moment: Moment) -> pl.DataFrame:
        """The filled windows as they must be now, with `_emission` where that is news."""
        step, group = self.window.advance_by, ["_cell", *self.keys]
        ordered = real.sort("_window_start")
        following = [pl.col(name).shift(-1).over(group).alias(f"{name}>") for name in ("_window_start", *self.values)]
        distance = pl.col("_window_start>") - pl.col("_window_start")
        near = pl.lit(value=True) if self.settings.ttl is None else distance - step <= self.settings.ttl
        pairs = ordered.with_columns(following).filter((distance > step) & near)
        starts = pl.int_ranges(pl.col("_window_start") + step, pl.col("_window_start>"), step)
        gaps = pairs.with_columns(starts.alias("_at")).explode("_at")
        way = tuple((pl.col(name) - pl.col("_window_start")) // step for name in ("_at", "_window_start>"))
        rows = gaps.select(
            *group,
            pl.col("_at").alias("_window_start"),
            (pl.col("_at") + self.window.size).alias("_window_end"),
            *(self._value(name, real.schema[name], way) for name in self.values),
            pl.lit(0, pl.Int64).alias(EVENT_COUNT),
            pl.lit(value=True).alias("_filled"),
        )
        return self._news(rows, known, moment)

    def _value(self, name: str, kind: pl.DataType, way: tuple[pl.Expr, ...]) -> pl.Expr:
        before = pl.col(name)
        if self.fill is Fill.ZERO:
            return (pl.lit(0) if kind.is_numeric() else pl.lit(None)).cast(kind).alias(name)
        if self.fill is Fill.FORWARD or not kind.is_numeric():
            return before.alias(name)
        gone, whole = way
        if not kind.is_float():
            return between(before, pl.col(f"{name}>"), gone, whole, self.types[name]).cast(kind).alias(name)
        return (before + (pl.col(f"{name}>") - before) * (gone / whole)).cast(kind).alias(name)

    def _news(self, rows: pl.DataFrame, known: pl.DataFrame | None, moment: Moment) -> pl.DataFrame:
        closed = pl.lit(value=False) if moment.before is None else pl.col("_window_end") <= moment.before
        first = pl.when(closed).then(pl.lit(LATE)).otherwise(pl.lit(FINAL))
        if known is None:
            return rows.with_columns(pl.lit(1, pl.Int64).alias("_revision"), first.alias("_emission"))
        said = known.filter("_filled").select(
            *self.keys, *WINDOW, *(pl.col(n).alias(f"{n}!") for n in self.values), "_revision"
        )
        joined = rows.join(said, on=[*self.keys, *WINDOW], how="left", nulls_equal=True)
        same = (
            pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}!")) for name in self.values)
            if self.values
            else pl.lit(value=True)
        )
        new = pl.col("_revision").is_null()
        return joined.with_columns(
            pl.when(new).then(first).when(~same).then(pl.lit(LATE)).alias("_emission"),
            pl.when(new)
            .then(1)
            .when(~same)
            .then(pl.col("_revision") + 1)
            .otherwise(pl.col("_revision"))
            .alias("_revision"),
        ).drop([f"{name}!" for name in self.values])

    def _keep(self, real: pl.DataFrame, between: pl.DataFrame, moment: Moment) -> None:
        """Windows that can still change; of those that cannot the last with records, where the next gap begins."""
        between = between.with_columns(pl.col("_revision").alias("_lead"))
        everything = stacked([real.select(self.columns), between.select(self.columns)])
        horizon = moment.closing_by(self.settings.lateness.allowed)
        if horizon is not None:
            fixed = (pl.col("_window_end") <= horizon) & ~pl.col("_filled")
            edge = pl.when(fixed).then("_window_start").max().over(["_cell", *self.keys])
            everything = everything.filter((pl.col("_window_end") > horizon) | (pl.col("_window_start") == edge))
        version = (pl.lit(moment.number, pl.Int64).alias("_version"), pl.lit(value=False).alias("_gone"))
        self.ledger.append(everything.with_columns(*version))
