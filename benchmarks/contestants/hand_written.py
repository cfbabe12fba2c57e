"""PySpark by hand: Spark's own source, watermark, state and sink, with RocksDB or the default state in memory."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contestants.base import Measured, Task, summed
from benchmarks.contestants.session import plain_session
from benchmarks.datasets import FILES_PER_BATCH
from benchmarks.kafka import Topics
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
        self.spark = plain_session(task.cores, rocksdb=self.rocksdb, kafka=Topics.of(task.data) is not None)

    def run(self, scenario: Scenario, task: Task, number: int) -> Measured:
        """Reads what is there, in micro-batches of as many files as Velostream takes."""
        from benchmarks.contestants.progress import Progress
        from benchmarks.contestants.queries import QUERIES

        home = task.work / f"{task.contestant}-{number}"
        topics = Topics.of(task.data)
        out = topics.made(f"{task.contestant}-{number}") if topics is not None else ""
        begun = time.perf_counter()
        with Progress() as progress:
            for table in scenario.tables:
                self.spark.read.parquet(str(table.file(task.data))).createOrReplaceTempView(table.name)
            for stream in scenario.streams[1:]:
                self._read(task.data, topics).createOrReplaceTempView(stream)
            rows, mode = QUERIES[scenario.peer](self._read(task.data, topics), scenario.delay)
            if topics is None:
                self._write(rows, mode, home)
            else:
                self._send(rows, mode, home, topics.address, out)
        seconds = time.perf_counter() - begun
        if topics is not None:
            topics.drained(out, home / "out")
        measured = Measured(seconds, progress.taken(), summed(home / "out", dict(scenario.print_of)))
        shutil.rmtree(home)
        return measured

    def _read(self, data: Path, topics: Topics | None) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        if topics is None:
            reader = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", FILES_PER_BATCH)
            return reader.parquet(str(data))
        reader = self.spark.readStream.format("kafka").option("kafka.bootstrap.servers", topics.address)
        reader = reader.option("subscribe", topics.topic).option("startingOffsets", "earliest")
        messages = reader.option("maxOffsetsPerTrigger", topics.per_batch).load()
        return messages.select(F.from_json(F.col("value").cast("string"), COLUMNS).alias("r")).select("r.*")

    def _send(self, rows: DataFrame, mode: str, home: Path, address: str, topic: str) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        value = F.to_json(F.struct(*map(F.col, rows.columns))).alias("value")
        stream = rows.select(F.col("symbol").alias("key"), value).writeStream.outputMode(mode).format("kafka")
        stream = stream.option("kafka.bootstrap.servers", address).option("topic", topic)
        stream = stream.option("checkpointLocation", str(home / "checkpoint"))
        stream.trigger(availableNow=True).start().awaitTermination()

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
