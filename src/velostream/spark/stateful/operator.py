"""An operator on transformWithState: payloads in, payloads out; what it does with rows is velostream.windows."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from velostream.spark.stateful import layout as names
from velostream.spark.stateful.gathering import Gathered
from velostream.spark.stateful.groups import group_text
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.payload import pack, unpack
from velostream.spark.stateful.store import SparkStore

if TYPE_CHECKING:
    import polars as pl

    from velostream.spark.stateful.hot import Hot
    from velostream.windows.facts import Facts
    from velostream.windows.outcome import Outcome

_NAME = StructType([StructField("name", StringType())])
_BLOB = StructType([StructField("blob", BinaryType())])
"""The types of what is kept, written out: of a text the JVM would be asked for every task."""
QUERY = "sql.streaming.queryId"
"""The property of a task that names the query."""


class StageProcessor(StatefulProcessor):
    """One bucket of a stateful node."""

    def __init__(self, layout: Layout, empty: bytes) -> None:
        self.layout = layout
        self.empty = empty
        """A frame without rows that has the operator's columns, packed."""

    def init(self, handle: Any) -> None:
        """Opens the state."""
        self.blobs = handle.getMapState("blobs", _NAME, _BLOB)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """Takes what the routers and the control source sent to this bucket in one micro-batch."""
        import polars as pl

        self.began = time.perf_counter()
        frames: dict[str, list[pl.DataFrame]] = {names.ROWS: [], names.FOLDED: []}
        gathered = Gathered(self.layout)
        for row in rows:
            gathered.take(json.loads(row.facts))
            if row.payload is None:
                continue
            if row.kind in frames:
                frames[row.kind].append(unpack(row.payload))
            else:
                yield Row(kind=row.kind, payload=bytes(row.payload))
        frame = pl.concat(frames[names.ROWS]) if frames[names.ROWS] else unpack(self.empty)
        operator = self.layout.operator(SparkStore(self.blobs, self._hot(int(key[0]))))
        facts = gathered.facts()
        if frames[names.FOLDED]:
            outcome = operator.process(frame, facts, pl.concat(frames[names.FOLDED]))
        else:
            outcome = operator.process(frame, facts)
        look = None if self.layout.bounded else operator.watermark.next_look(facts.now)
        yield from self._rows(int(key[0]), outcome, gathered, facts, look)

    def _rows(self, bucket: int, outcome: Outcome, gathered: Gathered, facts: Facts, look: int | None) -> Iterator[Row]:
        if outcome.results.height:
            yield Row(kind=names.RESULT, payload=pack(outcome.results))
        dead = outcome.letters.filter("_dead")
        if dead.height:
            yield Row(kind=names.LETTER, payload=pack(self._letters(dead)))
        data = outcome.stats.as_data()
        data |= {
            "stage": self.layout.stage,
            "bucket": bucket,
            "rows": outcome.results.height,
            "counts": gathered.counts,
            "expanded": gathered.expanded,
            "derived": gathered.derived,
            "delivered": gathered.delivered,
            "met": gathered.met,
            "seconds": round(time.perf_counter() - self.began, 6),
            "replayed": gathered.replayed,
            "next_tick": min((time for time in (outcome.next_tick, look) if time is not None), default=None),
            "now": facts.now,
            "flush": facts.flush,
            "ready": gathered.ready,
            "set_clock": gathered.set_clock,
            "outgoing": self._outgoing(outcome),
            "done": outcome.done,
            "failures": _failures(outcome.failures, self.layout.keys),
        }
        yield Row(kind=names.STATS, payload=json.dumps(data).encode())

    def _outgoing(self, outcome: Outcome) -> int | None:
        """How far the event time of rows still to come is known: as the operator says, else by its watermark."""
        watermark = outcome.stats.watermark if outcome.outgoing is None else outcome.outgoing
        return None if watermark is None else self.layout.outgoing(watermark)

    def _hot(self, bucket: int) -> Hot | None:
        """The decoded state of the bucket, which a worker of this host left."""
        from pyspark import TaskContext

        context = TaskContext.get()
        query = context.getLocalProperty(QUERY) if context is not None and self.layout.hot is not None else None
        return None if query is None or self.layout.hot is None else self.layout.hot.bucket(query, bucket)

    def _letters(self, rows: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        return rows.select(
            *(pl.col(name) for name in names.POSITION),
            pl.col("_reason").alias("reason"),
            pl.lit(None, pl.String).alias("error"),
            pl.col("_lateness").alias("lateness"),
            pl.col("_watermark").alias("watermark"),
            pl.col(names.RECORD).alias("record"),
            group_text(self.layout.keys, rows.schema).alias(names.GROUP),
        )

    def close(self) -> None:
        """Nothing is kept outside of the state."""


def _failures(failed: pl.DataFrame, keys: Sequence[str]) -> list[tuple[str, str | None, int | None]]:
    """Of groups that failed: what is wrong, their keys, and the end of their window."""
    import polars as pl

    if failed.is_empty():
        return []
    end = pl.col("_window_end") if "_window_end" in failed.columns else pl.lit(None, pl.Int64)
    return failed.select("_error", group_text(keys, failed.schema).alias(names.GROUP), end.alias("_end")).rows()
