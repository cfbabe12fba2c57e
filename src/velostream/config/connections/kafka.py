"""How to reach Kafka, the client settings that pass through, and profiles of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.kinds import Choice, Text
from velostream.config.property import Family, Property
from velostream.errors import InvalidProperty

_SERVER = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")


@dataclass(frozen=True, slots=True)
class Servers:
    """Brokers as `host:port`, separated by commas."""

    name: str = "servers"

    def parse(self, text: str) -> object:
        """The list as one text."""
        servers = [server.strip() for server in text.split(",")]
        for server in servers:
            match = _SERVER.fullmatch(server)
            if match is None or not 0 < int(match[2]) < 65536:
                raise InvalidProperty(f"'{server}' is not a broker", hint="write host:port, for example localhost:9092")
        return ",".join(servers)


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics, separated by commas; with `single` one only."""

    single: bool = False
    name: str = "topic"

    def parse(self, text: str) -> object:
        """The topics as a tuple; the topic itself where only one is taken."""
        topics = tuple(topic.strip() for topic in text.split(","))
        for topic in topics:
            if not _TOPIC.fullmatch(topic) or topic in (".", ".."):
                raise InvalidProperty(
                    f"'{topic}' is not a topic", hint="letters, digits, '.', '_' and '-', at most 249"
                )
        if self.single and len(topics) > 1:
            raise InvalidProperty(f"'{text}' are several topics", hint="name one topic, or write INTO several sinks")
        return topics[0] if self.single else topics


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression."""

    name: str = "pattern"

    def parse(self, text: str) -> object:
        """The text."""
        try:
            re.compile(text)
        except re.error as error:
            raise InvalidProperty(f"'{text}' is not a pattern: {error}") from None
        return Text().parse(text)


def _aliases(name: str, *more: str) -> tuple[str, ...]:
    return (f"properties.{name}", f"kafka.{name}", *more)


BOOTSTRAP_SERVERS = Property(
    "bootstrap.servers",
    Servers(),
    "the brokers to begin with",
    "localhost:9092",
    aliases=_aliases("bootstrap.servers", "brokers"),
    required=True,
)

PROFILES: dict[str, dict[str, dict[str, str]]] = {
    "high_throughput": {
        "consumer": {"fetch.min.bytes": "1048576", "fetch.max.wait.ms": "500", "max.partition.fetch.bytes": "8388608"},
        "producer": {"acks": "1", "linger.ms": "50", "batch.size": "1048576", "compression.type": "lz4"},
    },
    "low_latency": {
        "consumer": {"fetch.min.bytes": "1", "fetch.max.wait.ms": "10"},
        "producer": {"acks": "1", "linger.ms": "0", "compression.type": "none"},
    },
    "max_durability": {
        "consumer": {"isolation.level": "read_committed", "check.crcs": "true"},
        "producer": {"acks": "all", "enable.idempotence": "true", "retries": "2147483647"},
    },
    "development": {
        "consumer": {"fetch.max.wait.ms": "100", "session.timeout.ms": "10000"},
        "producer": {"acks": "1", "linger.ms": "5", "delivery.timeout.ms": "30000", "request.timeout.ms": "10000"},
    },
}

PROFILE = Property(
    "profile",
    Choice(tuple(PROFILES)),
    "client settings for a purpose; settings of one's own override them",
    "high_throughput",
)


def _client(name: str, doc: str, example: str) -> Property:
    return Property(name, Text(), doc, example, client=True)


_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

_EITHER = (
    Property("security.protocol", Choice(_PROTOCOLS), "how brokers are spoken to", "SASL_SSL", client=True),
    _client("client.id", "the name by which brokers log this client", "velostream"),
    _client("client.dns.lookup", "how host names of brokers are looked up", "use_all_dns_ips"),
    _client("request.timeout.ms", "how long to wait for an answer", "30000"),
    _client("retry.backoff.ms", "how long to wait before a request is sent again", "100"),
    _client("reconnect.backoff.ms", "how long to wait before connecting again", "50"),
    _client("reconnect.backoff.max.ms", "the longest wait before connecting again", "1000"),
    _client("metadata.max.age.ms", "how often topics and partitions are looked up", "300000"),
    _client("connections.max.idle.ms", "when unused connections are closed", "540000"),
    _client("socket.connection.setup.timeout.ms", "how long connecting may take", "10000"),
    _client("receive.buffer.bytes", "size of the socket's receive buffer", "65536"),
    _client("send.buffer.bytes", "size of the socket's send buffer", "131072"),
)

CONSUMER = (
    *_EITHER,
    _client("client.rack", "the rack of this client, to read from the nearest replica", "eu-west-1a"),
    _client("fetch.min.bytes", "how much a broker collects before it answers", "1"),
    _client("fetch.max.bytes", "the most that one answer holds", "52428800"),
    _client("fetch.max.wait.ms", "how long a broker may wait to collect it", "500"),
    _client("max.partition.fetch.bytes", "the most of one partition in an answer", "1048576"),
    _client("max.poll.records", "the most records of one poll", "500"),
    _client("max.poll.interval.ms", "the longest time between two polls", "300000"),
    _client("session.timeout.ms", "after how long a silent consumer is given up", "45000"),
    _client("heartbeat.interval.ms", "how often a consumer says that it lives", "3000"),
    _client("default.api.timeout.ms", "how long a call of the client may take", "60000"),
    _client("isolation.level", "whether records of open transactions are read", "read_committed"),
    _client("check.crcs", "whether checksums are verified", "true"),
    _client("allow.auto.create.topics", "whether reading creates the topic", "false"),
)

PRODUCER = (
    *_EITHER,
    _client("acks", "how many replicas must have a record: 0, 1 or all", "all"),
    _client("linger.ms", "how long records are collected before they are sent", "5"),
    _client("batch.size", "how many bytes are sent together", "16384"),
    _client("compression.type", "none, gzip, snappy, lz4 or zstd", "zstd"),
    _client("buffer.memory", "memory for records that wait to be sent", "33554432"),
    _client("max.request.size", "the largest request", "1048576"),
    _client("max.in.flight.requests.per.connection", "how many requests wait for their answers", "5"),
    _client("enable.idempotence", "whether the broker drops what is sent twice", "true"),
    _client("retries", "how often a request is sent again", "5"),
    _client("delivery.timeout.ms", "how long sending a record may take in all", "120000"),
    _client("max.block.ms", "how long sending may wait for room", "60000"),
    _client("transaction.timeout.ms", "how long a transaction may take; above the longest batch", "900000"),
)

_COMMITS = "offsets are kept with the checkpoint"
_TYPED = "the format decides it"
_REFUSED = (
    ("enable.auto.commit", _COMMITS),
    ("key.deserializer", _TYPED),
    ("value.deserializer", _TYPED),
    ("key.serializer", _TYPED),
    ("value.serializer", _TYPED),
    ("interceptor.classes", "records must be read and written as they are"),
    ("transactional.id", "it is made from the names of job and sink"),
)

CLIENT_FAMILIES = (
    Family(
        "properties.",
        "any setting of the Kafka client, as Flink writes it",
        ("properties.security.protocol", "SASL_SSL"),
        refused=_REFUSED,
    ),
    Family("kafka.", "any setting of the Kafka client, as Spark writes it", ("kafka.linger.ms", "5"), refused=_REFUSED),
    Family("sasl.", "settings of SASL", ("sasl.mechanism", "SCRAM-SHA-512"), strips=False),
    Family("ssl.", "settings of TLS", ("ssl.truststore.location", "/etc/kafka/truststore.jks"), strips=False),
)


def profile_settings(profile: str, side: str) -> dict[str, str]:
    """The client settings of a profile for `consumer` or `producer`."""
    return dict(PROFILES[profile][side])
