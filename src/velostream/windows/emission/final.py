"""FINAL: one row per group and window when it closes, and corrections for late records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.windows.emission.base import FINAL, LATE, EmissionParameter

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Final:
    """`EMIT FINAL`: a row when the watermark reaches the end of the window; a late one for each later change."""

    name: ClassVar[str] = "FINAL"
    aliases: ClassVar[tuple[str, ...]] = ("ON WATERMARK",)
    parameters: ClassVar[tuple[EmissionParameter, ...]] = ()
    needs_values: ClassVar[bool] = False

    def answer(self) -> pl.Expr:
        """Late once the window has closed or spoken, final when it closes."""
        late = pl.col("_touched") & (pl.col("_closed") | pl.col("_finalised"))
        final = pl.col("_closes") & ~pl.col("_closed") & ~pl.col("_finalised")
        return pl.when(late).then(pl.lit(LATE)).when(final).then(pl.lit(FINAL))
