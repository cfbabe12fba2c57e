"""No window at all: a group lives as long as the job, or as its time to live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.windows.assigners.base import WindowParameter

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Unbounded:
    """GROUP BY without a window: one window without bounds, which nothing but a flush makes speak its final word."""

    name: ClassVar[str] = "UNBOUNDED"
    aliases: ClassVar[tuple[str, ...]] = ()
    keyed: ClassVar[bool] = True
    moves: ClassVar[bool] = False
    parameters: ClassVar[tuple[WindowParameter, ...]] = ()

    def place(self, rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """All rows of a key are one fragment; its bounds do not matter."""
        return rows.with_columns(pl.lit(0, pl.Int64).alias("_start"), pl.lit(0, pl.Int64).alias("_end"))

    def windows(self, fragments: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
        """Bounds that are NULL, and no watermark that closes."""
        return fragments.with_columns(
            pl.lit(None, pl.Int64).alias(name) for name in ("_window_start", "_window_end", "_closes_at")
        )

    def outlived(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """Never: no record is too late for a group."""
        return pl.lit(value=False)

    def missed(self, event_time: pl.Expr, time: int) -> pl.Expr:
        """None."""
        return pl.lit(0, pl.Int64)
