"""The router: rows to buckets, one payload each; to every bucket how far every partition has come.

No row is removed before it. It counts what is filtered or broken, and lets go of it. What stateful nodes below say
beside rows (letters, statistics) goes through.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from velostream.replayed import MARK
from velostream.sources.streams.watermarks import before
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.groups import group_text
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.payload import pack

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_COUNTED = ("counts", "derived", "delivered", "expanded", "replayed", "met")
_TELLING = ("_source", "_partition", "_event_time", names.STATUS, names.COUNTED, names.PUNCTUATION, "_expanded")
"""The columns of rows that say how far sources have come, and what became of records."""
Sent = tuple[int, str | None, bytes | None]
"""A bucket, what is sent to it, and the bytes."""
Keyed = Callable[["pl.DataFrame"], "pl.DataFrame"]
"""Gives rows the hash of their keys and their bucket."""


def router(layout: Layout) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for mapInArrow."""

    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import polars as pl

        from velostream.spark.stateful.early import routed_before

        watermark = before(layout.watermarks)
        for batch in batches:
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            sent, frame = routed_before(frame)
            if sent is not None:
                yield sent
            if frame.height:
                yield routed(frame, layout, watermark)

    return route


def routed(frame: pl.DataFrame, layout: Layout, watermark: int | None, keyed: Keyed | None = None) -> pa.RecordBatch:
    """What is sent to the buckets of some rows; `watermark` is that of the batch before, None sends all rows raw.

    `keyed` gives hash and bucket to rows, or to what they were combined to, where Spark has not done it before.
    """
    import polars as pl
    import pyarrow as pa

    marks = frame.filter(pl.col(names.MARK).is_not_null())
    rows = frame.filter(pl.col(names.MARK).is_null()) if marks.height else frame
    facts = _facts(rows, marks)
    sent = [*_sent(rows, layout, watermark, keyed), *_broken(rows, layout), *_passed(marks, layout)]
    shared = json.dumps({key: value for key, value in facts.items() if key not in _COUNTED})
    return pa.record_batch(
        {
            names.BUCKET: pa.array([bucket for bucket, _, _ in sent], pa.int32()),
            # counts are given to one bucket only, so that each is counted once
            "facts": pa.array([json.dumps(facts), *[shared] * (len(sent) - 1)], pa.string()),
            "kind": pa.array([kind for _, kind, _ in sent], pa.string()),
            "payload": pa.array([payload for _, _, payload in sent], pa.binary()),
        }
    )


def _sent(rows: pl.DataFrame, layout: Layout, watermark: int | None, keyed: Keyed | None) -> Iterator[Sent]:
    """For every bucket its rows, or nothing, since every bucket must hear the facts."""
    import polars as pl

    fine = rows.filter(pl.col(names.STATUS).is_null()) if rows[names.STATUS].null_count() < rows.height else rows
    split = {kind: _split(part) for kind, part in _parts(fine, layout, watermark, keyed) if part.height}
    for index, bucket in enumerate(layout.buckets):
        found = [(kind, parts[index,]) for kind, parts in split.items() if (index,) in parts]
        for kind, part in found:
            yield bucket, kind, pack(part)
        if not found:
            yield bucket, None, None


def _split(rows: pl.DataFrame) -> dict[tuple[object, ...], pl.DataFrame]:
    return rows.partition_by(names.BUCKET, as_dict=True, include_key=False)


