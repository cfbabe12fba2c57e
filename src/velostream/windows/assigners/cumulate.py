"""Cumulating windows: from one start, growing by a step up to a size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.durations import show
from velostream.errors import InvalidWindow
from velostream.windows.assigners.aligned import Aligned, floor
from velostream.windows.assigners.base import GRACE, OFFSET, RETENTION, TIME, WindowParameter, positive

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Cumulate(Aligned):
    """`WINDOW CUMULATE(step, size)`: [start, start + step), [start, start + 2 · step) … [start, start + size)."""

    step: int
    size: int
    offset: int = 0

    name: ClassVar[str] = "CUMULATE"
    aliases: ClassVar[tuple[str, ...]] = ("CUMULATIVE", "CUMULATING")
    parameters: ClassVar[tuple[WindowParameter, ...]] = (
        TIME,
        WindowParameter("step", required=True, words=("STEP",)),
        WindowParameter("size", required=True, words=("SIZE",)),
        OFFSET,
        GRACE,
        RETENTION,
    )

    def __post_init__(self) -> None:
        positive("cumulating", step=self.step, size=self.size)
        if self.size % self.step:
            message = f"cumulating window of {show(self.size)} is not a whole number of steps of {show(self.step)}"
            raise InvalidWindow(
                message, hint="choose a step that divides the size; the step comes first: CUMULATE(1m, 1h)"
            )

    @property
    def pane(self) -> int:
        """The step."""
        return self.step

    def bounds(self, pane: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        """One start, and every end after the pane."""
        start = floor(pane, self.size, self.offset)
        if self.pane == self.size:
            return start, start + self.size
        ends = pl.int_ranges(pane + self.step, start + self.size + 1, self.step)
        return start.repeat_by(ends.list.len()), ends
