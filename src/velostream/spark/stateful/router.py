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
from velostream.spark.stateful.watermarks import NONE_YET, stored

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def router(layout: Layout) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for mapInArrow."""

    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import polars as pl

        watermark = before(layout.watermarks)
        for batch in batches:
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            if frame.height:
                yield _routed(frame, layout, watermark)

    return route


def before(folder: str) -> int | None:
    """The watermark that the micro-batch before this one ended with; None where rows are to be sent one by one."""
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.getLocalProperty("streaming.sql.batchId") if context is not None and folder else None
    if number is None:
        return None
    return stored(folder, int(number) - 1) if int(number) else NONE_YET


def _routed(frame: pl.DataFrame, layout: Layout, watermark: int | None) -> pa.RecordBatch:
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
        sent = _sent(part, layout, watermark, wanted) if part is not None else [(None, None)]
        for kind, payload in sent:
            buckets.append(bucket)
            kinds.append(kind)
            payloads.append(payload)
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


def _sent(
    part: pl.DataFrame, layout: Layout, watermark: int | None, wanted: list[str]
) -> list[tuple[str | None, bytes | None]]:
    """The rows of a bucket: combined where none can be late, else one by one, since they may be dead letters."""
    import polars as pl

    from velostream.windows.combining import combined

    if watermark is None:
        return [(names.ROWS, pack(part.select(wanted)))]
    in_time = (pl.col("_event_time") >= watermark).fill_null(value=False)
    timely, late = part.filter(in_time), part.filter(~in_time)
    sent: list[tuple[str | None, bytes | None]] = []
    if timely.height:
        sent.append((names.FOLDED, pack(combined(layout.settings, timely.select(layout.columns)))))
    if late.height:
        sent.append((names.ROWS, pack(late.select(wanted))))
    return sent


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
