"""When a micro-batch happens, what it asks of state, and what it leaves to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.state import Ledger


@dataclass(frozen=True, slots=True)
class Moment:
    """`before` judges lateness, `after` closes windows; `number` orders the versions of state."""

    before: int | None
    after: int | None
    now: int
    number: int
    flush: bool = False
    clocked: bool = True

    def closed_by(self, allowed: int = 0) -> int | None:
        """The largest close that lies at or before the watermark of the beginning, less a lateness."""
        return None if self.before is None else self.before - allowed

    def closing_by(self, allowed: int = 0) -> int | None:
        """The same at the end."""
        return None if self.after is None else self.after - allowed


@dataclass(frozen=True, slots=True)
class Ask:
    """Whose values a batch needs: of the touched groups always (`eager`) or where they have closed or `spoken` before,
    of windows that close (`at_close`), of groups that the clock names (`timers`)."""

    eager: bool
    at_close: bool
    spoken: Ledger
    timers: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What a batch brought (`delta`), which fragments it asked for, the rows it spoke, and the final or late ones."""

    delta: pl.DataFrame
    asked: pl.DataFrame | None
    spoken: pl.DataFrame
    final: pl.DataFrame
