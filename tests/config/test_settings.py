"""Settings answer by kind, tell where values come from, and keep secrets."""

import pytest
from tests.config.asking import OUT, TRADES, Asked, sink, source

from velostream.config.secrets import is_secret, masked
from velostream.config.settings import Settings


@pytest.fixture
def trades() -> Settings:
    return Asked({**TRADES, "trades.dedup.key": "a, b", "trades.partitions": "3"}, source()).resolved["trades"]


def test_values_are_answered_by_kind(trades: Settings) -> None:
    assert trades.integer("partitions") == 3
    assert trades.names("dedup.key") == ("a", "b")
    assert trades.text("format") == "json"
    assert trades.number("circuit.breaker.failure.rate") == 0.5
    assert Asked(OUT, sink()).resolved["out"].size("rotation.size") == 128 * 1024**2
    assert Asked({}).resolved.job.boolean("ansi.enabled") is True


def test_what_is_not_set_and_has_no_default_is_none(trades: Settings) -> None:
    assert trades.get("group.id") is None
    assert trades.value("group.id") is None
    assert "group.id" not in trades
    assert Asked(TRADES, source()).resolved["trades"].names("dedup.key") == ()


def test_asking_for_the_wrong_thing_is_a_defect(trades: Settings) -> None:
    with pytest.raises(KeyError, match="not declared for 'trades'"):
        trades.get("rotation.size")
    with pytest.raises(LookupError, match=r"'group\.id' of 'trades' is None"):
        trades.text("group.id")


def test_all_that_is_set_can_be_listed(trades: Settings) -> None:
    assert [value.key for value in trades] == ["type", "topic", "bootstrap.servers", "dedup.key", "partitions"]


def test_the_place_of_a_value_is_its_line(trades: Settings) -> None:
    value = trades.find("topic")
    assert value is not None
    assert str(value.origin) == "line 1"


@pytest.mark.parametrize(
    ("key", "text", "shown"),
    [
        ("password", "hunter2", "****"),
        ("sasl.jaas.config", "x", "****"),
        ("headers.Authorization", "Bearer x", "****"),
        ("s3.access.key", "x", "****"),
        ("url", "postgresql://me:hunter2@host/db", "postgresql://me:****@host/db"),
        ("url", "postgresql://host/db", "postgresql://host/db"),
        ("topic", "trades", "trades"),
        ("dedup.key", "id", "id"),
    ],
)
def test_secrets_are_not_shown(key: str, text: str, shown: str) -> None:
    assert masked(key, text) == shown
    assert is_secret(key) == (shown == "****")


def test_the_secret_of_a_property_is_masked() -> None:
    given = {"out.type": "database_sink", "out.url": "postgresql://a:pw@h/d", "out.table": "t", "out.password": "pw"}
    settings = Asked(given, sink()).resolved["out"]
    assert [value.shown for value in settings] == ["database_sink", "postgresql://a:****@h/d", "t", "****"]
