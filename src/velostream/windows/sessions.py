"""Sessions as a pure function of the events of a key: chains by gap, cut by a longest duration."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

BY_GAP = "gap"
BY_MAX = "max"


def joined(fragments: pl.DataFrame, keys: list[str], gap: int) -> pl.DataFrame:
    """Fragments widened to the chain that they form with the others of their key."""
    chained = _chains(fragments, keys, gap)
    bounds = (pl.col("_start").min().over("_chain"), pl.col("_end").max().over("_chain"))
    return chained.with_columns(*bounds).drop("_group", "_chain")


def sessions(fragments: pl.DataFrame, keys: list[str], gap: int, longest: int | None) -> pl.DataFrame:
    """Each fragment with its session: bounds, the least watermark that closes it, and what closes it.

    A session that ends by its gap still takes an event exactly at its end, so it closes one microsecond later; one that
    ends by `longest` does not, so it closes at its end.
    """
    chained = _chains(fragments, keys, gap)
    if longest is not None:
        chained = _cut(chained, longest)
    first, last = pl.col("_start").min().over("_chain"), pl.col("_end").max().over("_chain")
    bounded = chained.with_columns(first.alias("_window_start"), (last + gap).alias("_window_end"))
    limit = pl.lit(None, pl.Int64) if longest is None else pl.col("_window_start") + longest
    by_max = (pl.col("_window_end") >= limit).fill_null(value=False)
    return bounded.with_columns(
        pl.when(by_max).then(limit).otherwise(pl.col("_window_end")).alias("_window_end"),
        pl.when(by_max).then(limit).otherwise(pl.col("_window_end") + 1).alias("_closes_at"),
        pl.when(by_max).then(pl.lit(BY_MAX)).otherwise(pl.lit(BY_GAP)).alias("closed_by"),
    ).drop("_group", "_chain")


def _chains(fragments: pl.DataFrame, keys: list[str], gap: int) -> pl.DataFrame:
    """Fragments in order of key and time, numbered by chain: a new one begins where the gap is exceeded."""
    group = pl.col("_nth").first().over(keys) if keys else pl.lit(0)
    numbered = fragments.with_row_index("_nth").with_columns(group.alias("_group")).drop("_nth")
    ordered = numbered.sort("_group", "_start", "_end")
    first = pl.col("_group").ne_missing(pl.col("_group").shift(1))
    reached = pl.col("_end").shift(1)
    if ordered.select((~first & (pl.col("_end") < reached)).any()).item():  # rare: one fragment lies within another
        reached = pl.col("_end").cum_max().shift(1).over("_group")
    begins = first | (pl.col("_start") - reached > gap)
    return (
        ordered.with_columns(begins.alias("_begins"))
        .with_columns(pl.col("_begins").cum_sum().alias("_chain"))
        .drop("_begins")
    )


def _cut(chained: pl.DataFrame, longest: int) -> pl.DataFrame:
    """Chains cut where a session would last `longest` or more: greedily from the first event on."""
    span = pl.col("_start").max().over("_chain") - pl.col("_start").min().over("_chain")
    numbered = chained.with_row_index("_nth")
    long = numbered.filter(span >= longest).select("_nth", "_start", "_chain")
    cuts: list[int] = []
    for chain in long.partition_by("_chain", maintain_order=True):
        times = chain["_start"]
        position = 0
        while True:
            position = int(times.search_sorted(int(times[position]) + longest, side="left"))
            if position >= len(times):
                break
            cuts.append(int(chain["_nth"][position]))
    if not cuts:
        return chained
    begins = pl.col("_nth").is_in(cuts).cast(pl.Int64)
    return numbered.with_columns((begins.cum_sum() + pl.col("_chain")).alias("_chain")).drop("_nth")
