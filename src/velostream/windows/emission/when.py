"""WHEN: rows at once on a critical record, with a fallback by processing time."""

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
class When:
    """`EMIT WHEN (condition) [FALLBACK EVERY 5s]`: the condition is a boolean column of the records."""

    condition: str
    fallback: int | None = None

    name: ClassVar[str] = "WHEN"
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[EmissionParameter, ...]] = (
        EmissionParameter("condition", "condition", "emit.on"),
        EmissionParameter("fallback", "duration", "emit.fallback", required=False, words=("FALLBACK EVERY",)),
    )
    needs_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.fallback is not None and self.fallback <= 0:
            message = f"a fallback every {show(self.fallback)} never comes"
            raise EmissionConflict(message, hint="give a time such as 5s, or leave it out")

    @property
    def every(self) -> int | None:
        """The fallback's interval, looked at like that of early rows."""
        return self.fallback

    def answer(self) -> pl.Expr:
        """Early on a critical record, or when the fallback's time is over."""
        due = pl.col("_critical")
        return early_row(due if self.fallback is None else due | (pl.col("_elapsed") >= self.fallback))
