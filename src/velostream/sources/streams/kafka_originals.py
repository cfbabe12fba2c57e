"""Messages of a topic once more, by their offsets: only a record that becomes a dead letter is asked for its bytes, so
that no other has to carry them along."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from velostream.config.connections.kafka_clients import CONSUMER, for_librdkafka
from velostream.config.settings import Settings
from velostream.kafka import ASKED, QUIET

Place = tuple[str, int, int]
"""Topic, partition and offset."""
GAP = 5_000
"""Messages in between are read over; where there are more of them, the client goes to the next place at once."""
_STEP = 1_000


def messages_at(settings: Settings, places: Iterable[Place]) -> dict[Place, Any]:
    """The messages that still are at these places."""
    from confluent_kafka import Consumer

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
            for run in _runs(sorted(set(offsets))):
                found |= _read(consumer, topic, partition, run)
    finally:
        consumer.close()
    return found


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
    """Reads from the first of the offsets to the last, or until nothing more comes."""
    from confluent_kafka import TopicPartition

    consumer.assign([TopicPartition(topic, partition, offsets[0])])
    left, found = set(offsets), dict[Place, Any]()
    heard = time.monotonic()
    while left and time.monotonic() - heard < ASKED:
        for message in consumer.consume(_STEP, 0.2):
            heard = time.monotonic()
            if message.error() is not None:
                return found
            if message.offset() in left:
                left.discard(message.offset())
                found[topic, partition, message.offset()] = message
            if message.offset() >= offsets[-1]:
                return found
    return found
