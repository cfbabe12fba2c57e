"""What Spark says of every micro-batch of every query that a run starts, asked for when the run is over.

A listener in Python would hear it earlier, and take a quarter of the JVM's time: of every contestant, and more of the
time of those that need little.
"""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter


class Progress:
    """Remembers the queries that are started inside."""

    def __init__(self) -> None:
        self.queries: list[StreamingQuery] = []
        self.start = DataStreamWriter.start

    def __enter__(self) -> Progress:
        begin, queries = self.start, self.queries

        def remembered(writer: DataStreamWriter, *given: Any, **named: Any) -> StreamingQuery:
            queries.append(begin(writer, *given, **named))
            return queries[-1]

        DataStreamWriter.start = remembered  # type: ignore[method-assign]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        DataStreamWriter.start = self.start  # type: ignore[method-assign]

    def taken(self) -> list[dict[str, Any]]:
        """All micro-batches, in order; idle triggers, which have none, are left out."""
        told = [json.loads(one.json()) for query in self.queries for one in query._jsq.recentProgress()]
        return [_batch(one) for one in told if "addBatch" in one["durationMs"]]


def _batch(told: dict[str, Any]) -> dict[str, Any]:
    parts = dict(told["durationMs"])
    whole = parts.pop("triggerExecution")
    rows = sum(source["numInputRows"] for source in told["sources"])
    held = sum(operator.get("memoryUsedBytes", 0) for operator in told["stateOperators"])
    return {"rows": rows, "ms": whole, "parts": parts, "state_bytes": held}
