"""Kafka as a sink: key, headers and event time are written; exactly once in transactional mode."""

from __future__ import annotations

from velostream.config.connections.kafka import BOOTSTRAP_SERVERS, CLIENT_FAMILIES, PRODUCER, PROFILE, Topics
from velostream.config.kinds import Boolean, Choice, Integer
from velostream.config.property import Family, Property
from velostream.config.rule import Broken
from velostream.config.settings import Settings
from velostream.formats import FORMATS
from velostream.formats.base import format_property, key_format_property
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, WriteMode, write_mode_property

_FORMATS = tuple(FORMATS[name] for name in ("json", "avro", "protobuf", "csv", "string", "bytes"))
_CHANGELOGS = tuple(FORMATS[name] for name in ("debezium_json", "debezium_avro"))
_CONFIG = "topic.config."


def _guarantee(mode: str, settings: Settings) -> Guarantee:
    if mode == "transactional":
        return Guarantee.EXACTLY_ONCE
    upserts = settings.get("write.mode") == WriteMode.UPSERT.value
    return Guarantee.IDEMPOTENT if upserts else Guarantee.AT_LEAST_ONCE


def _made_topic(settings: Settings) -> Broken | None:
    """A rule: what is said of a topic that is created has an effect only where one is."""
    if settings.boolean("topic.create"):
        return None
    told = [settings.find(name) for name in ("topic.partitions", "topic.replication.factor")]
    told += [value for name, value in settings.client.items() if name.startswith(_CONFIG)]
    found = next((value for value in told if value is not None), None)
    if found is None:
        return None
    message = f"'{found.key}' needs 'topic.create' = 'true': a topic that is there keeps what it has"
    return Broken("missing-property", message, "add 'topic.create' = 'true', or remove it", found)


KAFKA_SINK = Sink(
    name="kafka_sink",
    doc="a Kafka topic",
    options=(
        Property("topic", Topics(single=True), "the topic", "alerts", aliases=("kafka.topic",), required=True),
        BOOTSTRAP_SERVERS,
        format_property((*_FORMATS, *_CHANGELOGS), default="json"),
        key_format_property(_FORMATS),
        write_mode_property(WriteMode.APPEND, WriteMode.UPSERT),
        DELIVERY_GUARANTEE,
        PROFILE,
        Property("topic.create", Boolean(), "whether to create the topic if it is not there", "true", default="false"),
        Property("topic.partitions", Integer(least=1), "with topic.create: how many partitions it gets", "6"),
        Property("topic.replication.factor", Integer(least=1), "with topic.create: how many replicas it gets", "3"),
        Property(
            "message.time",
            Choice(("event_time", "processing_time")),
            "the time of messages: the event time of rows, or the time of writing",
            "processing_time",
            default="event_time",
        ),
        *PRODUCER,
    ),
    guarantee=_guarantee,
    write_modes=(WriteMode.APPEND, WriteMode.UPSERT),
    formats=(*_FORMATS, *_CHANGELOGS),
    families=(
        *CLIENT_FAMILIES,
        Family(
            _CONFIG,
            "with topic.create: settings of the topic",
            ("topic.config.retention.ms", "604800000"),
            strips=False,
        ),
    ),
    rules=(_made_topic,),
    aliases=("kafka",),
    system="kafka",
    keyed=True,
    headers=True,
)