def _parts(
    rows: pl.DataFrame, layout: Layout, watermark: int | None, keyed: Keyed | None
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows that cannot be late combined, all others one by one, since they may be dead letters; each with its bucket.

    Groups of all buckets are combined at once: a bucket is known by the keys of a group.
    """
    import polars as pl

    from velostream.windows.combining import combined

    late = rows
    if watermark is not None and layout.folding is not None and rows.height:
        in_time = (pl.col("_event_time") >= watermark).fill_null(value=False)
        late = rows.filter(~in_time)
        timely = rows.filter(in_time) if late.height else rows
        if timely.height:
            known = [name for name in (names.BUCKET, *layout.columns) if name in timely.columns]
            apart = [names.BUCKET] if names.BUCKET in known else []
            folded = combined(layout.folding, timely.select(known), apart)
            yield names.FOLDED, folded if apart or keyed is None else keyed(folded).drop(names.HASH)
    if late.height and keyed is not None and names.BUCKET not in late.columns:
        late = keyed(late)
    yield names.ROWS, late.select(names.BUCKET, *layout.columns, names.RECORD) if late.height else late


def _broken(rows: pl.DataFrame, layout: Layout) -> Iterator[Sent]:
    """Records that cannot be processed, as dead letters."""
    import polars as pl

    no_fault = pl.col(names.STATUS).is_in([names.FILTERED, names.UNMATCHED])
    broken = rows.filter(pl.col(names.STATUS).is_not_null() & ~no_fault)
    if broken.height:
        yield layout.buckets[0], names.LETTER, pack(letters(decoded(broken), layout))


def _passed(marks: pl.DataFrame, layout: Layout) -> Iterator[Sent]:
    """Letters and statistics of the stateful nodes below."""
    if names.PASSED not in marks.columns:
        return
    for mark, payload in marks.select(names.MARK, names.PASSED).iter_rows():
        if payload is not None:
            yield layout.buckets[0], json.loads(mark)["pass"], payload


def _facts(rows: pl.DataFrame, marks: pl.DataFrame) -> dict[str, Any]:
    """How far each partition has come, what sources say of their partitions, the clock, and counts by status.

    Rows of a stateful node below have no source: how far they have come, its marks say. A record whose partition is a
    column that is NULL, or that could not be decoded, is counted, and moves nothing.
    """
    import polars as pl

    from velostream.windows.facts import progress_of

    told = rows.select(name for name in _TELLING if name in rows.columns)
    records = told.filter(pl.col("_source").is_not_null()) if told["_source"].null_count() else told
    again = _again(records["_source"])
    mark = names.PUNCTUATION if names.PUNCTUATION in rows.columns else None
    known = list(progress_of(_honest(records, again), mark))
    return {
        **_clock(rows, marks),
        "progress": [[one.source, one.partition, one.event_time, one.mark] for one in known],
        "delivered": {f"{one.source}/{one.partition}": one.records for one in known},
        "marks": [json.loads(text) for text in marks[names.MARK].to_list()],
        "counts": _counts(records[names.STATUS]),
        "derived": rows.height - records.height,
        "expanded": int(records["_expanded"].sum()) if "_expanded" in records.columns else 0,
        "replayed": _replayed(records, again) if again else 0,
        "met": _met(rows),
    }


def _clock(rows: pl.DataFrame, marks: pl.DataFrame) -> dict[str, int]:
    """The clock of the batch, where rows have it; else Spark tells it behind the router."""
    if names.CLOCK not in rows.columns:
        return {}
    return {"now": max(int(part[names.CLOCK].max()) for part in (rows, marks) if part.height)}  # type: ignore[arg-type]


def _counts(statuses: pl.Series) -> dict[str, int]:
    """How many records have each status; those that nothing is wrong with have none."""
    fine = {"": statuses.null_count()} if statuses.null_count() else {}
    if statuses.null_count() == statuses.len():
        return fine
    return {**fine, **dict(statuses.drop_nulls().value_counts().iter_rows())}


def _met(rows: pl.DataFrame) -> dict[int, int]:
    """How many rows met the same in the joins below; those that nothing joined are left out."""
    from velostream.windows.facts import same

    if names.JOINED not in rows.columns:
        return {}
    told = rows[names.JOINED]
    if same(told):
        return {told[0]: told.len()} if told[0] else {}
    return {bits: count for bits, count in told.drop_nulls().value_counts().iter_rows() if bits}


def _honest(records: pl.DataFrame, again: list[str]) -> pl.DataFrame:
    """Records whose times say how far their partitions have come: without those that come again, and those that a
    stateful node has passed on, of which its marks say it."""
    import polars as pl

    told = [name for name in ("_partition", "_event_time") if records[name].null_count()]
    conditions = [pl.col(name).is_not_null() for name in told]
    if records[names.STATUS].null_count() < records.height:
        conditions.append(pl.col(names.STATUS).ne_missing(names.CLOCK_SKEW))
    if again:
        conditions.append(~pl.col("_source").is_in(again))
    if names.COUNTED in records.columns:
        conditions.append(~pl.col(names.COUNTED).fill_null(value=False))
    return records.filter(*conditions) if conditions else records


def _again(sources: pl.Series) -> list[str]:
    """The sources of records that were dead letters and come again."""
    from velostream.windows.facts import same

    known = [sources[0]] if same(sources) else sources.unique().to_list()
    return [name for name in known if MARK in name]


def _replayed(records: pl.DataFrame, again: list[str]) -> int:
    """How many records come again; further rows of theirs are not counted, nor those that were counted before."""
    import polars as pl

    found = records.filter(pl.col("_source").is_in(again))
    for flag in ("_expanded", names.COUNTED):
        if flag in found.columns:
            found = found.filter(~pl.col(flag).fill_null(value=False))
    return found.height


def decoded(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the texts that were read as codes, see the scan in the worker."""
    import polars as pl

    coded = [name for name, kind in rows.schema.items() if kind == pl.Enum]
    return rows.with_columns(pl.col(coded).cast(pl.String)) if coded else rows


def letters(rows: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Broken records as dead letters."""
    import polars as pl

    return rows.select(
        *(pl.col(name) for name in names.POSITION),
        pl.col(names.STATUS).alias("reason"),
        pl.col(names.DETAIL).alias("error"),
        pl.lit(None, pl.Int64).alias("lateness"),
        pl.lit(None, pl.Int64).alias("watermark"),
        pl.col(names.RECORD).alias("record"),
        group_text(layout.keys, rows.schema).alias(names.GROUP),
    )
