"""Kafka topics as a stream, by Spark's own connector: values and keys as bytes, and where each record stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.connections.kafka_clients import CONSUMER, for_asking, for_java
from velostream.config.settings import Settings
from velostream.durations import MILLISECOND
from velostream.errors import VeloError
from velostream.kafka import Cluster
from velostream.sources.streams.kafka_following import KafkaFollower
from velostream.sources.streams.kafka_topics import wait_for_topics
from velostream.sources.streams.limits import BatchLimit
from velostream.types import HEADERS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

PER_TASK = 200_000
"""More records than this of one partition are read by several tasks, where order does not matter: a topic of one
partition uses all cores then."""
DEFAULTS = {
    "isolation.level": "read_committed",
    "max.poll.records": "50000",
    "max.partition.fetch.bytes": "4194304",
}
"""What holds unless the settings say otherwise: what was written in a transaction that was given up is no record. Spark
asks for the offsets of a partition after every poll, so that small ones cost more in questions than in data."""
_JAR = "spark-sql-kafka"


def open_kafka(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan over topics, the columns of its records as DDL, and the format that is left to decode."""
    settings: Settings = node.settings
    check_jars(lowering.spark)
    cluster = Cluster(for_asking(settings))
    topics = wait_for_topics(node.source, settings, cluster)
    limit = BatchLimit.of(settings, Path(lowering.run.checkpoint))
    follower = KafkaFollower(node.source, settings, topics, limit, bounded=lowering.run.bounded)
    lowering.followers.append(follower)
    reading = _reading(settings, follower.most, bounded=lowering.run.bounded)
    if lowering.run.stateful:
        reading["maxRecordsPerPartition"] = str(PER_TASK)
    reader = lowering.spark.readStream.name(f"source_{node.source}").format("kafka")
    reader = reader.options(**_client(settings, lowering.run.job), **reading)
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    return messages(reader.load()), declared, settings.text("format")


def messages(frame: DataFrame) -> DataFrame:
    """What Spark's connector gives, under the names of system columns; keys and values are bytes."""
    from pyspark.sql import functions as F  # noqa: N812

    def named(source: str, name: str) -> Column:
        return F.col(source).alias(name)

    return frame.select(
        named("value", "value"),
        named("key", "_key"),
        # no headers are an empty list: Arrow's writer goes over all rows before for each NULL among lists
        F.coalesce(F.col("headers"), F.array().cast(str(HEADERS))).alias("_headers"),
        named("topic", "_topic"),
        named("partition", "_partition"),
        named("offset", "_offset"),
        named("timestamp", "_timestamp"),
        F.lit(None).cast("string").alias("_mark"),
        # a record that turns out to be late is asked for once more, so that it need not carry itself along
        F.lit(False).alias("_late"),
    )


def check_jars(spark: SparkSession) -> None:
    """Refuses a session that was started without the connector."""
    if _JAR not in spark.sparkContext.getConf().get("spark.jars", ""):
        message = "this Spark session was started without the jars of Spark's Kafka connector"
        raise VeloError(message, hint="give them when it starts: spark_session(jars=…), or --jars", code="missing-jars")


def subscription(settings: Settings) -> dict[str, str]:
    """Which topics, in Spark's words."""
    pattern = settings.get("topic.pattern")
    return {"subscribePattern": str(pattern)} if pattern else {"subscribe": ",".join(settings.names("topic"))}


def _client(settings: Settings, job: str) -> dict[str, str]:
    """Settings of the client, and who it says it is."""
    told = {f"kafka.{name}": value for name, value in DEFAULTS.items()}
    told |= {f"kafka.{name}": value for name, value in for_java(settings, CONSUMER).items()}
    group = settings.get("group.id")
    return {**told, "kafka.group.id": str(group)} if group is not None else {**told, "groupIdPrefix": job}


def _reading(settings: Settings, most: int | None, *, bounded: bool) -> dict[str, str]:
    """What is read: from where, how much at once, and what happens where Kafka has lost something."""
    options = subscription(settings) | {"includeHeaders": "true"}
    options["failOnDataLoss"] = str(settings.text("on.data.loss") == "fail").lower()
    if most is not None:
        options["maxOffsetsPerTrigger"] = str(most)
    start, reset = settings.get("start.time"), settings.get("auto.offset.reset")
    if start is not None and reset in (None, "timestamp"):
        options["startingTimestamp"] = str(int(str(start)) // MILLISECOND)
        options["startingOffsetsByTimestampStrategy"] = "latest"
    else:
        options["startingOffsets"] = str(reset or ("earliest" if bounded else "latest"))
    return options
