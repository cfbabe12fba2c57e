"""Which records come too late, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from velostream.durations import show
from velostream.errors import InvalidProperty

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.assigners import Assigner
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

TOO_LATE = "too_late"


class LateStrategy(Enum):
    """What becomes of a record that is too late for all of its windows."""

    DEAD_LETTER = "dead_letter"
    DROP = "drop"
    PROCESS_WITH_WARNING = "process_with_warning"
    PROCESS_ALL = "process_all"
    INCLUDE_IN_NEXT = "include_in_next"
    UPDATE_PREVIOUS = "update_previous"

    @property
    def processes(self) -> bool:
        """True where the window is opened again, whatever the watermark."""
        return self in (LateStrategy.PROCESS_ALL, LateStrategy.PROCESS_WITH_WARNING)


@dataclass(frozen=True, slots=True)
class Lateness:
    """`allowed.lateness` and `late.data.strategy`: how long closed windows are kept, and what happens after."""

    allowed: int = 0
    strategy: LateStrategy = LateStrategy.DEAD_LETTER

    def __post_init__(self) -> None:
        if self.allowed < 0:
            message = f"'allowed.lateness' is negative: {show(self.allowed)}"
            raise InvalidProperty(message, hint="give zero or more, such as 2m")


def judged(rows: pl.DataFrame, watermark: int | None, assigner: Assigner, allowed: int) -> pl.DataFrame:
    """Rows with `_lateness` (below the watermark by how much, else NULL), `_missed` windows and `_too_late`.

    Judged is against the watermark as the micro-batch begins, and per window: a record is too late only where all of
    its windows are gone. Most batches bring nothing late, and pay one comparison.
    """
    time = pl.col("_event_time")
    if watermark is None or rows.is_empty() or int(rows["_event_time"].min()) >= watermark:  # type: ignore[arg-type]
        nothing = (pl.lit(None, pl.Int64).alias("_lateness"), pl.lit(0, pl.Int64).alias("_missed"))
        return rows.with_columns(*nothing, pl.lit(value=False).alias("_too_late"))
    horizon = watermark - allowed
    return rows.with_columns(
        pl.when(time < watermark).then(watermark - time).alias("_lateness"),
        pl.when(time < watermark).then(assigner.missed(time, horizon)).otherwise(0).alias("_missed"),
        assigner.outlived(time, horizon).alias("_too_late"),
    )
