"""Messages of a topic once more, by their offsets: only a record that becomes a dead letter is asked for its bytes, so
that no other has to carry them along."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from velostream.config.connections.kafka_clients import CONSUMER, for_librdkafka
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.kafka import ASKED, QUIET

Place = tuple[str, int, int]
"""Topic, partition and offset."""
GAP = 5_000
"""Messages in between are read over; where there are more of them, the client goes to the next place at once."""
_STEP = 1_000


def messages_at(settings: Settings, places: Iterable[Place]) -> dict[Place, Any]:
    """The messages that still are at these places. Brokers that do not answer are an error: that nothing is heard of a
    message does not mean that it is gone."""
    from confluent_kafka import Consumer, KafkaException

    wanted: dict[tuple[str, int], list[int]] = {}
    for topic, partition, offset in places:
        wanted.setdefault((topic, partition), []).append(offset)
    if not wanted:
        return {}
    told: dict[str, Any] = for_librdkafka(settings, CONSUMER)
    told |= {"group.id": "velostream", "enable.auto.commit": False, "isolation.level": "read_uncommitted"}
    told |= {"enable.partition.eof": True, "auto.offset.reset": "error", "logger": QUIET}
    consumer = Consumer(told)
    found: dict[Place, Any] = {}
    try:
        for (topic, partition), offsets in wanted.items():
            there = _there(consumer, topic, partition, sorted(set(offsets)))
            for run in _runs(there):
                found |= _read(consumer, topic, partition, run)
    except KafkaException as error:
        message = f"no Kafka broker at '{told['bootstrap.servers']}' gives the records of dead letters"
        raise VeloError(
            f"{message}: {error.args[0].str()}", hint="see that it is up", code="broker-unreachable"
        ) from None
    finally:
        consumer.close()
    return found


def _there(consumer: Any, topic: str, partition: int, offsets: list[int]) -> list[int]:
    """The offsets that a partition still has; a topic that was deleted has none."""
    from confluent_kafka import KafkaError, KafkaException, TopicPartition

    try:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=ASKED)
    except KafkaException as error:
        gone = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC)
        if error.args[0].code() in gone:
            return []
        raise
    return [offset for offset in offsets if low <= offset < high]


def _runs(offsets: list[int]) -> Iterator[list[int]]:
    """Offsets that lie close together."""
    run: list[int] = []
    for offset in offsets:
        if run and offset - run[-1] > GAP:
            yield run
            run = []
        run.append(offset)
    if run:
        yield run


def _read(consumer: Any, topic: str, partition: int, offsets: list[int]) -> Mapping[Place, Any]:
    """Reads from the first of the offsets to the last, or to the end of the partition."""
    from confluent_kafka import KafkaError, KafkaException, TopicPartition

    consumer.assign([TopicPartition(topic, partition, offsets[0])])
    left, found = set(offsets), dict[Place, Any]()
    heard = time.monotonic()
    while time.monotonic() - heard < ASKED:
        for message in consumer.consume(_STEP, 0.2):
            failure = message.error()
            if failure is not None and failure.code() == KafkaError._PARTITION_EOF:
                return found
            if failure is not None and not failure.retriable():
                raise KafkaException(failure)
            if failure is not None:
                continue
            heard = time.monotonic()
            if message.offset() in left:
                left.discard(message.offset())
                found[topic, partition, message.offset()] = message
            if message.offset() >= offsets[-1]:
                return found
    raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"no answer for {ASKED:.0f} seconds"))
