"""A stream of changes as rows that are corrected: whose row a change is of, which of its changes it is, and whether it
takes the row away. The node above the scan keeps the newest row of each key, so what a change says of the row before
is not asked: a database may leave it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Scan
from velostream.plan.nodes.base import EMISSION
from velostream.spark.lower.context import column
from velostream.spark.lower.decoding import NULL_KEY, TOMBSTONE
from velostream.spark.lower.expressions import as_json
from velostream.spark.stateful.layout import FILTERED, ORIGIN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ORIGIN, _REVISION, _GONE = ORIGIN


def as_changes(node: Scan, frame: DataFrame) -> DataFrame:
    """Rows that a job of the application wrote, as changes: one that is withdrawn takes its row away, and early ones
    count as filtered unless they are asked for."""
    from pyspark.sql import functions as F  # noqa: N812

    if node.read_back is None:
        return frame
    said = column(EMISSION)
    early = F.coalesce(said == F.lit("early"), F.lit(False)) & F.lit(not node.read_back.early)
    status = F.when(early & column("_status").isNull(), F.lit(FILTERED)).otherwise(column("_status"))
    gone = (said == F.lit("retract")) & column("_status").isNull()
    return frame.withColumns({"_status": status, "_gone": gone})


def with_origins(node: Scan, frame: DataFrame) -> DataFrame:
    """Decoded changes with what they are known by; those of nobody's row are at fault.

    The changes of a key are in one partition, so that their offsets order them. A message without a value, which comes
    behind a deletion, says nothing new: it is counted as filtered.
    """
    from pyspark.sql import functions as F  # noqa: N812

    none = F.lit(None).cast("string")
    gone = F.coalesce(column("_gone"), F.lit(False)) if "_gone" in frame.columns else F.lit(False)
    status = F.when(gone, none).when(column("_status") == F.lit(TOMBSTONE), F.lit(FILTERED))
    status = status.otherwise(column("_status"))
    alive = status.isNull() & column("_mark").isNull()
    unknown = F.lit(False)
    for name in node.key:
        unknown = unknown | column(name).isNull()
    named = "the message has no key: declare the PRIMARY KEY of the stream, or write messages with a key"
    told = named if node.key == ("_key",) else f"the key {', '.join(node.key)} is NULL"
    known = as_json(F.struct(*map(column, node.key)), nulls=True)
    made = frame.withColumns(
        {
            "_status": F.when(alive & unknown, F.lit(NULL_KEY)).otherwise(status),
            "_detail": F.when(alive & unknown, F.lit(told)).otherwise(column("_detail")),
            _ORIGIN: F.when(alive & ~unknown, known),
            _REVISION: F.when(alive & ~unknown, column("_offset").cast("bigint")),
            _GONE: F.when(alive & ~unknown, gone),
        }
    )
    return made.drop("_gone")


def with_times_of_deletions(frame: DataFrame) -> DataFrame:
    """Deletions without an event time, of which a database may have shown the key alone: they take the row away all the
    same, at the time that the row has, and move no watermark."""
    from pyspark.sql import functions as F  # noqa: N812

    gone = F.coalesce(column(_GONE), F.lit(False))
    return frame.withColumns(
        {
            "_event_time": F.when(gone, F.coalesce(column("_event_time"), F.timestamp_micros(F.lit(0)))).otherwise(
                column("_event_time")
            ),
            "_status": F.when(~gone, column("_status")),
            "_detail": F.when(~gone, column("_detail")),
        }
    )
