"""Which records may come late: only of those is the record itself sent along, since only they may be dead letters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def largest_watermark(folder: str) -> int | None:
    """The largest watermark with which the micro-batch before this task's ended; None where that is not known.

    Before the first micro-batch nothing can be late.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
    if number is None:
        return None
    if int(number) == 0:
        return -(1 << 62)
    kept = [Path(stage, str(int(number) - 1)) for stage in Path(folder).glob("*")]
    if not kept or not all(file.exists() for file in kept):
        return None
    return max(int(file.read_text()) for file in kept)


def below(batch: pa.RecordBatch, time: str, watermark: int | None) -> pa.Array:
    """Whether each record lies below the watermark; unknown where the watermark is, or the record has no time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if watermark is None or time not in batch.schema.names:
        return pa.nulls(batch.num_rows, pa.bool_())
    return pc.less(batch.column(time).cast(pa.int64()), watermark)
