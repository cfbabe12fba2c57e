"""Addresses in FROM and INTO say what connector is meant and how it is set."""

import pytest

from velostream.config.connections.address import format_of, is_address, read_address
from velostream.errors import InvalidProperty
from velostream.sinks import sink_at
from velostream.sources import source_at


@pytest.mark.parametrize(
    ("text", "source", "sink", "settings", "name"),
    [
        (
            "kafka://host:9092/trades",
            "kafka_source",
            "kafka_sink",
            {"bootstrap.servers": "host:9092", "topic": "trades"},
            "trades",
        ),
        (
            "kafka://a:1,b:2/eu.trades?format=avro&group.id=g%201",
            "kafka_source",
            "kafka_sink",
            {"bootstrap.servers": "a:1,b:2", "topic": "eu.trades", "format": "avro", "group.id": "g 1"},
            "eu_trades",
        ),
        ("file:///d/*.csv", "file_source", "file_sink", {"path": "/d/*.csv", "format": "csv"}, "d"),
        ("file:///d/part-?.csv", "file_source", "file_sink", {"path": "/d/part-?.csv", "format": "csv"}, "part"),
        ("file://data/a%20b.json", "file_source", "file_sink", {"path": "data/a b.json", "format": "json"}, "a_b"),
        (
            "file:///d/x.csv?csv.delimiter=;&format=string",
            "file_source",
            "file_sink",
            {"path": "/d/x.csv", "csv.delimiter": ";", "format": "string"},
            "x",
        ),
        (
            "s3a://bucket/k/*.parquet",
            "s3_source",
            "file_sink",
            {"path": "s3://bucket/k/*.parquet", "format": "parquet"},
            "k",
        ),
        ("https://h/quotes?a=b", "http_source", "http_sink", {"url": "https://h/quotes?a=b"}, "quotes"),
        (
            "http://h:80/q.csv?x=1#y",
            "http_source",
            "http_sink",
            {"url": "http://h:80/q.csv?x=1#y", "format": "csv"},
            "q",
        ),
        ("data/trades.jsonl", "file_source", "file_sink", {"path": "data/trades.jsonl", "format": "jsonl"}, "trades"),
        ("/d/2026/01.csv.gz", "file_source", "file_sink", {"path": "/d/2026/01.csv.gz", "format": "csv"}, "d"),
        ("100%.csv", "file_source", "file_sink", {"path": "100%.csv", "format": "csv"}, "source"),
    ],
)
def test_addresses(text: str, source: str, sink: str, settings: dict[str, str], name: str) -> None:
    address = read_address(text)
    assert is_address(text)
    assert source_at(address).name == source
    assert sink_at(address).name == sink
    assert dict(address.settings) == settings
    assert address.name == name


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("kafka://host:9092", "kafka://host:9092/topic"),
        ("kafka:///topic", "kafka://host:9092/topic"),
        ("kafka://", "kafka://host:9092/topic"),
        ("file://", "file:///folder"),
        ("https://", "https://host/path"),
        ("kafak://h:1/t", "did you mean 'kafka'?"),
        ("postgresql://h/db", "kafka://"),
        ("trades.xml", "kafka://"),
        ("kafka://h:1/t?format=json&oops", "?key=value"),
    ],
)
def test_what_is_not_an_address_is_refused_with_how_one_is_written(text: str, hint: str) -> None:
    with pytest.raises(InvalidProperty) as refusal:
        read_address(text)
    assert hint in refusal.value.hint


def test_a_name_is_not_an_address() -> None:
    assert not is_address("trades")
    assert is_address("x.PARQUET")


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.csv", "csv"), ("a.tsv", "csv"), ("a.NDJSON", "jsonl"), ("a.json.gz", "json"), ("a.avro", "avro"), ("a", None)],
)
def test_the_ending_tells_the_format(path: str, name: str | None) -> None:
    assert format_of(path) == name


def test_a_password_in_an_address_is_not_told() -> None:
    with pytest.raises(InvalidProperty) as refusal:
        read_address("kafka://me:hunter2@")
    assert "hunter2" not in refusal.value.message
