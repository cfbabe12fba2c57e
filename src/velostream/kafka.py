"""Kafka as everybody here asks it: topics, partitions, offsets, and errors as ours."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from velostream.errors import InvalidProperty, VeloError
from velostream.registry import nearest

if TYPE_CHECKING:
    from confluent_kafka import KafkaError
    from confluent_kafka.admin import AdminClient

T = TypeVar("T")
Offsets = dict[str, dict[int, int]]
"""Of each topic, of each of its partitions, an offset."""
ASKED = 10.0
"""How long, in seconds, brokers may take for an answer."""
_LONGEST = 3 * ASKED
"""How long an answer is waited for that a client should have given, or given up, long before."""
_WEEK = 7 * 24 * 60
"""Minutes, after which brokers forget the offsets of a group unless they are told otherwise."""
_SHOWN = 5
_SAID = 10
QUIET = logging.getLogger("velostream.kafka.client")
"""Where clients leave their own words; what matters of them is raised."""
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


def reconnecting(client: Mapping[str, str]) -> dict[str, str]:
    """Settings of a client that finds brokers within a second when they come back, unless they say otherwise."""
    own = any(name.startswith("reconnect.backoff.") for name in client)
    return dict(client) if own else {**client, "reconnect.backoff.max.ms": "1000"}


def let_go(call: Callable[[], object]) -> Thread:
    """Closes a client, or asks one, beside everything else. librdkafka waits without a limit for threads of its own,
    which may not end where brokers went away at the wrong moment; nobody else is to wait for them."""
    calling = Thread(target=call, name="velo-kafka", daemon=True)
    calling.start()
    return calling


def within(seconds: float, call: Callable[[], T]) -> T:
    """Calls a client and waits no longer than this, also where the client forgets the limit that it was given.

    librdkafka does so where offsets are sent to a transaction and whoever knows the group has just been restarted (its
    issues 5456 and 5511): it waits for a connection that is up already, until another one changes, if ever.
    """
    answers: list[T] = []
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(call())
        except BaseException as failure:
            failures.append(failure)

    let_go(ask).join(seconds)
    if failures:
        raise failures[0]
    if not answers:
        raise TimeoutError(f"the client did not come back in {seconds:.0f} s")
    return answers[0]


@dataclass
class Asking:
    """A client that asks a cluster."""

    admin: AdminClient
    said: deque[KafkaError] = field(default_factory=lambda: deque(maxlen=_SAID))
    """What went wrong lately, last word last."""

    @property
    def reason(self) -> str:
        """Why it does not reach the cluster: that somebody is not let in says more than that he was cut off."""
        from confluent_kafka import KafkaError

        refused = (KafkaError._AUTHENTICATION, KafkaError._SSL)
        ranks = {KafkaError._ALL_BROKERS_DOWN: 0, **dict.fromkeys(refused, 2)}
        return max(reversed(self.said), key=lambda error: ranks.get(error.code(), 1)).str() if self.said else ""


@cache
def asking(client: tuple[tuple[str, str], ...]) -> Asking:
    """The client of this process for a cluster: one for all who ask it, as long as the process lives."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    said: deque[KafkaError] = deque(maxlen=_SAID)
    told: dict[str, Any] = {**reconnecting(dict(client)), "logger": QUIET, "error_cb": said.append}
    try:
        return Asking(AdminClient(told), said)
    except KafkaException as error:
        message = f"Kafka's client cannot be used for '{told['bootstrap.servers']}': {error.args[0].str()}"
        raise InvalidProperty(message, hint="correct the setting, or remove it") from None


@dataclass(frozen=True)
class Cluster:
    """A Kafka cluster; `client` are settings of librdkafka."""

    client: Mapping[str, str] = field(repr=False)

    @property
    def address(self) -> str:
        """Where it is."""
        return self.client["bootstrap.servers"]

    @property
    def _asking(self) -> Asking:
        return asking(tuple(sorted(self.client.items())))

    @property
    def _admin(self) -> AdminClient:
        """Who asks; what went wrong before counts no more."""
        self._asking.said.clear()
        return self._asking.admin

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
                found.setdefault(place.topic, {})[place.partition] = answer.result(timeout=_LONGEST).offset
        except (KafkaException, TimeoutError) as error:
            raise self.unreachable(error) from None
        return found

    def settings(self, name: str, kind: str = "topic") -> dict[str, str]:
        """The settings of a topic, or of the broker of that number; empty where one may not ask for them."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin._config import ConfigResource

        try:
            [answer] = self._admin.describe_configs([ConfigResource(kind, name)], request_timeout=ASKED).values()
            return {key: str(entry.value) for key, entry in answer.result(timeout=_LONGEST).items()}
        except (KafkaException, TimeoutError) as error:
            known = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED)
            if isinstance(error, KafkaException) and error.args[0].code() in known:
                return {}
            raise self.unreachable(error) from None

    def forgets_after(self) -> float:
        """After how many seconds brokers forget the offsets of a group that nobody uses."""
        from confluent_kafka import KafkaException

        try:
            number = next(iter(self._admin.list_topics(timeout=ASKED).brokers))
        except KafkaException as error:
            raise self.unreachable(error) from None
        return 60.0 * int(self.settings(str(number), "broker").get("offsets.retention.minutes", _WEEK))

    def create(self, topic: str, partitions: int, replicas: int, settings: Mapping[str, str]) -> None:
        """Creates a topic (-1 leaves a number to the cluster); one that somebody else has just created is fine."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.cimpl import NewTopic

        new = NewTopic(topic, num_partitions=partitions, replication_factor=replicas, config=dict(settings))
        try:
            self._admin.create_topics([new], operation_timeout=ASKED)[topic].result(timeout=_LONGEST)
        except TimeoutError as error:
            raise self.unreachable(error) from None
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
        told = error.args[0].str() if error.args and hasattr(error.args[0], "str") else "no answer in time"
        self._asking.admin.poll(0)  # what went wrong is heard only by who listens
        message = f"no Kafka broker answers at '{self.address}': {self._asking.reason or told}"
        hint = "see that it is up, and that bootstrap.servers and security.protocol are right"
        return VeloError(message, hint=hint, code="broker-unreachable")
