"""What a rule of emission is: words of SQL, and an answer to the question whether a group speaks now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

EARLY, FINAL, LATE, CHANGE, RETRACT = "early", "final", "late", "change", "retract"
"""The values of `_emission`."""


class Accumulation(Enum):
    """What a row of a group says after an earlier one: all so far, only the news, or all with the old row withdrawn."""

    ACCUMULATING = "accumulating"
    DISCARDING = "discarding"
    RETRACTING = "retracting"


class Granularity(Enum):
    """How often CHANGES speaks: for every record, or once per group and micro-batch."""

    RECORD = "record"
    BATCH = "batch"


@dataclass(frozen=True, slots=True)
class EmissionParameter:
    """One value that the words of a rule take: `EMIT EARLY EVERY <duration>`; `property` is its other spelling."""

    name: str
    kind: str
    property: str
    required: bool = True
    words: tuple[str, ...] = ()


class Rule(Protocol):
    """One rule: it answers with an expression, and never emits itself.

    The expression is over a frame of groups and windows that may have to speak, with the columns

    - `_touched`: a record of this micro-batch changed the group
    - `_critical`: one of those records met the condition of `emit.on`
    - `_closed`: the window was closed when the micro-batch began
    - `_closes`: it closes now, by the watermark or by a flush
    - `_finalised`: a final or late row of the group has gone out
    - `_pending`: how many changes came since its last row
    - `_elapsed`: processing time since its last row, or since it was opened
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[EmissionParameter, ...]]
    needs_values: ClassVar[bool]
    """True where every group that a micro-batch touches may speak, so that its state is read at once."""

    def answer(self) -> pl.Expr:
        """The `_emission` of a row that is due, NULL where none is."""
        ...


def early_row(due: pl.Expr) -> pl.Expr:
    """An early row where a rule is due and the window is still open, has not spoken its final word and has news."""
    still_open = ~(pl.col("_closed") | pl.col("_closes") | pl.col("_finalised"))
    return pl.when(due & still_open & (pl.col("_pending") > 0)).then(pl.lit(EARLY))
