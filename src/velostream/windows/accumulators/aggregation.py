"""All aggregates of a query as one: rows to state, states to one state, state to results, each in whole frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import accumulator, grouping
from velostream.windows.accumulators.base import ERROR, Accumulates, Call, Cell
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True)
class Aggregation:
    """The aggregates of one GROUP BY. Frames in and out are eager, groups in no particular order; see `base`."""

    calls: tuple[Call, ...]

    def __post_init__(self) -> None:
        names = [call.result for call in self.calls]
        if len(set(names)) != len(names) or ERROR in names:
            raise InvalidPlan(f"results {names} are not distinct names", hint=f"name each once, and none '{ERROR}'")

    @cached_property
    def accumulators(self) -> tuple[Accumulates, ...]:
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

    def value(self, result: str) -> pl.Expr:
        """One of the results, as an expression over the state columns."""
        one = next(each for each in self.accumulators if each.call.result == result)
        return one.finish().cast(dtype(one.type))

    @cached_property
    def finished(self) -> dict[str, pl.DataType]:
        """The columns that `finish` adds and their types."""
        return {**{name: dtype(kind) for name, kind in self.results.items()}, ERROR: pl.String()}

    def fold(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """One row of state per group of `rows`: the columns `by`, then the state."""
        return grouping.fold(self.cells, rows, by)

    def merge(self, states: pl.DataFrame, by: Sequence[str], labels: Sequence[str] = ()) -> pl.DataFrame:
        """One row of state per group of `states`, and whether any of them has each of the `labels`; columns that are
        none of these go."""
        return grouping.merge(self.cells, self.completed(states), by, labels)

    def completed(self, states: pl.DataFrame) -> pl.DataFrame:
        """States with all state columns: those that an earlier version of the query did not keep are NULL, so empty."""
        missing = [pl.lit(None, kind).alias(name) for name, kind in self.state.items() if name not in states.columns]
        return states.with_columns(missing) if missing else states

    def finish(self, states: pl.DataFrame) -> pl.DataFrame:
        """The columns of `states` that are not state, the results, and `ERROR`: NULL, or what went wrong."""
        kept = [name for name in states.columns if name not in self.state]
        results = [one.finish().cast(dtype(one.type)).alias(one.call.result) for one in self.accumulators]
        answers = [(one.call, one.error()) for one in self.accumulators]
        failures = [pl.lit(f"{_shown(call)} ") + failed for call, failed in answers if failed is not None]
        error = pl.coalesce(failures) if failures else pl.lit(None, dtype=pl.String)
        table = states.select(*kept, *results, error.alias(ERROR))
        if table[ERROR].null_count() == table.height:
            return table
        fine = pl.col(ERROR).is_null()
        return table.with_columns(pl.when(fine).then(pl.col(name)).alias(name) for name in self.results)

    def empty(self, keys: dict[str, pl.DataType]) -> pl.DataFrame:
        """No groups: the frame that `fold` of no rows gives, with grouping columns of these types."""
        return pl.DataFrame(schema={**keys, **self.state})


def _shown(call: Call) -> str:
    return f"{call.name.upper()}({'DISTINCT ' if call.distinct else ''}{', '.join(call.arguments)})"
