"""Running values: the state of a group after each of its records, in event order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from velostream.windows.accumulators import grouping
from velostream.windows.accumulators.aggregation import Aggregation
from velostream.windows.accumulators.base import Cell, ScalarCell

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


def running(aggregation: Aggregation, steps: pl.DataFrame, by: list[str], order: str) -> pl.DataFrame:
    """Each step with the state of its group up to and with it. `steps` holds a state per row."""
    place = pl.int_range(pl.len(), dtype=pl.Int64).over(by) if by else pl.int_range(pl.len(), dtype=pl.Int64)
    group = pl.col("_step").first().over(by) if by else pl.lit(0)
    ordered = steps.sort(order).with_row_index("_step").with_columns(group.alias("_in"), place.alias("_place"))
    ordered = ordered.sort("_in", "_place").drop("_step").with_row_index("_step")
    quick: dict[Cell, Sequence[pl.Expr] | None]
    quick = {cell: cell.prefix() for cell in aggregation.cells if isinstance(cell, ScalarCell)}
    prefixes = [part.over("_in") for parts in quick.values() if parts is not None for part in parts]
    slow = [cell for cell in aggregation.cells if quick.get(cell) is None]
    done = ordered.with_columns(prefixes)
    if slow:
        columns = [name for cell in slow for name in cell.columns]
        done = done.drop(columns).join(_merged(slow, ordered, columns), on="_step", how="left", maintain_order="left")
    return done.select(*(name for name in steps.columns if name not in aggregation.state), *aggregation.state)


def _merged(cells: list[Cell], ordered: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """What each step makes with all before it, by merging.

    Merging is associative, so all prefixes come from a logarithmic number of merges of whole frames: after a round that
    reaches back `span` steps, the first 2 · `span` of every group are done.
    """
    places = ordered.select("_step", "_place")
    states = ordered.select("_step", *columns)
    span = 1
    longest = int(places["_place"].max() or 0)  # type: ignore[arg-type]
    while span <= longest:
        open_steps = places.filter(pl.col("_place") >= span).select("_step")
        back = states.with_columns((pl.col("_step") + span).cast(pl.UInt32).alias("_step"))
        pairs = pl.concat([states, back]).join(open_steps, on="_step", how="semi")
        done = states.join(open_steps, on="_step", how="anti")
        states = pl.concat([done, grouping.merge(cells, pairs, ["_step"]).select(states.columns)]).sort("_step")
        span *= 2
    return states
