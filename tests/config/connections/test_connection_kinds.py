"""Addresses, topics, paths and patterns of connectors are checked as far as they can be without a connection."""

import pytest

from velostream.config.connections.database import DatabaseUrl
from velostream.config.connections.files import FilePath
from velostream.config.connections.http import WebUrl
from velostream.config.connections.kafka import PROFILES, Pattern, Servers, Topics, profile_settings
from velostream.config.connections.s3 import S3Path
from velostream.config.kinds import Kind
from velostream.errors import InvalidProperty
from velostream.sources.http import Listen


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Servers(), "a:9092, b-1.x:9093", "a:9092,b-1.x:9093"),
        (Servers(), "[::1]:9092", "[::1]:9092"),
        (Topics(), "a, b.c", ("a", "b.c")),
        (Topics(single=True), "a", "a"),
        (Pattern(), "a.*", "a.*"),
        (DatabaseUrl(), "postgresql://h:5432/db?sslmode=require", "postgresql://h:5432/db?sslmode=require"),
        (DatabaseUrl(), "jdbc:mysql://h/db", "jdbc:mysql://h/db"),
        (WebUrl(), "HTTPS://h/p", "HTTPS://h/p"),
        (S3Path(), "s3a://bucket/k", "s3://bucket/k"),
        (S3Path(), "s3://bucket", "s3://bucket/"),
        (FilePath(), "file:///a%20b", "/a b"),
        (FilePath(), "data/*.csv", "data/*.csv"),
        (FilePath(remote=True), "s3://bucket/out", "s3://bucket/out"),
        (Listen(), "127.0.0.1:8085/events", "127.0.0.1:8085/events"),
    ],
)
def test_what_can_be_used(kind: Kind, text: str, value: object) -> None:
    assert kind.parse(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Servers(), "localhost"),
        (Servers(), "localhost:0"),
        (Servers(), "localhost:70000"),
        (Servers(), "a:1,,b:2"),
        (Topics(), "a b"),
        (Topics(), ""),
        (Topics(), ".."),
        (Topics(), "x" * 250),
        (Topics(single=True), "a,b"),
        (Pattern(), "(a"),
        (Pattern(), ""),
        (DatabaseUrl(), "localhost/db"),
        (DatabaseUrl(), "mongodb://h/db"),
        (WebUrl(), "h/p"),
        (WebUrl(), "ftp://h/p"),
        (WebUrl(), "http://"),
        (S3Path(), "/bucket/k"),
        (S3Path(), "s3://B/k"),
        (FilePath(), ""),
        (FilePath(), "s3://bucket/k"),
        (FilePath(remote=True), "hdfs://h/k"),
        (Listen(), "8085"),
        (Listen(), "h:99999/x"),
    ],
)
def test_what_cannot_be_used(kind: Kind, text: str) -> None:
    with pytest.raises(InvalidProperty):
        kind.parse(text)


def test_a_refused_database_does_not_tell_its_password() -> None:
    with pytest.raises(InvalidProperty) as refusal:
        DatabaseUrl().parse("mysql://me:hunter2@h/db")
    assert "hunter2" not in refusal.value.message


def test_profiles_have_settings_for_both_sides() -> None:
    assert set(PROFILES) == {"high_throughput", "low_latency", "max_durability", "development"}
    assert profile_settings("max_durability", "producer")["acks"] == "all"
    assert profile_settings("low_latency", "consumer")["fetch.min.bytes"] == "1"
