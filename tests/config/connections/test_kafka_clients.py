"""What Kafka's two clients are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.config.asking import TRADES, Asked, sink, source

from velostream.config.connections.kafka_clients import CONSUMER, PRODUCER, for_asking, for_java, for_librdkafka
from velostream.errors import InvalidProperty

JAAS = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="a\\"b;c";'


def reading(**more: str) -> Any:
    given = {f"trades.{key.replace('_', '.')}": value for key, value in more.items()}
    asked = Asked({**TRADES, **given}, source())
    assert not asked.findings.errors
    return asked.resolved.owners["trades"]


def writing(**more: str) -> Any:
    given = {f"out.{key.replace('_', '.')}": value for key, value in more.items()}
    asked = Asked({"out.type": "kafka_sink", "out.topic": "t", "out.bootstrap.servers": "h:9092", **given}, sink())
    assert not asked.findings.errors
    return asked.resolved.owners["out"]


def test_what_java_is_told_is_what_was_written() -> None:
    given = reading(security_protocol="SASL_SSL", fetch_min_bytes="10", properties_fetch_max_bytes="7")
    assert for_java(given, CONSUMER) == {
        **{"bootstrap.servers": "h:9092", "security.protocol": "SASL_SSL"},
        **{"fetch.min.bytes": "10", "fetch.max.bytes": "7"},
    }


def test_a_profile_gives_way_to_what_is_written() -> None:
    told = for_java(reading(profile="high_throughput", fetch_min_bytes="10"), CONSUMER)
    assert told["fetch.min.bytes"] == "10"
    assert told["fetch.max.wait.ms"] == "500"


def test_user_and_password_go_from_java_to_librdkafka_and_back() -> None:
    told = for_asking(reading(sasl_mechanism="PLAIN", sasl_jaas_config=JAAS))
    assert (told["sasl.username"], told["sasl.password"]) == ("ann", 'a"b;c')
    assert "sasl.jaas.config" not in told
    assert for_asking(reading(sasl_username="ann", sasl_password="x"))["sasl.mechanism"] == "PLAIN"
    back = for_java(reading(sasl_mechanisms="PLAIN", sasl_username="ann", sasl_password='a"b;c'), CONSUMER)
    assert back["sasl.jaas.config"] == JAAS
    assert back["sasl.mechanism"] == "PLAIN"


def test_certificates_in_pem_files_are_the_same_to_both() -> None:
    assert for_librdkafka(writing(ssl_truststore_location="/c/ca.pem"), PRODUCER)["ssl.ca.location"] == "/c/ca.pem"
    java = for_java(reading(ssl_ca_location="/c/ca.pem"), CONSUMER)
    assert java["ssl.truststore.location"] == "/c/ca.pem"
    assert java["ssl.truststore.type"] == "PEM"
    own = for_librdkafka(writing(ssl_keystore_location="/c/me.p12", ssl_keystore_password="x"), PRODUCER)
    assert (own["ssl.keystore.location"], own["ssl.keystore.password"]) == ("/c/me.p12", "x")


def test_a_key_and_its_certificate_in_pem_files_are_told_to_java_as_text(tmp_path: Path) -> None:
    for name in ("me", "key"):
        (tmp_path / f"{name}.pem").write_text(f"-- {name} --")
    own = {"ssl_certificate_location": str(tmp_path / "me.pem"), "ssl_key_location": str(tmp_path / "key.pem")}
    java = for_java(reading(**own, ssl_ca_pem="-- ca --", ssl_key_password="x"), CONSUMER)
    assert (java["ssl.keystore.certificate.chain"], java["ssl.keystore.key"]) == ("-- me --", "-- key --")
    assert (java["ssl.keystore.type"], java["ssl.truststore.type"]) == ("PEM", "PEM")
    assert (java["ssl.truststore.certificates"], java["ssl.key.password"]) == ("-- ca --", "x")
    assert not {name for name in java if "location" in name}
    with pytest.raises(InvalidProperty, match=r"'/no/me\.pem' of 'ssl\.certificate\.location' cannot be read"):
        for_java(reading(ssl_certificate_location="/no/me.pem"), CONSUMER)


def test_whether_names_in_certificates_are_looked_at_is_said_to_both_and_whether_at_all_only_to_librdkafka() -> None:
    name = "ssl.endpoint.identification.algorithm"
    assert for_java(reading(ssl_endpoint_identification_algorithm="none"), CONSUMER)[name] == ""
    assert for_librdkafka(writing(ssl_endpoint_identification_algorithm="none"), PRODUCER)[name] == "none"
    unchecked = {"properties_enable_ssl_certificate_verification": "false"}
    assert for_asking(writing(**unchecked), PRODUCER)["enable.ssl.certificate.verification"] == "false"
    with pytest.raises(InvalidProperty, match="always looks at certificates"):
        for_java(reading(**unchecked), CONSUMER)


def test_a_store_that_only_java_reads_is_refused_with_a_way_out() -> None:
    with pytest.raises(InvalidProperty, match=r"'/c/trust\.jks' is a store of Java") as failure:
        for_librdkafka(writing(ssl_truststore_location="/c/trust.jks"), PRODUCER)
    assert "ssl.ca.location" in failure.value.hint


def test_names_that_differ_are_translated_and_what_only_java_has_is_left_out() -> None:
    told = for_librdkafka(
        writing(max_request_size="9", buffer_memory="2048", max_block_ms="5", linger_ms="3"), PRODUCER
    )
    assert told["message.max.bytes"] == "9"
    assert told["queue.buffering.max.kbytes"] == "2"
    assert told["linger.ms"] == "3"
    assert not {"max.block.ms", "buffer.memory", "max.request.size"} & set(told)


def test_who_only_asks_is_told_how_to_reach_brokers_and_nothing_else() -> None:
    topic = {"topic_create": "true", "topic_config_retention_ms": "1"}
    told = for_asking(writing(linger_ms="3", security_protocol="SSL", **topic), PRODUCER)
    assert told == {"bootstrap.servers": "h:9092", "security.protocol": "SSL"}
