"""Tumbling windows: one size, back to back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from velostream.windows.assigners.aligned import Aligned
from velostream.windows.assigners.base import GRACE, OFFSET, RETENTION, TIME, WindowParameter, positive

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Tumbling(Aligned):
    """`WINDOW TUMBLING(size)`: every record is in exactly one window."""

    size: int
    offset: int = 0

    name: ClassVar[str] = "TUMBLING"
    aliases: ClassVar[tuple[str, ...]] = ("TUMBLE",)
    parameters: ClassVar[tuple[WindowParameter, ...]] = (
        TIME,
        WindowParameter("size", required=True, words=("SIZE",)),
        OFFSET,
        GRACE,
        RETENTION,
    )

    def __post_init__(self) -> None:
        positive("tumbling", size=self.size)

    def bounds(self, pane: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        """The pane is the window."""
        return pane, pane + self.size
