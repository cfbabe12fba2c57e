"""The settings of Kafka's two clients: Java's, by which Spark reads, and librdkafka, by which we write and ask.

Users write the names that Java's client has; those of librdkafka are understood too. What one client calls by another
name is translated, and what only the other has is left out where it has no meaning, or refused where it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from velostream.config.connections.kafka import profile_settings
from velostream.config.settings import Settings
from velostream.errors import InvalidProperty

CONSUMER, PRODUCER = "consumer", "producer"
_JAAS = re.compile(r"""(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;]+))""")
_RENAMED = {
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "max.request.size": "message.max.bytes",
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "ssl.key.password": "ssl.key.password",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "sasl.mechanism": "sasl.mechanism",
}
_ONLY_JAVA = (
    *("max.poll.records", "default.api.timeout.ms", "max.block.ms", "buffer.memory", "client.dns.lookup"),
    *("sasl.jaas.config", "ssl.truststore.type", "ssl.truststore.password", "ssl.keystore.type", "ssl.protocol"),
    *("ssl.enabled.protocols", "ssl.truststore.location", "ssl.keystore.location", "ssl.keystore.password"),
    *("heartbeat.interval.ms", "session.timeout.ms", "max.poll.interval.ms"),
)
_ASKING = ("security.", "sasl.", "ssl.", "client.id", "client.dns.", "socket.", "reconnect.", "request.timeout.ms")
"""What a client that only asks for topics and offsets is told of all settings."""
_MODULES = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
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
        module = _MODULES.get(told.setdefault("sasl.mechanism", "PLAIN"), _MODULES["PLAIN"])
        told["sasl.jaas.config"] = f'{module} required username="{_escaped(user)}" password="{_escaped(password)}";'
    authority = told.pop("ssl.ca.location", None)
    if authority is not None and "ssl.truststore.location" not in told:
        told |= {"ssl.truststore.location": authority, "ssl.truststore.type": "PEM"}
    return {**told, "bootstrap.servers": settings.text("bootstrap.servers")}


def for_librdkafka(settings: Settings, side: str) -> dict[str, str]:
    """Settings for librdkafka; what it cannot do is refused by name."""
    told = written(settings, side)
    made = {_RENAMED.get(name, name): value for name, value in told.items() if name not in _ONLY_JAVA}
    if "buffer.memory" in told:
        made["queue.buffering.max.kbytes"] = str(max(1, int(told["buffer.memory"]) // 1024))
    made |= _credentials(told)
    made |= _stores(told)
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


def _stores(told: Mapping[str, str]) -> dict[str, str]:
    """Certificates: PEM files are the same to both clients, PKCS12 is for keys only, JKS is Java's alone."""
    made: dict[str, str] = {}
    trust = told.get("ssl.truststore.location")
    if trust is not None and "ssl.ca.location" not in told:
        if told.get("ssl.truststore.type", _kind(trust)).upper() != "PEM":
            message = f"'{trust}' is a store of Java, which the client that writes and asks cannot read"
            raise InvalidProperty(message, hint="give the certificates as a PEM file: ssl.ca.location")
        made["ssl.ca.location"] = trust
    own = told.get("ssl.keystore.location")
    if own is None:
        return made
    kind = told.get("ssl.keystore.type", _kind(own)).upper()
    if kind == "PEM":
        return made | {"ssl.certificate.location": own, "ssl.key.location": own}
    if kind != "PKCS12":
        message = f"'{own}' is a store of Java, which the client that writes and asks cannot read"
        raise InvalidProperty(message, hint="give it as PKCS12 or PEM: ssl.keystore.type")
    made["ssl.keystore.location"] = own
    if "ssl.keystore.password" in told:
        made["ssl.keystore.password"] = told["ssl.keystore.password"]
    return made


def _kind(file: str) -> str:
    ending = file.rpartition(".")[2].casefold()
    return {"pem": "PEM", "crt": "PEM", "p12": "PKCS12", "pfx": "PKCS12"}.get(ending, "JKS")


def _escaped(text: str | None) -> str:
    return (text or "").replace("\\", "\\\\").replace('"', '\\"')
