"""The router: rows to buckets, one payload each; to every bucket how far every partition has come.

No row is removed before it. It counts what is filtered or broken, and lets go of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.payload import pack

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def router(layout: Layout) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for mapInArrow."""

    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import polars as pl

        for batch in batches:
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            if frame.height:
                yield _routed(frame, layout)

    return route


def _routed(frame: pl.DataFrame, layout: Layout) -> pa.RecordBatch:
    import polars as pl
    import pyarrow as pa

    marks = frame.filter(pl.col(names.MARK).is_not_null())
    rows = frame.filter(pl.col(names.MARK).is_null())
    facts = json.dumps(_facts(rows, marks, layout))
    fine = rows.filter(pl.col(names.STATUS).is_null())
    buckets: list[int] = []
    kinds: list[str | None] = []
    payloads: list[bytes | None] = []
    split = fine.partition_by(names.BUCKET, as_dict=True, include_key=False) if fine.height else {}
    wanted = [*layout.columns, names.RECORD]
    for index, bucket in enumerate(layout.buckets):
        part = split.get((index,))
        buckets.append(bucket)
        kinds.append(names.ROWS if part is not None else None)
        payloads.append(pack(part.select(wanted)) if part is not None else None)
    broken = rows.filter(
        pl.col(names.STATUS).is_not_null() & ~pl.col(names.STATUS).is_in([names.FILTERED, names.UNMATCHED])
    )
    if broken.height:
        buckets.append(layout.buckets[0])
        kinds.append(names.LETTERS)
        payloads.append(pack(letters(broken)))
    return pa.record_batch(
        {
            names.BUCKET: pa.array(buckets, pa.int32()),
            "facts": pa.array([facts, *_plain(facts, len(buckets) - 1)], pa.string()),
            "kind": pa.array(kinds, pa.string()),
            "payload": pa.array(payloads, pa.binary()),
        }
    )


def _plain(facts: str, count: int) -> list[str]:
    """The facts for the other buckets: counts are given to the first one only, so that each is counted once."""
    shared = {key: value for key, value in json.loads(facts).items() if key != "counts"}
    return [json.dumps(shared)] * count


def _facts(rows: pl.DataFrame, marks: pl.DataFrame, layout: Layout) -> dict[str, Any]:
    """How far each partition has come, what the source says of its partitions, the clock, and counts by status."""
    import polars as pl

    from velostream.windows.facts import progress_of, without_skewed

    clock = int(pl.concat([rows[names.CLOCK], marks[names.CLOCK]]).max())  # type: ignore[arg-type]
    honest, _ = without_skewed(
        rows.filter(pl.col("_event_time").is_not_null() & pl.col("_partition").is_not_null()),
        clock,
        layout.settings.max_clock_skew,
    )
    counted = rows.group_by(names.STATUS).len() if rows.height else None
    return {
        "now": clock,
        "progress": [[one.source, one.partition, one.event_time, one.mark] for one in progress_of(honest, layout.mark)],
        "marks": [json.loads(text) for text in marks[names.MARK].to_list()],
        "counts": {status or "": count for status, count in counted.iter_rows()} if counted is not None else {},
    }


def letters(rows: pl.DataFrame) -> pl.DataFrame:
    """Broken records as dead letters."""
    import polars as pl

    return rows.select(
        *(pl.col(name) for name in names.POSITION),
        pl.col(names.STATUS).alias("reason"),
        pl.col(names.DETAIL).alias("error"),
        pl.lit(None, pl.Int64).alias("lateness"),
        pl.lit(None, pl.Int64).alias("watermark"),
        pl.col(names.RECORD).alias("record"),
    )
