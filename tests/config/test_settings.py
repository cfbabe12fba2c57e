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
        ("headers.X-Api-Key", "pw", "****"),
        ("headers.apikey", "pw", "****"),
        ("headers.X-Auth", "pw", "****"),
        ("headers.Cookie", "session=pw", "****"),
        ("ssl.keystore.key", "-----BEGIN", "****"),
        ("ssl.key.pem", "-----BEGIN", "****"),
        ("key.passphrase", "pw", "****"),
        ("key.format", "json", "json"),
        ("", "postgresql://me:p@s/s@db/orders is away", "postgresql://me:****@db/orders is away"),
        ("", "http://me:pw@a,http://you:pw@b/x", "http://me:****@a,http://you:****@b/x"),
        ("", "http://localhost:8080/people/a@b", "http://localhost:8080/people/a@b"),
        ("", "https://h/x?api_key=pw&page=2", "https://h/x?api_key=****&page=2"),
        ("", "https://b.s3/x?X-Amz-Signature=pw&n=1", "https://b.s3/x?X-Amz-Signature=****&n=1"),
        ("", "host=db user=me password=pw dbname=x", "host=db user=me password=**** dbname=x"),
        ("", 'required username="me" password="p w";', 'required username="me" password=****;'),
        ("", "password = orders.password, token = 'x'", "password = orders.password, token = 'x'"),
    ],
)
def test_secrets_are_not_shown(key: str, text: str, shown: str) -> None:
    assert masked(key, text) == shown
    assert is_secret(key) == (shown == "****")


def test_the_secret_of_a_property_is_masked() -> None:
    given = {"out.type": "database_sink", "out.url": "postgresql://a:pw@h/d", "out.table": "t", "out.password": "pw"}
    settings = Asked(given, sink()).resolved["out"]
    assert [value.shown for value in settings] == ["database_sink", "postgresql://a:****@h/d", "t", "****"]
