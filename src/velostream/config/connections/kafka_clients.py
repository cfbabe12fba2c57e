"""The settings of Kafka's two clients: Java's, by which Spark reads, and librdkafka, by which we write and ask.

Users write the names that Java's client has; those of librdkafka are understood too. What one client calls by another
name is translated, and what only the other has is left out where it has no meaning, or refused where it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from velostream.config.connections.kafka import profile_settings
from velostream.config.connections.kafka_certificates import ONLY_JAVA, java_certificates, librdkafka_certificates
from velostream.config.settings import Settings

CONSUMER, PRODUCER = "consumer", "producer"
_JAAS = re.compile(r"""(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;]+))""")
_RENAMED = {
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "max.request.size": "message.max.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}
_ONLY_JAVA = (
    *("max.poll.records", "default.api.timeout.ms", "max.block.ms", "buffer.memory", "client.dns.lookup"),
    *("heartbeat.interval.ms", "session.timeout.ms", "max.poll.interval.ms", "sasl.jaas.config"),
    *ONLY_JAVA,
)
_ASKING = (
    *("security.", "sasl.", "ssl.", "enable.ssl.", "client.id", "client.dns.", "socket.", "reconnect."),
    "request.timeout.ms",
)
"""What a client that only asks for topics and offsets is told of all settings."""
_PLAIN = "PLAIN"
"""How users show their passwords unless they say otherwise."""
_MODULES = {
    _PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


def written(settings: Settings, side: str) -> dict[str, str]:
    """What a source or sink sets, over what its profile does."""
    profile = settings.get("profile")
    chosen = profile_settings(str(profile), side) if profile is not None else {}
    return chosen | {name: value.text for name, value in settings.client.items() if not name.startswith("topic.")}


def for_java(settings: Settings, side: str) -> dict[str, str]:
    """Settings for Java's client."""
    told = written(settings, side)
    user, password = told.pop("sasl.username", None), told.pop("sasl.password", None)
    mechanism = told.pop("sasl.mechanisms", None)
    if mechanism is not None:
        told.setdefault("sasl.mechanism", mechanism)
    if user is not None and "sasl.jaas.config" not in told:
        module = _MODULES.get(told.setdefault("sasl.mechanism", _PLAIN), _MODULES[_PLAIN])
        told["sasl.jaas.config"] = f'{module} required username="{_escaped(user)}" password="{_escaped(password)}";'
    return {**java_certificates(told), "bootstrap.servers": settings.text("bootstrap.servers")}


def for_librdkafka(settings: Settings, side: str) -> dict[str, str]:
    """Settings for librdkafka; what it cannot do is refused by name."""
    told = written(settings, side)
    made = {_RENAMED.get(name, name): value for name, value in told.items() if name not in _ONLY_JAVA}
    if "buffer.memory" in told:
        made["queue.buffering.max.kbytes"] = str(max(1, int(told["buffer.memory"]) // 1024))
    made |= _credentials(told)
    if "sasl.username" in made and not {"sasl.mechanism", "sasl.mechanisms"} & set(made):
        made["sasl.mechanism"] = _PLAIN
    made |= librdkafka_certificates(told)
    return {**made, "bootstrap.servers": settings.text("bootstrap.servers")}


def for_asking(settings: Settings, side: str = CONSUMER) -> dict[str, str]:
    """Settings for a client of librdkafka that asks for topics and offsets."""
    whole = for_librdkafka(settings, side)
    return {name: value for name, value in whole.items() if name == "bootstrap.servers" or name.startswith(_ASKING)}


def _credentials(told: Mapping[str, str]) -> dict[str, str]:
    """User and password out of what Java is given."""
    found: dict[str, str] = {}
    for name, double, single, bare in _JAAS.findall(told.get("sasl.jaas.config", "")):
        found[f"sasl.{name}"] = re.sub(r"\\(.)", r"\1", double) if double else single or bare
    return found


def _escaped(text: str | None) -> str:
    return (text or "").replace("\\", "\\\\").replace('"', '\\"')
