"""Messages to a topic: at least once, or each micro-batch exactly once by a transaction that carries its number.

The number of the micro-batch rides in the transaction as an offset of a consumer group that has the writer's name, so
that whoever writes the micro-batch again knows what is there already.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from velostream.errors import InvalidProperty, VeloError
from velostream.events import LOGGER
from velostream.kafka import QUIET, let_go, reconnecting, within
from velostream.sinks.writers.kafka_messages import Message

DRIVER = "driver"
WRITERS = 4
"""How many tasks write a large micro-batch; always as many, so that a micro-batch that is written again is given to
the same writers."""
_ANSWER = 30.0
_LIMIT = _ANSWER + 10.0
"""How long, in seconds, a call that may take as long as an answer is waited for."""
_OFFSETS = 20.0
"""How long, in seconds, the number of a micro-batch may take to become part of its transaction."""
_SETTLED = 60.0
_STEP = 5_000
_SAID = 10.0
"""How often, in seconds, it is said that brokers are waited for."""
_TRANSACTIONS = 900_000
"""How long, in milliseconds, a transaction may take; above the longest batch, and what brokers allow at most."""


@dataclass(frozen=True)
class Writer:
    """Who writes: a sink of a query, in the driver or as one of several tasks."""

    sink: str
    query: str
    part: str
    topic: str
    client: tuple[tuple[str, str], ...] = field(repr=False)
    once: bool

    @property
    def name(self) -> str:
        """The transactional id, and the group that holds its progress."""
        return f"velo.{self.sink}.{self.query}.{self.part}"


@dataclass
class Producing:
    """An open producer of a writer."""

    writer: Writer
    errors: list[Any] = field(default_factory=list)
    """What went wrong with messages, first word first."""
    done: int = -1
    """The last micro-batch that is known to be written; of one that writes exactly once."""

    def __post_init__(self) -> None:
        from confluent_kafka import KafkaException, Producer

        told: dict[str, Any] = {**reconnecting(dict(self.writer.client)), "error_cb": self._hear, "logger": QUIET}
        if self.writer.once:
            told |= {"transactional.id": self.writer.name, "acks": "all", "enable.idempotence": "true"}
            told.setdefault("transaction.timeout.ms", _TRANSACTIONS)
            # what waits longer than a transaction may is given up with it
            told.setdefault("delivery.timeout.ms", min(120_000, int(told["transaction.timeout.ms"])))
        else:
            told["delivery.report.only.error"] = True
            if told.get("acks", "all") in ("all", "-1"):
                told.setdefault("enable.idempotence", "true")
        try:
            self._producer = Producer(told)
        except KafkaException as failure:
            message = f"Kafka's client cannot be used for sink '{self.writer.sink}': {failure.args[0].str()}"
            raise InvalidProperty(message, hint="correct the setting, or remove it") from None
        self._group = b""
        self._said = time.monotonic()
        if self.writer.once:
            try:
                self._begin()
            except BaseException:
                self.close()
                raise

    def _begin(self) -> None:
        """Fences whoever had this name before, settles its transaction, and looks how far it came."""
        until = time.monotonic() + _SETTLED
        while True:
            try:
                within(_LIMIT, lambda: self._producer.init_transactions(_ANSWER))
                break
            except Exception as failure:
                if time.monotonic() > until or not _is_retriable(failure):
                    raise self.refused(failure) from None
                self._waits(failure)
                time.sleep(0.1)
        self.done = self._progress() - 1

    def _progress(self) -> int:
        """The micro-batch that comes next, as the group of this writer says; whoever knows it may still be elected."""
        from confluent_kafka import KafkaException, TopicPartition

        reader, until = self._reader(), time.monotonic() + _SETTLED
        self._group = reader.consumer_group_metadata()
        try:
            while True:
                try:
                    [place] = reader.committed([TopicPartition(self.writer.topic, 0)], timeout=_ANSWER)
                    if place.error is not None:
                        raise KafkaException(place.error)
                    return int(max(place.offset, 0))
                except KafkaException as failure:
                    if time.monotonic() > until or failure.args[0].code() in _final():
                        raise self.refused(failure) from None
                    self._waits(failure)
                    time.sleep(0.2)
        finally:
            let_go(reader.close)

    def _reader(self) -> Any:
        from confluent_kafka import Consumer

        own = ("security.", "sasl.", "ssl.", "bootstrap.", "client.", "socket.", "reconnect.")
        known = {key: value for key, value in self.writer.client if key.startswith(own)}
        told: dict[str, Any] = dict(reconnecting(known))
        told |= {"group.id": self.writer.name, "isolation.level": "read_committed", "enable.auto.commit": False}
        return Consumer({**told, "logger": QUIET, "error_cb": self._hear})

    def write(self, messages: Iterable[Message], batch: int) -> None:
        """Writes the messages of a micro-batch; one that is written already is left out."""
        if not self.writer.once:
            self._produce(messages)
            self._deliver()
            return
        if batch <= self.done:
            return
        from confluent_kafka import TopicPartition

        try:
            self._producer.begin_transaction()
            self._produce(messages)
            # what is delivered has found its brokers again; whoever knows the group is asked only then
            self._deliver()
            place = TopicPartition(self.writer.topic, 0, batch + 1)
            within(_OFFSETS, lambda: self._producer.send_offsets_to_transaction([place], self._group, _OFFSETS))
            self._commit()
        except VeloError:
            raise
        except Exception as failure:
            raise self.refused(failure) from None
        self.done = batch

    def _deliver(self) -> None:
        """Waits until all messages are with the brokers."""
        left = self._producer.flush(_SETTLED)
        if left or self.errors:
            raise self.refused(RuntimeError(f"{left} messages were not taken in {_SETTLED:.0f} s"))

    def _commit(self) -> None:
        """Commits; what may pass is tried again, since only this producer can still tell how it ends."""
        until = time.monotonic() + _SETTLED
        while True:
            try:
                within(_LIMIT, lambda: self._producer.commit_transaction(_ANSWER))
                return
            except Exception as failure:
                if time.monotonic() > until or not _is_retriable(failure):
                    raise
                self._waits(failure)

    def _waits(self, failure: BaseException) -> None:
        """Says, now and then, that brokers are waited for."""
        if time.monotonic() - self._said > _SAID:
            self._said = time.monotonic()
            said = failure.args[0].str() if _is_kafka(failure) else str(failure)
            logging.getLogger(LOGGER).warning("sink '%s' waits for its brokers: %s", self.writer.sink, said)

    def _produce(self, messages: Iterable[Message]) -> None:
        topic, produce = self.writer.topic, self._producer.produce
        for number, (key, value, headers, at) in enumerate(messages):
            full = 0.0
            while True:
                try:
                    if headers:
                        produce(topic, value, key, headers=headers, timestamp=at, on_delivery=self._delivered)
                    else:
                        produce(topic, value, key, timestamp=at, on_delivery=self._delivered)
                    break
                except BufferError as failure:
                    full = full or time.monotonic()
                    if time.monotonic() - full > _SETTLED:
                        raise self.refused(RuntimeError(f"no message was taken in {_SETTLED:.0f} s")) from failure
                    self._producer.poll(0.05)
            if number % _STEP == 0:
                self._producer.poll(0)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self.errors.append(error)

    def _hear(self, error: Any) -> None:
        if error.fatal():
            self.errors.append(error)

    def refused(self, failure: BaseException) -> VeloError:
        """What went wrong as an error of ours: what may pass is from outside, what never will is the user's."""
        if isinstance(failure, VeloError):
            return failure
        first = self.errors[0] if self.errors else failure.args[0] if _is_kafka(failure) else None
        said = str(failure) if first is None else first.str()
        message = f"topic '{self.writer.topic}' of sink '{self.writer.sink}' cannot be written: {said}"
        if first is not None and first.name() == "INVALID_TRANSACTION_TIMEOUT":
            hint = f"set '{self.writer.sink}.transaction.timeout.ms' to what brokers allow: transaction.max.timeout.ms"
            return VeloError(message, hint=hint, code="topic-refused")
        if first is not None and first.code() in _final():
            hint = "see to the rights on topic, group and transactional id, and to the settings of the topic"
            return VeloError(message, hint=hint, code="topic-refused")
        return VeloError(message, hint="see that the brokers are up", code="broker-unreachable")

    def close(self) -> None:
        """Lets go of the producer; what it has begun is undone."""
        held = [self.__dict__.pop("_producer", None)]
        if held[0] is None:
            return
        with suppress(Exception):
            if self.writer.once:
                within(_ANSWER, lambda: held[0].abort_transaction(5))
        with suppress(Exception):
            held[0].purge()
            held[0].flush(0.1)
        let_go(held.clear)


def _is_kafka(failure: BaseException) -> bool:
    from confluent_kafka import KafkaException

    return isinstance(failure, KafkaException)


def _is_retriable(failure: BaseException) -> bool:
    return _is_kafka(failure) and bool(failure.args[0].retriable())


def _final() -> tuple[int, ...]:
    """What does not pass by itself."""
    from confluent_kafka import KafkaError

    return (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.INVALID_RECORD,
        KafkaError.POLICY_VIOLATION,
    )
