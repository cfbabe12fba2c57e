"""Row functions as answers: over the whole of a partition, or over the last rows up to each row of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from velostream.windows.rows.buffer import expired
from velostream.windows.rows.functions import answered, answered_apart
from velostream.windows.rows.placing import PLACES, placed
from velostream.windows.rows.settings import Emit, RowSettings

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

CORRECTED, KEPT = 2, 3
"""How many times the size of a buffer can be corrected, and is kept, since what is corrected looks back on others."""


@dataclass(frozen=True)
class WholePartition:
    """OVER rows that are all known: every function has an answer, in whatever order."""

    settings: RowSettings

    @property
    def kind(self) -> str:
        """In the words of an error."""
        return self.settings.kind

    @property
    def results(self) -> list[str]:
        """Those of the functions."""
        return self.settings.results

    def answered(self, rows: pl.DataFrame, over: list[str]) -> pl.DataFrame:
        """All rows stand."""
        answers = answered(self.settings, placed(rows, over, self.settings), pl.lit(value=True))
        return answers.drop(PLACES, strict=False).with_columns(pl.lit(value=True).alias("_listed"))


@dataclass(frozen=True)
class CorrectedBuffer:
    """ROWS WINDOW BUFFER over rows that are corrected: each row answers over the n rows that end with it.

    A row that comes after n later ones is late. What was said of rows is corrected up to twice as far back, and holds
    beyond.
    """

    settings: RowSettings

    @property
    def kind(self) -> str:
        """In the words of an error."""
        return self.settings.kind

    @property
    def results(self) -> list[str]:
        """Those of the functions."""
        return self.settings.results

    @cached_property
    def by_time(self) -> RowSettings:
        """The order of the buffer, whatever the order within it."""
        return self.settings if self.settings.by_time else replace(self.settings, by_time=True, order=())

    def answered(self, rows: pl.DataFrame, over: list[str]) -> pl.DataFrame:
        """Rows that are full enough stand; those far back are fixed, or late, or leave."""
        size = self.settings.buffer or 1
        ordered = placed(rows, over, self.by_time)
        said = pl.col("_revision") > 0
        newer = pl.col("_last") - pl.col("_i")
        held = (~pl.col("_new")).cast(pl.Int64)
        held_newer = held.reverse().cum_sum().reverse().over("_group") - held
        marked = ordered.with_columns(
            (pl.col("_new") & pl.when(said).then(newer >= CORRECTED * size).otherwise(held_newer >= size)).alias(
                "_late"
            ),
            (newer >= KEPT * size).alias("_leaves"),
            (said & (newer >= CORRECTED * size)).alias("_fixed"),
        )
        bounded = marked.with_columns(
            pl.max_horizontal("_begin", pl.col("_i") - size + 1).alias("_begin"), pl.col("_i").alias("_last")
        )
        if self.settings.expire_after is not None:
            bounded = expired(
                bounded.with_columns((pl.col("_event_time") - self.settings.expire_after).alias("_since"))
            )
        answer = answered if self.settings.by_time else answered_apart
        answers = answer(self.settings, bounded, pl.lit(value=True))
        full = pl.col("_last") - pl.col("_begin") + 1 == size
        listed = full if self.settings.emit is Emit.ON_BUFFER_FULL else pl.lit(value=True)
        return answers.with_columns(listed.alias("_listed")).drop(PLACES, strict=False)
