"""What a micro-batch says about time: how far each partition has come, what the clock shows, and what is commanded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

CLOCK_SKEW = "clock_skew"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one partition of a source has come in a micro-batch.

    `event_time` is the largest seen; records that WHERE removed, that matched nothing or that are duplicates count too.
    `mark` is the largest time of a punctuation. `backlog` says that there is more to read, so that silence is not
    idleness; `finished` that the partition is read to its end for good. `records` is how many it delivered.
    """

    source: str
    partition: int
    event_time: int | None = None
    mark: int | None = None
    backlog: bool = False
    finished: bool = False
    records: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a micro-batch knows beside its rows; the same for every bucket, and the same in a re-run.

    `known` names the partitions that a source has, or how many. `now` is the clock; `running` is time that the job has
    run, in which pauses, restarts and long batches count nothing; None where that is to be told from the clock and from
    `resumed`, which says that the job was not running before this batch. Times are microseconds.
    """

    progress: tuple[Progress, ...] = ()
    known: Mapping[str, frozenset[int] | int] = field(default_factory=dict)
    now: int = 0
    running: int | None = 0
    bounded: bool = False
    clocked: bool = True
    """False where nobody gives the clock: in bounded runs early rows and fallbacks do not come."""
    flush: bool = False
    resumed: bool = False


def progress_of(rows: pl.DataFrame, mark: str | None = None) -> Iterator[Progress]:
    """The progress that rows show by `_source`, `_partition`, `_event_time`; `mark` is a column of times or truths."""
    marks = pl.lit(None, pl.Int64)
    if mark is not None:
        is_condition = rows.schema[mark] == pl.Boolean
        marks = pl.col("_event_time").filter(pl.col(mark)) if is_condition else pl.col(mark).cast(pl.Int64)
    asked = [pl.col("_event_time").max().alias("seen"), marks.max().alias("mark"), pl.len().alias("records")]
    if rows.height and all(same(rows[name]) for name in ("_source", "_partition")):
        found = rows.select(pl.col("_source", "_partition").first(), *asked)
    else:
        found = rows.group_by("_source", "_partition").agg(asked)
    for source, partition, seen, marked, records in found.sort("_source", "_partition").iter_rows():
        yield Progress(source, partition, seen, marked, records=records)


def same(values: pl.Series) -> bool:
    """True where there is one value only, which is quicker to see than which there are."""
    return values.len() > 0 and bool((values == values[0]).all(ignore_nulls=False))


def without_skewed(rows: pl.DataFrame, now: int, most: int | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows, and apart from them those that lie further in the future than any honest clock: they must move nothing."""
    if most is None:
        return rows, rows.clear()
    ahead = (pl.col("_event_time") > now + most).fill_null(value=False)
    return rows.filter(~ahead), rows.filter(ahead)
