"""CHANGES: a row for every change of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.windows.emission.base import CHANGE, LATE, EmissionParameter, Granularity

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Changes:
    """`EMIT CHANGES`: one row per record and window that it changes, or the newest value per micro-batch."""

    granularity: Granularity = Granularity.RECORD

    name: ClassVar[str] = "CHANGES"
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[EmissionParameter, ...]] = (
        EmissionParameter("granularity", "record | batch", "emit.granularity", required=False),
    )
    needs_values: ClassVar[bool] = True

    def answer(self) -> pl.Expr:
        """A change while the window is open, late after its close; nothing at the close itself."""
        spoken = pl.when(pl.col("_closed")).then(pl.lit(LATE)).otherwise(pl.lit(CHANGE))
        return pl.when(pl.col("_touched")).then(spoken)
