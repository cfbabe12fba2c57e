"""EVERY n ROWS: rows before the close, by the number of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.errors import EmissionConflict
from velostream.windows.emission.base import EmissionParameter, early_row

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class EveryRows:
    """`EMIT EVERY n ROWS`: a row of a group when n records came since its last one, looked at once per micro-batch."""

    count: int

    name: ClassVar[str] = "EVERY"
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[EmissionParameter, ...]] = (EmissionParameter("count", "integer", "emit.every.count"),)
    needs_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.count <= 0:
            raise EmissionConflict(f"a row every {self.count} records cannot be", hint="give a number of at least 1")

    def answer(self) -> pl.Expr:
        """Early when enough records came."""
        return early_row(pl.col("_pending") >= self.count)
