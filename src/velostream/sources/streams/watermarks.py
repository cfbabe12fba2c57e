"""The watermark that each micro-batch of a stateful node ended with, kept by its number: a re-run of a batch sees the
same. Routers combine by it, and sources tell by it which records may come late.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.files import replace_text

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "watermarks"
"""Below the folder of a job: one folder for each stateful node."""
KEPT = 100
NONE_YET = -(1 << 62)
"""No watermark yet: nothing can be late."""


def keep(folder: Path, batch: int, said: Sequence[int | None]) -> None:
    """Leaves the watermark of a micro-batch, and lets go of those long before.

    `said` is what the buckets say; in a batch without a row for any of them nobody speaks, and it stands where it was.
    """
    known = [one for one in said if one is not None]
    watermark = max(known) if known else NONE_YET
    if not said and batch:
        earlier = stored(str(folder), batch - 1)
        watermark = NONE_YET if earlier is None else earlier
    replace_text(folder / str(batch), str(watermark))
    (folder / str(batch - KEPT)).unlink(missing_ok=True)


def stored(folder: str, batch: int) -> int | None:
    """The watermark that a micro-batch left, if it did."""
    file = Path(folder, str(batch))
    return int(file.read_text()) if file.exists() else None


def before(folder: str) -> int | None:
    """The watermark that the micro-batch before this task's ended with; None where that is not known.

    Before the first micro-batch nothing can be late.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
    if number is None or not folder:
        return None
    return stored(folder, int(number) - 1) if int(number) else NONE_YET


def largest_before(folder: str) -> int | None:
    """The largest one among all stateful nodes below a folder; None where one of them is not known."""
    found = [before(str(stage)) for stage in Path(folder).glob("*")] or [before(folder)]
    known = [one for one in found if one is not None]
    return max(known) if len(known) == len(found) else None


def below(batch: pa.RecordBatch, time: str, watermark: int | None) -> pa.Array:
    """Whether each record lies below the watermark, and so may be a dead letter for which the record itself is needed;
    unknown where the watermark is, or the record has no time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if watermark is None or time not in batch.schema.names:
        return pa.nulls(batch.num_rows, pa.bool_())
    return pc.less(batch.column(time).cast(pa.int64()), watermark)
