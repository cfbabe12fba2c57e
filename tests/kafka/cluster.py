"""A real broker for tests: one for all processes of a test run; what is written and read by plain clients."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic, OffsetSpec

from velostream.errors import VeloError
from velostream.testing.components.broker import Broker, broker_jars


@dataclass(frozen=True)
class Message:
    """What a consumer sees."""

    topic: str
    partition: int
    offset: int
    key: str | None
    value: str | None
    headers: list[tuple[str, bytes]]
    time: int


USERS = {"ann": "an;n's \"word", "velo": "s3cret-of-velo"}
"""Who is let in at the secured address of the broker of a test run, and with which password."""


class Cluster:
    """A broker by its address; `secured` is one that lets in only `USERS`, over TLS by the certificate `authority`."""

    def __init__(self, address: str, secured: str = "", authority: str = "") -> None:
        self.address = address
        self.secured = secured
        self.authority = authority
        self.admin = AdminClient({"bootstrap.servers": address, "log_level": 0})

    def topic(self, name: str = "t", partitions: int = 1, **settings: str) -> str:
        """A new topic of that name, made unlike all others."""
        topic = f"{name}-{uuid4().hex[:8]}"
        config = {key.replace("_", "."): value for key, value in settings.items()}
        self.admin.create_topics([NewTopic(topic, partitions, 1, config=config)])[topic].result()
        return topic

    def anew(self, topic: str, partitions: int = 1) -> None:
        """Deletes a topic and makes it again, without messages."""
        self.admin.delete_topics([topic], operation_timeout=30)[topic].result()
        for _ in range(100):
            try:
                self.admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result()
                return
            except KafkaException:  # the deletion is still going on
                time.sleep(0.1)
        raise AssertionError(f"topic {topic} cannot be made again")

    def grow(self, topic: str, partitions: int) -> None:
        """Gives a topic more partitions, and waits until clients hear of them."""
        self.admin.create_partitions([NewPartitions(topic, partitions)])[topic].result()
        ends = time.monotonic() + 60
        while len(self.admin.list_topics(topic, timeout=10).topics[topic].partitions) < partitions:
            assert time.monotonic() < ends, f"topic {topic} has not got its partitions"
            time.sleep(0.1)

    def send(self, topic: str, messages: Iterable[dict[str, Any]]) -> None:
        """Messages as `produce` takes them; all of them have arrived, in this order also where some were sent again."""
        told = {"bootstrap.servers": self.address, "linger.ms": 5, "log_level": 0, "enable.idempotence": True}
        lost = self._lost(Producer(told), topic, messages)
        assert not lost, lost[0]

    def give_up(self, topic: str, messages: Sequence[dict[str, Any]]) -> None:
        """Messages that arrived, of a transaction that is given up; one of which nothing arrived is begun again."""
        told = {"bootstrap.servers": self.address, "log_level": 0}
        for _ in range(5):
            producer = Producer({**told, "transactional.id": uuid4().hex})
            producer.init_transactions(30)
            producer.begin_transaction()
            lost = self._lost(producer, topic, messages)
            producer.abort_transaction(30)
            if len(lost) < len(messages):
                break
        assert not lost, lost[0]
        ends = time.monotonic() + 60
        while self.has_open(topic):  # the broker writes down that it was given up when it has said so
            assert time.monotonic() < ends, f"a transaction over {topic} stays open"
            time.sleep(0.05)

    def has_open(self, topic: str) -> bool:
        """True while messages of a topic are in a transaction that has not ended."""
        numbers = self.admin.list_topics(topic, timeout=10).topics[topic].partitions
        found = []
        for level in (IsolationLevel.READ_UNCOMMITTED, IsolationLevel.READ_COMMITTED):
            wanted = {TopicPartition(topic, number): OffsetSpec.latest() for number in numbers}
            answers = self.admin.list_offsets(wanted, isolation_level=level, request_timeout=5)
            found.append(sum(answer.result().offset for answer in answers.values()))
        return found[0] > found[1]

    def _lost(self, producer: Producer, topic: str, messages: Iterable[dict[str, Any]]) -> list[str]:
        """Why messages have not arrived, one reason for each."""
        lost: list[str] = []

        def arrived(error: KafkaError | None, _: Any) -> None:
            if error is not None:
                lost.append(error.str())

        for message in messages:
            while True:
                try:
                    producer.produce(topic, on_delivery=arrived, **message)
                    break
                except BufferError:
                    producer.poll(0.1)
        waiting = producer.flush(60)
        return [*lost, *["it is still on its way"] * waiting]

    def read(self, topic: str, *, committed: bool = True) -> list[Message]:
        """All messages of a topic, as somebody sees them who reads only what is committed."""
        level = "read_committed" if committed else "read_uncommitted"
        told = {"bootstrap.servers": self.address, "group.id": uuid4().hex, "isolation.level": level}
        consumer = Consumer({**told, "enable.auto.commit": False, "enable.partition.eof": True})
        found: list[Message] = []
        try:
            numbers = consumer.list_topics(topic, timeout=10).topics[topic].partitions
            places = [TopicPartition(topic, number, 0) for number in numbers]
            consumer.assign(places)
            left = {place.partition for place in places}
            until = time.monotonic() + 60
            while left and time.monotonic() < until:
                for message in consumer.consume(10_000, timeout=0.5):
                    if message.error() is not None:
                        left.discard(message.partition())
                        continue
                    found.append(_message(message))
            assert not left, "the end of the topic was not reached"
        finally:
            consumer.close()
        return sorted(found, key=lambda one: (one.partition, one.offset))


def _message(message: Any) -> Message:
    key, value = message.key(), message.value()
    return Message(
        message.topic(),
        message.partition(),
        message.offset(),
        None if key is None else key.decode(),
        None if value is None else value.decode(),
        message.headers() or [],
        message.timestamp()[1],
    )


def broker_or_skip(folder: Path, users: Mapping[str, str] | None = None, **settings: str) -> Broker:
    """A broker that is not started yet; skipped where its jars cannot be had."""
    try:
        broker_jars()
    except VeloError as error:
        pytest.skip(f"no Kafka broker can be had: {error.message}")
    return Broker(folder, settings={key.replace("_", "."): value for key, value in settings.items()}, users=users)


@contextmanager
def shared(folder: Path) -> Iterator[Cluster]:
    """The broker of a test run: the first process that asks starts it, and stops it when no other uses it any more."""
    mine = folder / "users" / str(os.getpid())
    mine.parent.mkdir(parents=True, exist_ok=True)
    own: Broker | None = None
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = folder / "address"
        if not file.exists():
            own = broker_or_skip(folder / "broker", USERS).start()
            assert own.secured is not None
            file.write_text("\n".join((own.address, own.secured.address, str(own.secured.authority))))
        mine.touch()
    try:
        yield Cluster(*file.read_text().splitlines())
    finally:
        mine.unlink(missing_ok=True)  # where two fixtures of one process use it
        if own is not None:
            until = time.monotonic() + 900
            while any(mine.parent.iterdir()) and time.monotonic() < until:
                time.sleep(0.2)
            own.stop()
