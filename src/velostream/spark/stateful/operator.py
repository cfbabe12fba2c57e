"""The operator on transformWithState: payloads in, payloads out; the window logic itself is velostream.windows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from velostream.spark.stateful import layout as names
from velostream.spark.stateful.layout import Layout
from velostream.spark.stateful.payload import pack, unpack
from velostream.spark.stateful.store import SparkStore
from velostream.windows.facts import Facts, Progress
from velostream.windows.operator import Operator

if TYPE_CHECKING:
    import polars as pl

    from velostream.windows.outcome import Outcome


class WindowProcessor(StatefulProcessor):
    """One bucket's windows."""

    def __init__(self, layout: Layout, empty: bytes) -> None:
        self.layout = layout
        self.empty = empty
        """A frame without rows that has the operator's columns, packed."""

    def init(self, handle: Any) -> None:
        """Opens the state."""
        self.blobs = handle.getMapState("blobs", "name STRING", "blob BINARY")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """Takes what the routers and the control source sent to this bucket in one micro-batch."""
        import polars as pl

        frames: dict[str, list[pl.DataFrame]] = {names.ROWS: [], names.FOLDED: []}
        gathered = _Gathered(self.layout)
        for row in rows:
            gathered.take(json.loads(row.facts))
            if row.payload is None:
                continue
            if row.kind in frames:
                frames[row.kind].append(unpack(row.payload))
            else:
                yield Row(kind=names.LETTER, payload=bytes(row.payload))
        rows_of = frames[names.ROWS]
        frame = pl.concat(rows_of) if rows_of else unpack(self.empty)
        folded = pl.concat(frames[names.FOLDED]) if frames[names.FOLDED] else None
        operator = Operator(self.layout.settings, SparkStore(self.blobs))
        outcome = operator.process(frame, gathered.facts(), folded)
        yield from self._rows(key, outcome, gathered)

    def _rows(self, key: Any, outcome: Outcome, gathered: _Gathered) -> Iterator[Row]:
        if outcome.results.height:
            yield Row(kind=names.RESULT, payload=pack(outcome.results))
        if outcome.letters.height:
            yield Row(kind=names.LETTER, payload=pack(self._letters(outcome.letters)))
        data = outcome.stats.as_data()
        data |= {"bucket": int(key[0]), "counts": gathered.counts, "next_tick": outcome.next_tick}
        data["failures"] = outcome.failures.select("_error").to_series().to_list() if outcome.failures.height else []
        yield Row(kind=names.STATS, payload=json.dumps(data).encode())

    def _letters(self, rows: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        return rows.select(
            *(pl.col(name) for name in names.POSITION),
            pl.col("_reason").alias("reason"),
            pl.lit(None, pl.String).alias("error"),
            pl.col("_lateness").alias("lateness"),
            pl.col("_watermark").alias("watermark"),
            pl.col(names.RECORD).alias("record"),
        )

    def close(self) -> None:
        """Nothing is kept outside of the state."""


class _Gathered:
    """The facts of one micro-batch, put together from what every router said."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.now = 0
        self.flush = False
        self.running = 0
        self.counts: dict[str, int] = {}
        self.known: dict[str, int | frozenset[int]] = dict(layout.known)
        self.seen: dict[tuple[str, int], list[int | None]] = {}
        self.finished: set[tuple[str, int]] = set()

    def take(self, facts: dict[str, Any]) -> None:
        """Adds what one row says."""
        self.now = max(self.now, facts.get("now", 0))
        self.running = max(self.running, facts.get("running", 0))
        self.flush |= facts.get("flush", False)
        for status, count in facts.get("counts", {}).items():
            self.counts[status] = self.counts.get(status, 0) + count
        for source, partition, *times in facts.get("progress", ()):
            held = self.seen.setdefault((source, partition), [None, None])
            for index, time in enumerate(times):
                known = held[index]
                if time is not None and (known is None or time > known):
                    held[index] = time
        for mark in facts.get("marks", ()):
            self._mark(mark)

    def _mark(self, mark: dict[str, Any]) -> None:
        source = mark["source"]
        if "partitions" in mark:
            earlier = self.known.get(source)
            listed = frozenset(mark["partitions"])
            self.known[source] = listed | earlier if isinstance(earlier, frozenset) else listed
        for partition in mark.get("finished", ()):
            self.finished.add((source, partition))

    def facts(self) -> Facts:
        """As the operator takes them."""
        keys = sorted({*self.seen, *self.finished})
        progress = tuple(self._progress(source, partition) for source, partition in keys)
        bounded = self.layout.bounded
        return Facts(progress, self.known, self.now, self.running, bounded, clocked=not bounded, flush=self.flush)

    def _progress(self, source: str, partition: int) -> Progress:
        seen, mark = self.seen.get((source, partition), [None, None])
        return Progress(source, partition, seen, mark, finished=(source, partition) in self.finished)
