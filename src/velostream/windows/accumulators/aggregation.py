"""All aggregates of a query as one: rows to state, states to one state, state to results, each in whole frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import accumulator
from velostream.windows.accumulators.base import ERROR, GROUP, Accumulator, Call, Cell, ScalarCell, TableCell
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True)
class Aggregation:
    """The aggregates of one GROUP BY. Frames in and out are eager; see `base` for an example."""

    calls: tuple[Call, ...]

    def __post_init__(self) -> None:
        names = [call.result for call in self.calls]
        if len(set(names)) != len(names) or ERROR in names:
            raise InvalidPlan(f"results {names} are not distinct names", hint=f"name each once, and none '{ERROR}'")

    @cached_property
    def accumulators(self) -> tuple[Accumulator, ...]:
        """One per call."""
        return tuple(map(accumulator, self.calls))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """What is kept, each thing once however many calls need it."""
        return tuple(dict.fromkeys(cell for one in self.accumulators for cell in one.cells))

    @cached_property
    def state(self) -> dict[str, pl.DataType]:
        """The state columns and their types."""
        return {name: kind for cell in self.cells for name, kind in cell.columns.items()}

    @cached_property
    def results(self) -> dict[str, Type]:
        """The result columns and their Spark types."""
        return {one.call.result: one.type for one in self.accumulators}

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The columns that rows must have, beside the grouping."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell.inputs))

    def fold(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """One row of state per group of `rows`: the columns `by`, then the state."""
        scalars = [part for cell in self.cells if isinstance(cell, ScalarCell) for part in cell.fold()]
        tables = [cell for cell in self.cells if isinstance(cell, TableCell)]
        grouped = _numbered(rows, by) if tables or not by else rows
        parts = [cell.fold(grouped) for cell in tables]
        return self._gathered(grouped, by, scalars, parts)

    def merge(self, states: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """One row of state per group of `states`; columns that are neither `by` nor state go."""
        scalars = [part for cell in self.cells if isinstance(cell, ScalarCell) for part in cell.merge()]
        tables = [cell for cell in self.cells if isinstance(cell, TableCell)]
        grouped = _numbered(states, by) if tables or not by else states
        parts = [cell.merge(grouped) for cell in tables]
        return self._gathered(grouped, by, scalars, parts)

    def finish(self, states: pl.DataFrame) -> pl.DataFrame:
        """The columns of `states` that are not state, the results, and `ERROR`: NULL, or what went wrong."""
        kept = [name for name in states.columns if name not in self.state]
        results = [one.finish().cast(dtype(one.type)).alias(one.call.result) for one in self.accumulators]
        failures = [
            pl.when(failed).then(pl.lit(_told(one))) for one in self.accumulators if (failed := one.error()) is not None
        ]
        error = pl.coalesce(failures) if failures else pl.lit(None, dtype=pl.String)
        table = states.select(*kept, *results, error.alias(ERROR))
        if not failures or table[ERROR].null_count() == table.height:
            return table
        fine = pl.col(ERROR).is_null()
        return table.with_columns(pl.when(fine).then(pl.col(name)).alias(name) for name in self.results)

    def empty(self, keys: dict[str, pl.DataType]) -> pl.DataFrame:
        """No groups: the frame that `fold` of no rows gives, with grouping columns of these types."""
        return pl.DataFrame(schema={**keys, **self.state})

    def _gathered(
        self, frame: pl.DataFrame, by: Sequence[str], scalars: list[pl.Expr], parts: list[pl.DataFrame]
    ) -> pl.DataFrame:
        if GROUP not in frame.columns:
            return frame.group_by(by).agg(scalars).select(*by, *self.state)
        states = frame.group_by(GROUP).agg(*(pl.col(name).first() for name in by), *scalars)
        for part in parts:
            states = states.join(part, on=GROUP, how="left")
        return states.select(*by, *self.state)


def _numbered(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    # One integer per group: the keys, which may be many and long, are hashed once, however many groupings follow.
    numbered = frame.with_row_index(GROUP)
    return numbered.with_columns(pl.col(GROUP).first().over(*by) if by else pl.lit(0, dtype=pl.UInt32).alias(GROUP))


def _told(one: Accumulator) -> str:
    distinct = "DISTINCT " if one.call.distinct else ""
    return f"{one.call.name.upper()}({distinct}{', '.join(one.call.arguments)}) overflows {one.type}"
