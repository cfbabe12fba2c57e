"""The settings that all contestants on Spark share, and the session of the hand-written ones."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHARED = {"spark.driver.memory": "4g", "spark.sql.streaming.numRecentProgressUpdates": "1000"}
_ROCKSDB = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}


def plain_session(cores: int, *, rocksdb: bool, kafka: bool = False) -> SparkSession:
    """What a careful engineer would set: partitions as cores, no interface, Arrow batches large."""
    from pyspark.sql import SparkSession

    from velostream.spark.jars import jars_of

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "250000",
        **SHARED,
        **(_ROCKSDB if rocksdb else {}),
        **({"spark.jars": ",".join(map(str, jars_of(["kafka_source"])))} if kafka else {}),
    }
    builder = SparkSession.builder.appName("hand-written").master(f"local[{cores}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark
