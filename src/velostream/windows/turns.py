"""A micro-batch in turns: the first record of every key, then the second; each turn is answered before the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import POSITION

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


def turns(rows: pl.DataFrame, keys: list[str]) -> list[pl.DataFrame]:
    """The nth record of every key, in event order."""
    if rows.height < 2:
        return [rows]
    turn = pl.int_range(pl.len(), dtype=pl.Int64).over(keys or [pl.lit(0)])
    numbered = rows.sort(POSITION).with_columns(turn.alias("_turn"))
    return [part.drop("_turn") for part in numbered.sort("_turn", maintain_order=True).partition_by("_turn")]


def dated(said: pl.DataFrame, turn: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Rows with the position of the record, one per key, that they answer."""
    positions = turn.select(*keys, *POSITION)
    if not keys:
        return said.join(positions, how="cross")
    return said.join(positions, on=keys, how="left", nulls_equal=True, maintain_order="left")
