"""Scenarios from Kafka to Kafka: a broker for one of them, its input as JSON messages, and its results as a file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.datasets import BATCHES, TAIL

PARTITIONS = 2
INPUT = "trades"
_FACTS = "kafka.json"


@dataclass(frozen=True)
class Topics:
    """Where the input of a scenario is, and how much of it a micro-batch takes."""

    address: str
    topic: str
    per_batch: int

    @classmethod
    def of(cls, folder: Path) -> Topics | None:
        """What a folder of input says; None where it holds files."""
        file = folder / _FACTS
        return cls(**json.loads(file.read_text())) if file.exists() else None

    def made(self, name: str) -> str:
        """A new topic for results."""
        _create(self.address, name)
        return name

    def drained(self, topic: str, out: Path) -> None:
        """The rows of a topic as a Parquet file."""
        from confluent_kafka import Consumer, TopicPartition

        told = {"bootstrap.servers": self.address, "group.id": topic, "enable.partition.eof": True}
        consumer = Consumer({**told, "isolation.level": "read_committed", "auto.offset.reset": "earliest"})
        consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        rows, left = [], PARTITIONS
        while left:
            for message in consumer.consume(10_000, timeout=1):
                left -= message.error() is not None
                if message.error() is None:
                    rows.append(json.loads(message.value()))
        consumer.close()
        out.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), out / "rows.parquet")


@contextmanager
def loaded(files: Path, work: Path, records: int) -> Iterator[Path]:
    """Inside, a broker has the records of Parquet files in a topic; the folder that says so takes their place."""
    from velostream.testing.components.broker import Broker

    broker = Broker(work / "broker", memory="512m").start()
    try:
        _create(broker.address, INPUT)
        for number, file in enumerate(sorted(files.glob("*.parquet"))):
            _send(broker.address, number % PARTITIONS, pq.read_table(file))
        folder = work / "topics"
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"address": broker.address, "topic": INPUT, "per_batch": max(1, records // BATCHES)}
        (folder / _FACTS).write_text(json.dumps(facts))
        yield folder
    finally:
        broker.stop()


def _send(address: str, partition: int, rows: pa.Table) -> None:
    from confluent_kafka import Producer

    from velostream.formats.encoding.json_texts import json_rows

    producer = Producer({"bootstrap.servers": address, "linger.ms": 50, "batch.size": 1_000_000})
    keys = rows["symbol"].to_pylist()
    for key, value in zip(keys, json_rows(rows).to_pylist(), strict=True):
        for place in range(PARTITIONS) if key == TAIL else (partition,):
            while True:
                try:
                    producer.produce(INPUT, value, key, partition=place)
                    break
                except BufferError:
                    producer.poll(0.05)
    if producer.flush(120):
        raise RuntimeError("the broker did not take the input")


def _create(address: str, topic: str) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin: Any = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result()
    while topic not in admin.list_topics(timeout=10).topics:
        time.sleep(0.05)
