"""How many records the next micro-batch takes of a Kafka source, where that changes while a query runs.

Spark notes the limit of each source as a query starts, and takes it from its notes for every micro-batch: so the note
is changed between two of them. A limit in bytes becomes one of records by what the next records weigh.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from velostream.config.connections.kafka_clients import CONSUMER, for_librdkafka
from velostream.config.settings import Settings
from velostream.kafka import ASKED, QUIET, Offsets, let_go
from velostream.sources.streams.limits import BatchLimit

WEIGHED = 200
"""So many records of each partition are weighed."""
EVERY = 10.0
"""Seconds after which records are weighed again."""
OVERHEAD = 64
"""Bytes that a record takes beside key, value and headers."""
_GUESSED = 1024.0
"""What a record weighs before one was seen."""
_PARTITIONS = 16
_STEP = 0.2


def set_limit(query: Any, description: str, most: int) -> None:
    """From the next micro-batch on, a query takes at most so many records of the source that Spark describes so."""
    from pyspark import SparkContext

    context: Any = SparkContext._active_spark_context
    noted = query._jsq.streamingQuery()
    sources, limits = noted.sources(), noted.uniqueSources()
    for index in range(sources.size()):
        stream = sources.apply(index)
        if stream.toString() == description:
            most_rows = context._jvm.org.apache.spark.sql.connector.read.streaming.ReadLimit.maxRows(most)
            limits = limits.updated(stream, most_rows)
    getattr(noted, "uniqueSources_$eq")(limits)


class KafkaLimit:
    """The limit of one source."""

    def __init__(self, settings: Settings, limit: BatchLimit, rate: int | None) -> None:
        self.settings = settings
        self.limit = limit
        self.rate = rate
        self.weight = _GUESSED
        """What a record weighs on average, in bytes."""
        self.weighed = -1e9
        self.told: tuple[str, int] | None = None
        """Which run of a query was told what."""

    @property
    def changes(self) -> bool:
        """True where it is not the same for all micro-batches."""
        return self.limit.bytes is not None or bool(self.limit.file)

    def most(self, read: Offsets, topics: Mapping[str, set[int]]) -> int | None:
        """The most records of the next micro-batch, which begins at `read`; None where there is no limit."""
        known = [one for one in (self.limit.most_records, self.rate, self._light(read, topics)) if one is not None]
        return min(known, default=None)

    def follow(self, query: Any, description: str, read: Offsets, topics: Mapping[str, set[int]]) -> None:
        """Tells a query its limit, if it has changed."""
        if not self.changes:
            return
        most = self.most(read, topics)
        if most is not None and (str(query.runId), most) != self.told:
            set_limit(query, description, most)
            self.told = str(query.runId), most

    def _light(self, read: Offsets, topics: Mapping[str, set[int]]) -> int | None:
        """How many records weigh no more than is wanted; at least one."""
        if self.limit.bytes is None:
            return None
        if time.monotonic() - self.weighed > EVERY:
            self.weighed = time.monotonic()
            self.weight = self._weigh(read, topics) or self.weight
        return max(1, int(self.limit.bytes / self.weight))

    def _weigh(self, read: Offsets, topics: Mapping[str, set[int]]) -> float | None:
        """What the next records weigh; before anything was read, the last ones. None where there are none."""
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        told: dict[str, Any] = for_librdkafka(self.settings, CONSUMER)
        told |= {"group.id": "velostream", "enable.auto.commit": False, "enable.partition.eof": True, "logger": QUIET}
        consumer = Consumer(told)
        try:
            places = []
            every = [(topic, number) for topic, numbers in topics.items() for number in sorted(numbers)]
            for topic, number in every[:_PARTITIONS]:
                first, behind = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=ASKED)
                start = read.get(topic, {}).get(number, behind - WEIGHED)
                places.append(TopicPartition(topic, number, max(first, min(start, behind - 1))))
            consumer.assign(places)
            return _mean(consumer, {(one.topic, one.partition) for one in places})
        except KafkaException:
            return None  # what was known holds; that brokers are away is told by whoever reads
        finally:
            let_go(consumer.close)


def _mean(consumer: Any, left: set[tuple[str, int]]) -> float | None:
    """The mean weight of some records of each partition."""
    sizes: dict[tuple[str, int], list[int]] = {}
    until = time.monotonic() + ASKED
    while left and time.monotonic() < until:
        for message in consumer.consume(WEIGHED, _STEP):
            place = message.topic(), message.partition()
            if message.error() is not None:
                left.discard(place)
                continue
            held = sizes.setdefault(place, [])
            held.append(_size(message))
            if len(held) >= WEIGHED:
                left.discard(place)
    every = [size for held in sizes.values() for size in held[:WEIGHED]]
    return sum(every) / len(every) if every else None


def _size(message: Any) -> int:
    headers = sum(len(name) + len(value or b"") for name, value in message.headers() or ())
    return OVERHEAD + len(message.value() or b"") + len(message.key() or b"") + headers
