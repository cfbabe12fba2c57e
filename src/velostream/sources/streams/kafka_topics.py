"""What a Kafka cluster has: topics, their partitions, the first and the last offsets; and topics not there yet."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from velostream.config.connections.kafka_clients import for_asking
from velostream.config.settings import Settings
from velostream.durations import SECOND, show
from velostream.errors import VeloError
from velostream.registry import nearest

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

Offsets = dict[str, dict[int, int]]
"""Of each topic, of each of its partitions, an offset."""
ASKED = 10.0
"""How long, in seconds, brokers may take for an answer."""
_SHOWN = 5
_quiet = logging.getLogger("velostream.kafka.client")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


@dataclass
class Cluster:
    """A Kafka cluster, asked by a client of its own."""

    client: Mapping[str, str]
    said: list[str] = field(default_factory=list)
    """What went wrong while it was asked, last word last."""

    @classmethod
    def of(cls, settings: Settings) -> Cluster:
        """The one that a source or sink names."""
        return cls(for_asking(settings))

    @property
    def address(self) -> str:
        """Where it is."""
        return self.client["bootstrap.servers"]

    @cached_property
    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        told: dict[str, Any] = {**self.client, "error_cb": self._hear, "logger": _quiet}
        return AdminClient(told)

    def _hear(self, error: Any) -> None:
        self.said.append(error.str())

    def topics(self, timeout: float = ASKED) -> dict[str, list[int]]:
        """All topics but Kafka's own, with their partitions."""
        from confluent_kafka import KafkaException

        try:
            known = self._admin.list_topics(timeout=timeout).topics
        except KafkaException as error:
            raise self.unreachable(error.args[0].str()) from None
        return {name: sorted(topic.partitions) for name, topic in known.items() if not name.startswith("__")}

    def ends(self, topics: Iterable[str]) -> Offsets:
        """The offset behind the last record of each partition."""
        return self._offsets(topics, "latest")

    def beginnings(self, topics: Iterable[str]) -> Offsets:
        """The first offset that each partition still has."""
        return self._offsets(topics, "earliest")

    def _offsets(self, topics: Iterable[str], which: str) -> Offsets:
        from confluent_kafka import KafkaException, TopicPartition
        from confluent_kafka.admin._listoffsets import OffsetSpec

        known = self.topics()
        wanted = [TopicPartition(topic, number) for topic in topics for number in known.get(topic, ())]
        spec: Any = getattr(OffsetSpec, which)()
        found: Offsets = {}
        try:
            answers = self._admin.list_offsets(dict.fromkeys(wanted, spec), request_timeout=ASKED)
            for place, answer in answers.items():
                found.setdefault(place.topic, {})[place.partition] = answer.result().offset
        except KafkaException as error:
            raise self.unreachable(error.args[0].str()) from None
        return found

    def create(self, topic: str, partitions: int, replicas: int, settings: Mapping[str, str]) -> None:
        """Creates a topic; one that somebody else has just created is fine."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.cimpl import NewTopic

        new = NewTopic(topic, num_partitions=partitions, replication_factor=replicas, config=dict(settings))
        try:
            self._admin.create_topics([new], operation_timeout=ASKED)[topic].result(timeout=3 * ASKED)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                message = f"topic '{topic}' cannot be created at {self.address}: {error.args[0].str()}"
                raise VeloError(message, hint="see to its settings and to the rights", code="topic-refused") from None

    def unreachable(self, why: str) -> VeloError:
        """The error for brokers that do not answer."""
        said = self.said[-1] if self.said else why
        message = f"no Kafka broker answers at '{self.address}': {said}"
        hint = "see that it is up, and that bootstrap.servers and security.protocol are right"
        return VeloError(message, hint=hint, code="broker-unreachable")


def is_several(settings: Settings) -> bool:
    """True where a source reads more than one topic, so that partitions of one number are told apart by topic."""
    return settings.get("topic.pattern") is not None or len(settings.names("topic")) > 1


def chosen(settings: Settings, existing: Iterable[str]) -> tuple[str, ...]:
    """Those topics of a source that exist."""
    pattern = settings.get("topic.pattern")
    if pattern is not None:
        return tuple(sorted(name for name in existing if re.fullmatch(str(pattern), name)))
    have = set(existing)
    return tuple(name for name in settings.names("topic") if name in have)


def wait_for_topics(source: str, settings: Settings, cluster: Cluster) -> dict[str, list[int]]:
    """The topics of a source with their partitions; an error where one is not there when the time is over."""
    timeout, interval = settings.duration("topic.wait.timeout"), settings.duration("topic.retry.interval")
    ends = time.monotonic() + timeout / SECOND
    while True:
        failure: VeloError | None = None
        existing: dict[str, list[int]] = {}
        try:
            existing = cluster.topics()
        except VeloError as error:
            failure = error
        found = chosen(settings, existing)
        if failure is None and not _missing(settings, found):
            return {name: existing[name] for name in found}
        left = ends - time.monotonic()
        if left <= 0:
            raise failure or _absent(source, settings, list(existing), cluster, timeout)
        time.sleep(min(interval / SECOND, left))


def _missing(settings: Settings, found: tuple[str, ...]) -> str:
    """The first topic that is not there; of a pattern, the pattern."""
    pattern = settings.get("topic.pattern")
    if pattern is not None:
        return "" if found else str(pattern)
    return next((name for name in settings.names("topic") if name not in found), "")


def _absent(source: str, settings: Settings, existing: list[str], cluster: Cluster, timeout: int) -> VeloError:
    name = _missing(settings, chosen(settings, existing))
    by_pattern = settings.get("topic.pattern") is not None
    what = f"no topic matches '{name}'" if by_pattern else f"there is no topic '{name}'"
    waited = f" after {show(timeout)}" if timeout else ""
    alike = nearest(name, existing) or sorted(existing)[:_SHOWN]
    names = ", ".join(f"'{one}'" for one in alike)
    there = f"there is {names}; " if alike else "the cluster has no topics; "
    wait = f"'{source}.topic.wait.timeout' = '30s' waits for it"
    return VeloError(f"{what} at {cluster.address} for '{source}'{waited}", hint=there + wait, code="topic-not-found")
