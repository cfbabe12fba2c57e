"""Records combined before they reach the operator: what a router may fold early, and how the operator takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.windows.assigners.aligned import Aligned
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.emission import Accumulation
from velostream.windows.lateness import LateStrategy
from velostream.windows.moment import Moment
from velostream.windows.settings import EVENT_COUNT, OperatorSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


def combines(settings: OperatorSettings) -> bool:
    """True where records need not be seen one by one: no row for each, no replacing, no marks, no duplicates."""
    emission = settings.emission
    return not (
        emission.by_record
        or settings.replaces
        or settings.dedup is not None
        or settings.max_clock_skew is not None
        or emission.condition is not None
        or emission.accumulation is Accumulation.DISCARDING
        or settings.lateness.strategy is LateStrategy.UPDATE_PREVIOUS
        or (isinstance(settings.assigner, Unbounded) and settings.ttl is not None)
    )


def combined(settings: OperatorSettings, rows: pl.DataFrame, apart: Sequence[str] = ()) -> pl.DataFrame:
    """Rows, none of them below the watermark that the last batch ended with, as fragments.

    `apart` are columns that the keys decide; they stay.
    """
    keys, window = list(settings.keys), settings.assigner
    if isinstance(window, Aligned):
        placed = rows.with_columns(window.pane_of(pl.col("_event_time")).alias("_start"))
        folded = settings.aggregation.fold(placed, [*apart, *keys, "_start"])
        end = (pl.col("_start") + window.pane).alias("_end")
        return folded.select(*apart, *keys, "_start", end, *settings.aggregation.state)
    timed = rows.with_columns(pl.col("_event_time").alias("_start"), pl.col("_event_time").alias("_end"))
    placed = window.place(timed, keys)
    hashed = ["_hash"] if "_hash" in rows.columns else []
    return settings.aggregation.fold(placed, [*apart, *keys, *hashed, "_start", "_end"])


def unfolded(settings: OperatorSettings, folded: pl.DataFrame, moment: Moment) -> pl.DataFrame:
    """Fragments with the number of their records; one that comes late must have come as rows, and is refused."""
    if not combines(settings):
        message = "combined records came to a statement that must see each of them"
        raise VeloError(message, hint="send the records one by one", code="internal")
    horizon = moment.closed_by(settings.lateness.allowed)
    if horizon is not None and folded.select(settings.assigner.outlived(pl.col("_start"), horizon).any()).item():
        message = "combined records came too late for their windows"
        raise VeloError(message, hint="records below the watermark must be sent one by one", code="internal")
    return folded.with_columns(settings.aggregation.value(EVENT_COUNT).alias("_records"))
