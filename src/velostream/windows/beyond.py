"""Rows beyond retention that are processed all the same: their windows are opened again, or the last closed window of
their key takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import ERROR, POSITION
from velostream.windows.emission.base import LATE
from velostream.windows.failed import all_failed, have_failed, lose
from velostream.windows.keyed import Keyed
from velostream.windows.moment import Moment
from velostream.windows.panes import Panes
from velostream.windows.previous import Previous
from velostream.windows.settings import OperatorSettings
from velostream.windows.speaker import Speaker
from velostream.windows.state import stacked
from velostream.windows.statistics import Stats

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Beyond:
    """What such rows bring about; `group` tells groups and windows apart."""

    settings: OperatorSettings
    shelf: Panes | Keyed
    speaker: Speaker
    group: list[str]

    def reopen(self, rows: pl.DataFrame, moment: Moment, stats: Stats) -> pl.DataFrame:
        """Windows say what came now, late, at revision 1, and are gone again; where every record has its own row, each
        says what it alone brought, as if it had come alone."""
        stats.in_results += rows.height
        window, aggregation = self.settings.assigner, self.settings.aggregation
        each = ["_order"] if self.settings.emission.by_record else []
        ordered = rows.sort(POSITION).with_row_index("_order")
        keys = [*self.settings.keys, *each]
        placed = window.windows(window.place(ordered, keys), keys)
        group = [*self.group, *each]
        values = aggregation.finish(aggregation.fold(placed, group))
        if have_failed(values):
            members = placed.select(*dict.fromkeys((*group, "_order")))
            told = members.join(values.select(*group, ERROR), on=group, how="left", nulls_equal=True)
            lose(stats, all_failed(told, "_order"))
        beyond = Moment(moment.before, moment.after, moment.now, moment.number)
        said = self.speaker.speak(self._touched(values), None, beyond).rows
        return said.sort("_order", maintain_order=True).drop("_order") if each else said

    def update(self, previous: Previous, rows: pl.DataFrame, moment: Moment, stats: Stats) -> pl.DataFrame:
        """Rows are counted in the last closed window of their key, which speaks again."""
        stats.in_results += rows.height
        aggregation, own = self.settings.aggregation, list(self.settings.keys)
        latest = previous.of(rows)
        window = [*own, *previous.window]
        added = aggregation.fold(rows, own)
        cells = rows.select(self.shelf.by[:-2]).unique()
        added = _met(added, latest.select(window), own)
        states = aggregation.merge(stacked([latest.select(added.columns), added]), window)
        values = aggregation.finish(states)
        if have_failed(values):
            failed = values.filter(pl.col(ERROR).is_not_null())
            lose(stats, rows.join(failed, on=own, how="semi", nulls_equal=True).height if own else rows.height)
        values = _met(values, cells, own) if self.settings.assigner.keyed else values
        said = aggregation.finish(latest)
        remembered = said.with_columns(
            pl.lit(0, pl.Int64).alias("_emitted"),
            pl.lit(None, pl.Int64).alias("_emitted_at"),
            pl.lit(value=True).alias("_final"),
            pl.lit(value=False).alias("_gone"),
            pl.struct(self.speaker.said).alias("_said"),
        )
        spoken = self.speaker.speak(self._touched(values), remembered, moment).rows
        previous.remember(states, spoken.filter(pl.col("_emission") == LATE))
        horizon = moment.closed_by(self.settings.lateness.allowed)
        if not self.settings.assigner.keyed:
            previous.add(added.filter(pl.col("_closes_at") > horizon))
        return spoken

    def _touched(self, values: pl.DataFrame) -> pl.DataFrame:
        """Groups as the speaker takes those that a batch touches."""
        flags = (pl.lit(value=True).alias("_touched"), pl.lit(value=False).alias("_critical"))
        return self.shelf.celled(values.with_columns(*flags))


def _met(groups: pl.DataFrame, others: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Groups with what another frame has of their key."""
    return groups.join(others, on=keys, how="left", nulls_equal=True) if keys else groups.join(others, how="cross")
