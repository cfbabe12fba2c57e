"""Dead letters in a Kafka topic: the message as it came, and beside its headers one that says why it is there.

The letters of a micro-batch are written in one transaction that carries its number, so that each is there once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.kafka import QUIET
from velostream.sinks.letters.envelope import kept, original
from velostream.sinks.letters.letter import FIELDS, iso

if TYPE_CHECKING:
    from velostream.sinks.writers.kafka_messages import Headers, Message
    from velostream.sinks.writers.kafka_producing import Producing

HEADER = "velo.letter"
"""The header that says what a letter says beside the message itself."""
_ANSWER = 30.0
_MESSAGE = ("record", "key", "headers")


@dataclass
class KafkaLetters:
    """Letters of a job in a topic; `client` are settings of librdkafka."""

    topic: str
    client: tuple[tuple[str, str], ...]
    job: str
    open: dict[str, Producing] = field(default_factory=dict, repr=False)

    @property
    def shown(self) -> str:
        """Where they are, for people."""
        return f"topic {self.topic} of {dict(self.client)['bootstrap.servers']}"

    def write(self, query: str, batch: int, letters: Iterable[Mapping[str, Any]]) -> None:
        """Writes the letters of a micro-batch, unless they are there."""
        messages = [self._message(query, batch, place, one) for place, one in enumerate(letters)]
        if not messages:
            return
        from velostream.sinks.writers.kafka_producing import DRIVER, Producing, Writer

        if query not in self.open:
            writer = Writer(f"dlq.{self.job}", query, DRIVER, self.topic, self.client, True)
            self.open[query] = Producing(writer)
        try:
            self.open[query].write(messages, batch)
        except VeloError:
            self.open.pop(query).close()
            raise

    def _message(self, query: str, batch: int, place: int, one: Mapping[str, Any]) -> Message:
        said = {name: value for name, value in one.items() if name not in _MESSAGE and value is not None}
        told = {"id": f"{query[:8]}-{batch:09d}-{place:06d}", "job": self.job, "batch": batch, **said}
        told["written_at"] = iso(int(datetime.now(UTC).timestamp() * 1_000_000))
        headers: Headers = [(each["key"], original(each["value"])) for each in one["headers"] or ()]
        headers.append((HEADER, json.dumps(told).encode()))
        return original(one["key"]), original(one["record"]), headers, 0

    def read(self) -> Iterator[dict[str, Any]]:
        """All letters of the job, as far as they are committed now, partition by partition."""
        return (letter for message in self._messages() if (letter := self._letter(message)) is not None)

    def _messages(self) -> Iterator[Any]:
        """All messages of the topic; none where it is not there yet."""
        from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

        told: dict[str, Any] = {"group.id": f"velo.dlq.{self.job}", "enable.auto.commit": False, "logger": QUIET}
        told |= {"isolation.level": "read_committed", "enable.partition.eof": True}
        consumer = Consumer({**dict(self.client), **told})
        try:
            waiting = self._partitions(consumer)
            consumer.assign([TopicPartition(self.topic, number, 0) for number in waiting])
            while waiting:
                message = consumer.poll(_ANSWER)
                if message is None:
                    raise self._unreadable(f"no answer for {_ANSWER:.0f} seconds")
                failure = message.error()
                if failure is None:
                    yield message
                elif failure.code() == KafkaError._PARTITION_EOF:
                    waiting.discard(message.partition())
                elif not failure.retriable():
                    raise self._unreadable(failure.str())
        except KafkaException as error:
            raise self._unreadable(error.args[0].str()) from None
        finally:
            consumer.close()

    def _partitions(self, client: Any) -> set[int]:
        """The partitions of the topic; none where there is no such topic."""
        from confluent_kafka import KafkaError

        about = client.list_topics(self.topic, timeout=_ANSWER).topics[self.topic]
        if about.error is None:
            return set(about.partitions)
        if about.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return set()
        raise self._unreadable(about.error.str())

    def _unreadable(self, said: str) -> VeloError:
        message = f"the dead letters in topic '{self.topic}' cannot be read: {said}"
        return VeloError(message, hint="see that the brokers are up, and to the rights", code="broker-unreachable")

    def _letter(self, message: Any) -> dict[str, Any] | None:
        headers = list(message.headers() or ())
        told = next((value for name, value in reversed(headers) if name == HEADER), None)
        if told is None:
            return None
        said = json.loads(told)
        if said["job"] != self.job:
            return None
        own = [{"key": name, "value": None if value is None else kept(value)} for name, value in headers[:-1]]
        value, key = message.value(), message.key()
        return {
            **dict.fromkeys(_FIELDS),
            **said,
            "record": None if value is None else kept(value),
            "key": None if key is None else kept(key),
            "headers": own or None,
        }

    def purge(self, ids: Collection[str]) -> int:
        """Takes out letters, which a topic allows only for all that it holds: also those of other jobs."""
        from confluent_kafka import KafkaException, TopicPartition
        from confluent_kafka.admin import AdminClient

        behind: dict[int, int] = {}
        gone = 0
        for message in self._messages():
            letter = self._letter(message)
            if letter is None or letter["id"] not in ids:
                others = "messages that are not chosen, or not of this job"
                text = f"letters cannot be taken out of topic '{self.topic}' one by one, and it holds {others}"
                raise VeloError(text, hint="let the topic's retention do it, or delete the topic", code="unsupported")
            gone += 1
            behind[message.partition()] = message.offset() + 1
        told: dict[str, Any] = {**dict(self.client), "logger": QUIET}
        admin = AdminClient(told)
        places = [TopicPartition(self.topic, number, offset) for number, offset in behind.items()]
        try:
            for done in admin.delete_records(places).values() if places else ():
                done.result(_ANSWER)
        except KafkaException as error:
            raise self._unreadable(error.args[0].str()) from None
        except TimeoutError:
            raise self._unreadable(f"no answer for {_ANSWER:.0f} seconds") from None
        return gone


_FIELDS = ("id", *FIELDS, "job", "batch", "written_at")
