"""Kafka as a source: topics or a pattern of them; keys, headers, partitions, offsets and message times are kept."""

from __future__ import annotations

from velostream.config.connections.kafka import (
    BOOTSTRAP_SERVERS,
    CLIENT_FAMILIES,
    CONSUMER,
    PROFILE,
    Pattern,
    Topics,
)
from velostream.config.connections.waiting import waiting
from velostream.config.kinds import Choice, Instant, Text
from velostream.config.property import Property
from velostream.config.rule import Needs, OnlyWith
from velostream.formats import FORMATS
from velostream.formats.base import format_property, key_format_property
from velostream.sources.base import Extent, Source, always

_FORMATS = tuple(FORMATS[name] for name in ("json", "avro", "protobuf", "csv", "string", "bytes"))
_CHANGELOGS = tuple(FORMATS[name] for name in ("debezium_json", "debezium_avro"))

AUTO_OFFSET_RESET = Property(
    "auto.offset.reset",
    Choice(
        ("earliest", "latest", "timestamp"),
        also=(
            ("earliest-offset", "earliest"),
            ("latest-offset", "latest"),
        ),
    ),
    "where a first start begins: at the oldest record, behind the newest, or at start.time; without it earliest for "
    "tables and bounded runs, latest for streams",
    "earliest",
    aliases=("scan.startup.mode", "properties.auto.offset.reset", "kafka.auto.offset.reset"),
)

KAFKA_SOURCE = Source(
    name="kafka_source",
    doc="Kafka topics",
    options=(
        Property("topic", Topics(), "the topics, separated by commas", "trades", aliases=("kafka.topic", "topics")),
        Property("topic.pattern", Pattern(), "a regular expression that the topics match", "trades\\..*"),
        BOOTSTRAP_SERVERS,
        Property(
            "group.id",
            Text(),
            "the consumer group, for what brokers show; without it the job's name",
            "trading",
            aliases=("properties.group.id", "kafka.group.id"),
        ),
        AUTO_OFFSET_RESET,
        Property(
            "start.time",
            Instant(),
            "where a first start begins: at the first record of each partition that is not older than this",
            "2026-01-31T00:00:00Z",
            aliases=("scan.startup.timestamp-millis", "starting.timestamp"),
        ),
        format_property((*_FORMATS, *_CHANGELOGS), default="json"),
        key_format_property(_FORMATS),
        PROFILE,
        Property(
            "on.data.loss",
            Choice(("fail", "skip")),
            "what to do when Kafka no longer has offsets that were not read: stop the job, or go on and count them",
            "skip",
            default="fail",
        ),
        *waiting("topic"),
        *CONSUMER,
    ),
    extent=always(Extent.UNBOUNDED),
    formats=(*_FORMATS, *_CHANGELOGS),
    families=CLIENT_FAMILIES,
    one_of=(("topic", "topic.pattern"),),
    rules=(
        Needs("auto.offset.reset", "start.time", value="timestamp"),
        OnlyWith("start.time", "auto.offset.reset", "timestamp"),
    ),
    aliases=("kafka",),
    system="kafka",
    columns=("_partition", "_offset", "_topic", "_key", "_headers"),
    record_time=True,
    keyed=True,
)
