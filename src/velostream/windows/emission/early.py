"""EARLY EVERY: rows before the close, by processing time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.durations import show
from velostream.errors import EmissionConflict
from velostream.windows.emission.base import EmissionParameter, early_row

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Early:
    """`EMIT EARLY EVERY 30s`: a row of a changed group, `every` after its last one."""

    every: int

    name: ClassVar[str] = "EARLY EVERY"
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[EmissionParameter, ...]] = (EmissionParameter("every", "duration", "emit.early"),)
    needs_values: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.every <= 0:
            raise EmissionConflict(f"early rows every {show(self.every)} never come", hint="give a time such as 30s")

    def answer(self) -> pl.Expr:
        """Early when the time is over."""
        return early_row(pl.col("_elapsed") >= self.every)
