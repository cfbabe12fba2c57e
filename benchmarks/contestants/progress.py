"""What Spark says of every micro-batch of every query that a run starts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE = 30.0


class Progress(StreamingQueryListener):
    """Gathers the progress of queries; events come a little after the batch, so a run's end waits for them."""

    def __init__(self, spark: SparkSession, after: Callable[[], None] | None = None) -> None:
        self.session = spark
        self.after = after
        self.lock = threading.Lock()
        self.batches: list[dict[str, Any]] = []
        self.started = self.ended = 0
        spark.streams.addListener(self)

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Counts a query."""
        with self.lock:
            self.started += 1

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Keeps a micro-batch; idle triggers, which have no batch, are left out."""
        told = json.loads(event.progress.json)
        if "addBatch" not in told["durationMs"]:
            return
        parts = dict(told["durationMs"])
        whole = parts.pop("triggerExecution")
        rows = sum(source["numInputRows"] for source in told["sources"])
        held = sum(operator.get("memoryUsedBytes", 0) for operator in told["stateOperators"])
        with self.lock:
            self.batches.append({"rows": rows, "ms": whole, "parts": parts, "state_bytes": held})
        if self.after is not None:
            self.after()

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing to keep."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Counts a query that has ended."""
        with self.lock:
            self.ended += 1

    def taken(self) -> list[dict[str, Any]]:
        """All batches since the listener began, after the last event."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with self.lock:
                if self.started and self.started == self.ended:
                    break
            time.sleep(0.02)
        self.session.streams.removeListener(self)
        return self.batches
