"""Every sink states its guarantee, and how it takes corrections."""

import pytest
from tests.config.asking import Asked, sink

from velostream.config.connections.address import Address
from velostream.config.settings import Settings
from velostream.errors import InvalidProperty
from velostream.sinks import SINKS, Guarantee, WriteMode, sink_at

WORKING: dict[str, dict[str, str]] = {
    "kafka_sink": {"topic": "t", "bootstrap.servers": "h:9092"},
    "file_sink": {"path": "out"},
    "database_sink": {"url": "postgresql://h/db", "table": "t"},
    "console_sink": {},
    "memory_sink": {},
    "http_sink": {"url": "https://h/p"},
    "delta_sink": {"path": "lake/t"},
    "iceberg_sink": {"table": "c.s.t"},
}
ONCE, IDEMPOTENT, AT_LEAST = Guarantee.EXACTLY_ONCE, Guarantee.IDEMPOTENT, Guarantee.AT_LEAST_ONCE


def settings(name: str, **more: str) -> Settings:
    given = {"s.type": name} | {f"s.{key}": text for key, text in (WORKING[name] | more).items()}
    asked = Asked(given, sink("s"))
    assert not asked.problems, asked.problems
    return asked.resolved["s"]


def test_there_are_the_sinks_that_are_promised() -> None:
    assert set(SINKS) == set(WORKING)


@pytest.mark.parametrize("name", sorted(set(WORKING) - {"console_sink", "memory_sink"}))
def test_a_sink_without_what_it_needs_is_refused(name: str) -> None:
    assert set(Asked({"s.type": name}, sink("s")).codes) == {"missing-property"}


@pytest.mark.parametrize(
    ("name", "more", "mode", "guarantee"),
    [
        ("kafka_sink", {}, "simple", AT_LEAST),
        ("kafka_sink", {"write.mode": "upsert"}, "adaptive", IDEMPOTENT),
        ("kafka_sink", {}, "transactional", ONCE),
        ("file_sink", {}, "simple", ONCE),
        ("database_sink", {}, "simple", ONCE),
        ("database_sink", {"url": "jdbc:mysql://h/db"}, "simple", IDEMPOTENT),
        ("database_sink", {"url": "jdbc:mysql://h/db", "write.mode": "append"}, "simple", AT_LEAST),
        ("console_sink", {}, "transactional", AT_LEAST),
        ("memory_sink", {}, "simple", AT_LEAST),
        ("http_sink", {}, "simple", IDEMPOTENT),
        ("delta_sink", {}, "simple", ONCE),
        ("iceberg_sink", {}, "simple", ONCE),
    ],
)
def test_guarantees(name: str, more: dict[str, str], mode: str, guarantee: Guarantee) -> None:
    assert SINKS[name].guarantee(mode, settings(name, **more)) is guarantee


@pytest.mark.parametrize(
    ("name", "more", "mode"),
    [
        ("kafka_sink", {}, WriteMode.APPEND),
        ("kafka_sink", {"write.mode": "upsert"}, WriteMode.UPSERT),
        ("database_sink", {}, WriteMode.UPSERT),
        ("file_sink", {}, WriteMode.APPEND),
    ],
)
def test_write_modes(name: str, more: dict[str, str], mode: WriteMode) -> None:
    assert SINKS[name].write_mode(settings(name, **more)) is mode


@pytest.mark.parametrize(
    ("given", "mode", "met"),
    [
        ({}, "simple", True),
        ({"sink.delivery-guarantee": "at-least-once"}, "simple", True),
        ({"sink.delivery-guarantee": "exactly-once"}, "simple", False),
        ({"delivery.guarantee": "exactly_once"}, "transactional", True),
    ],
)
def test_a_guarantee_that_is_asked_for_is_met_or_not(given: dict[str, str], mode: str, met: bool) -> None:
    assert SINKS["kafka_sink"].meets(mode, settings("kafka_sink", **given)) is met


def test_a_sink_that_has_no_guarantee_to_choose_meets_what_nobody_asks() -> None:
    assert SINKS["console_sink"].meets("simple", settings("console_sink"))


def test_an_address_of_an_unknown_system_is_written_by_nothing() -> None:
    with pytest.raises(InvalidProperty, match="nothing writes"):
        sink_at(Address("carrier-pigeon", (), "x"))


@pytest.mark.parametrize("said", ["topic.partitions", "topic.replication.factor", "topic.config.retention.ms"])
def test_what_is_said_of_a_topic_that_is_not_created_is_refused(said: str) -> None:
    given = {"s.type": "kafka_sink", "s.topic": "t", "s.bootstrap.servers": "h:9092", f"s.{said}": "3"}
    [(code, message)] = Asked(given, sink("s")).problems
    assert code == "missing-property"
    assert "needs 'topic.create' = 'true'" in message
    assert not Asked({**given, "s.topic.create": "true"}, sink("s")).problems
