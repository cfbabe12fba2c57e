"""What the operator hands back of a micro-batch: rows, records that are in no row, and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.windows.statistics import Stats

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(slots=True)
class Outcome:
    """Three frames and the statistics.

    `results`: keys, results, and the system columns of windowed rows. `letters`: input rows that are in no result, with
    `_reason`, `_lateness`, `_watermark` and whether they are a dead letter (`_dead`) or dropped by choice. `failures`:
    groups whose aggregates failed, with `_error`. `next_tick`: when the clock should be looked at again, if at all.
    `outgoing`: the event time that no row still to come lies below, where the operator knows it; `done`: nothing more
    will ever come out.
    """

    results: pl.DataFrame
    letters: pl.DataFrame
    failures: pl.DataFrame
    stats: Stats = field(default_factory=Stats)
    next_tick: int | None = None
    outgoing: int | None = None
    done: bool = False


INNER = ("_missed", "_too_late", "_start", "_end", "_cell")
"""Columns that judging a row adds, and that a letter does not have."""
ADDED = ("_reason", "_lateness", "_watermark", "_dead")


def no_letters(rows: pl.DataFrame) -> pl.DataFrame:
    """No letters, with the columns that letters of these input rows have."""
    own = {name: kind for name, kind in rows.schema.items() if name not in ADDED}
    kinds = dict(zip(ADDED, (pl.String(), pl.Int64(), pl.Int64(), pl.Boolean()), strict=True))
    return pl.DataFrame(schema={**own, **kinds})


def letters(rows: pl.DataFrame, reason: str, watermark: int | None, *, dead: bool) -> pl.DataFrame:
    """Input rows as letters."""
    lateness = pl.col("_lateness") if "_lateness" in rows.columns else pl.lit(None, pl.Int64)
    return rows.drop(INNER, strict=False).with_columns(
        pl.lit(reason).alias("_reason"),
        lateness.alias("_lateness"),
        pl.lit(watermark, pl.Int64).alias("_watermark"),
        pl.lit(dead).alias("_dead"),
    )
