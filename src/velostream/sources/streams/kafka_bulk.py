"""Kafka topics as a plain frame, from given offsets to given offsets: for tables, which are loaded and then kept up.

ends = Cluster(for_asking(settings)).ends(topics)       velostream.kafka, config.connections.kafka_clients
frame = read_messages(spark, settings, None, ends)      all that there is
frame = read_messages(spark, settings, ends, newer)     what has come since
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from velostream.config.connections.kafka_clients import CONSUMER, for_java
from velostream.config.settings import Settings
from velostream.kafka import Offsets
from velostream.sources.streams.kafka import DEFAULTS, check_jars, messages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EARLIEST = -2


def read_messages(spark: SparkSession, settings: Settings, starts: Offsets | None, ends: Offsets) -> DataFrame:
    """The messages from `starts` (included; None for the oldest) up to `ends` (not included).

    The columns are those of the stream: `value` and `_key` as bytes, `_headers`, `_topic`, `_partition`, `_offset`,
    `_timestamp`, `_mark`. A partition that `starts` does not name is read from its beginning.
    """
    check_jars(spark)
    known = starts or {}
    first = {
        topic: {number: known.get(topic, {}).get(number, _EARLIEST) for number in numbers}
        for topic, numbers in ends.items()
    }
    options = {f"kafka.{name}": value for name, value in DEFAULTS.items()}
    options |= {f"kafka.{name}": value for name, value in for_java(settings, CONSUMER).items()}
    options |= {"subscribe": ",".join(sorted(ends)), "includeHeaders": "true"}
    options |= {"startingOffsets": json.dumps(first), "endingOffsets": json.dumps(ends)}
    options["failOnDataLoss"] = str(settings.text("on.data.loss") == "fail").lower()
    return messages(spark.read.format("kafka").options(**options).load())
