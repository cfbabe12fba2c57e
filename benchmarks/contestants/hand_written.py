"""PySpark by hand: Spark's own source, watermark, state and sink, with RocksDB or the default state in memory."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contestants.base import Measured, Task, summed
from benchmarks.contestants.session import plain_session
from benchmarks.datasets import FILES_PER_BATCH
from benchmarks.scenario import Scenario

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COLUMNS = "symbol STRING, price DOUBLE, quantity INT, traded_at TIMESTAMP"


class HandWritten:
    """Runs the query of `contestants/queries.py` that a scenario names."""

    def __init__(self, *, rocksdb: bool) -> None:
        self.rocksdb = rocksdb

    def start(self, task: Task) -> None:
        """A session of its own."""
        self.spark = plain_session(task.cores, rocksdb=self.rocksdb)

    def run(self, scenario: Scenario, task: Task, number: int) -> Measured:
        """Reads what is there, in micro-batches of as many files as Velostream takes."""
        from benchmarks.contestants.progress import Progress
        from benchmarks.contestants.queries import QUERIES

        home = task.work / f"{task.contestant}-{number}"
        progress = Progress(self.spark)
        begun = time.perf_counter()
        reader = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", FILES_PER_BATCH)
        rows, mode = QUERIES[scenario.peer](reader.parquet(str(task.data)), scenario.delay)
        self._write(rows, mode, home)
        seconds = time.perf_counter() - begun
        measured = Measured(seconds, progress.taken(), summed(home / "out", dict(scenario.print_of)))
        shutil.rmtree(home)
        return measured

    def _write(self, rows: DataFrame, mode: str, home: Path) -> None:
        out = home / "out"
        stream = rows.writeStream.outputMode(mode).option("checkpointLocation", str(home / "checkpoint"))
        if mode == "append":
            stream = stream.format("parquet").option("path", str(out))
        else:
            # Spark's file sink takes no updates: the usual way is a folder for each batch, replaced in a repetition.
            stream = stream.foreachBatch(
                lambda batch, number: batch.write.mode("overwrite").parquet(str(out / f"batch={number}"))
            )
        stream.trigger(availableNow=True).start().awaitTermination()

    def stop(self) -> None:
        """Ends the session."""
        self.spark.stop()
