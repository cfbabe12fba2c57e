"""Kafka as everybody here asks it: topics, partitions, offsets, and errors as ours."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.registry import nearest

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

Offsets = dict[str, dict[int, int]]
"""Of each topic, of each of its partitions, an offset."""
ASKED = 10.0
"""How long, in seconds, brokers may take for an answer."""
_SHOWN = 5
QUIET = logging.getLogger("velostream.kafka.client")
"""Where clients leave their own words; what matters of them is raised."""
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


@dataclass
class Cluster:
    """A Kafka cluster, asked by a client of its own; `client` are settings of librdkafka."""

    client: Mapping[str, str]
    said: list[str] = field(default_factory=list)
    """What went wrong while it was asked, last word last."""

    @property
    def address(self) -> str:
        """Where it is."""
        return self.client["bootstrap.servers"]

    @cached_property
    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        told: dict[str, Any] = {**self.client, "error_cb": self._hear, "logger": QUIET}
        return AdminClient(told)

    def _hear(self, error: Any) -> None:
        self.said.append(error.str())

    def topics(self, timeout: float = ASKED) -> dict[str, list[int]]:
        """All topics but Kafka's own, with their partitions."""
        from confluent_kafka import KafkaException

        try:
            known = self._admin.list_topics(timeout=timeout).topics
        except KafkaException as error:
            raise self.unreachable(error) from None
        return {name: sorted(topic.partitions) for name, topic in known.items() if not name.startswith("__")}

    def ends(self, topics: Iterable[str]) -> Offsets:
        """The offset behind the last record of each partition that is not of an open transaction."""
        return self._offsets(topics, "latest")

    def beginnings(self, topics: Iterable[str]) -> Offsets:
        """The first offset that each partition still has."""
        return self._offsets(topics, "earliest")

    def _offsets(self, topics: Iterable[str], which: str) -> Offsets:
        from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
        from confluent_kafka.admin._listoffsets import OffsetSpec

        known = self.topics()
        wanted = [TopicPartition(topic, number) for topic in topics for number in known.get(topic, ())]
        spec: Any = getattr(OffsetSpec, which)()
        found: Offsets = {}
        try:
            level = IsolationLevel.READ_COMMITTED
            asked = dict.fromkeys(wanted, spec)
            answers = self._admin.list_offsets(asked, isolation_level=level, request_timeout=ASKED) if wanted else {}
            for place, answer in answers.items():
                found.setdefault(place.topic, {})[place.partition] = answer.result().offset
        except KafkaException as error:
            raise self.unreachable(error) from None
        return found

    def settings(self, topic: str) -> dict[str, str]:
        """The settings of a topic; empty where one may not ask for them."""
        from confluent_kafka import KafkaException
        from confluent_kafka.admin._config import ConfigResource

        try:
            [answer] = self._admin.describe_configs([ConfigResource("topic", topic)], request_timeout=ASKED).values()
            return {name: str(entry.value) for name, entry in answer.result(timeout=ASKED).items()}
        except KafkaException:
            return {}

    def create(self, topic: str, partitions: int, replicas: int, settings: Mapping[str, str]) -> None:
        """Creates a topic (-1 leaves a number to the cluster); one that somebody else has just created is fine."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.cimpl import NewTopic

        new = NewTopic(topic, num_partitions=partitions, replication_factor=replicas, config=dict(settings))
        try:
            self._admin.create_topics([new], operation_timeout=ASKED)[topic].result(timeout=3 * ASKED)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return
            if error.args[0].retriable() or error.args[0].code() == KafkaError._TRANSPORT:
                raise self.unreachable(error) from None
            message = f"topic '{topic}' cannot be created at {self.address}: {error.args[0].str()}"
            raise VeloError(message, hint="see to its settings and to the rights", code="topic-refused") from None

    def alike(self, name: str, existing: Iterable[str]) -> str:
        """The beginning of a hint about a topic that is not there: what is there that looks like it."""
        topics = sorted(existing)
        shown = nearest(name, topics) or topics[:_SHOWN]
        names = ", ".join(f"'{one}'" for one in shown)
        return f"there is {names}; " if shown else "the cluster has no topics; "

    def unreachable(self, error: Any) -> VeloError:
        """The error for brokers that do not answer."""
        said = self.said[-1] if self.said else error.args[0].str()
        message = f"no Kafka broker answers at '{self.address}': {said}"
        hint = "see that it is up, and that bootstrap.servers and security.protocol are right"
        return VeloError(message, hint=hint, code="broker-unreachable")
