"""The first n rows of each partition by event time: they go out behind the watermark, and stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.facts import Facts
from velostream.windows.rows.over import OverOperator
from velostream.windows.rows.settings import RowSettings
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class FirstRows(OverOperator):
    """Numbers rows as the one function of its settings does, and lets those up to n through."""

    def __init__(self, settings: RowSettings, n: int, store: Store) -> None:
        super().__init__(settings, store)
        self.n = n

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """Rows beyond n are hidden, and counted like the others."""
        said = super().step(rows, before, after, facts, stats)
        return said.filter(pl.col(self.settings.calls[0].result) <= self.n)
