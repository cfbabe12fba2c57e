"""The topic that a Kafka sink writes: whether it is there, and what it lets in."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.config.connections.kafka_clients import PRODUCER, for_asking, for_librdkafka
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.kafka import Cluster

LARGEST = 1_000_000
"""What librdkafka takes for the largest message unless it is told otherwise."""
_CREATED = "topic.config."


@dataclass(frozen=True)
class Topic:
    """A topic and its limits, in bytes and milliseconds."""

    name: str
    largest: int = LARGEST
    """The most bytes that a message may have."""
    ahead: int | None = None
    """How far in the future the time of a message may lie."""
    kept: int | None = None
    """How long messages are kept, by their time; None for ever."""


def open_topic(sink: str, settings: Settings) -> Topic:
    """The topic of a sink, created where that is wanted; one that is not there is an error with its look-alikes."""
    cluster = Cluster(for_asking(settings, PRODUCER))
    name = settings.text("topic")
    existing = cluster.topics()
    if name not in existing:
        if not settings.boolean("topic.create"):
            hint = f"{cluster.alike(name, existing)}'{sink}.topic.create' = 'true' creates it"
            message = f"there is no topic '{name}' at {cluster.address} for sink '{sink}'"
            raise VeloError(message, hint=hint, code="topic-not-found")
        wanted = {key.removeprefix(_CREATED): value.text for key, value in settings.client.items() if _is_own(key)}
        cluster.create(
            name, _number(settings, "topic.partitions"), _number(settings, "topic.replication.factor"), wanted
        )
    told = cluster.settings(name)
    mine = int(for_librdkafka(settings, PRODUCER).get("message.max.bytes", LARGEST))
    keeps = int(told.get("retention.ms", -1)) if "delete" in told.get("cleanup.policy", "delete") else -1
    ahead = told.get("message.timestamp.after.max.ms")
    return Topic(
        name,
        min(mine, int(told.get("max.message.bytes", mine))),
        None if ahead is None else int(ahead),
        keeps if keeps >= 0 else None,
    )


def _is_own(key: str) -> bool:
    return key.startswith(_CREATED)


def _number(settings: Settings, name: str) -> int:
    value = settings.get(name)
    return -1 if value is None else int(str(value))
