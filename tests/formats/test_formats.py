"""Formats are declared once; connectors offer those that they can."""

import pytest

from velostream.formats import FORMATS
from velostream.formats.base import choice, format_property, key_format_property
from velostream.types import BINARY, STRING


def test_there_are_the_formats_that_are_promised() -> None:
    assert {"json", "avro", "protobuf", "csv", "string", "bytes", "debezium_json", "debezium_avro"} < set(FORMATS)


def test_what_cannot_be_read_without_a_schema() -> None:
    assert {name for name, one in FORMATS.items() if one.needs_schema} == {"avro", "protobuf", "debezium_avro"}


def test_plain_values_are_one_column() -> None:
    assert FORMATS["string"].columns[0].type == STRING
    assert FORMATS["bytes"].columns[0].type == BINARY


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("JSON", "json"),
        ("avro-confluent", "avro"),
        ("debezium-json", "debezium_json"),
        ("debezium-avro-confluent", "debezium_avro"),
        ("text", "string"),
        ("ndjson", "jsonl"),
    ],
)
def test_formats_are_known_by_what_they_are_called_elsewhere(word: str, name: str) -> None:
    assert choice(tuple(FORMATS.values())).parse(word) == name


def test_keys_have_formats_of_their_own() -> None:
    able = key_format_property(tuple(FORMATS.values()))
    assert able.default == "string"
    assert "parquet" not in able.kind.words  # type: ignore[attr-defined]


def test_a_format_without_a_default_is_told_by_the_path() -> None:
    assert "ending of the path" in format_property((FORMATS["csv"],)).doc
    assert "ending of the path" not in format_property((FORMATS["csv"],), default="csv").doc
