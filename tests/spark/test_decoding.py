"""Bytes of messages to columns: what is text, what is not, and what letters hold of it."""

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from velostream.plan.fields import Field
from velostream.sinks.letters import letter
from velostream.spark.lower.decoding import decoded
from velostream.types import BIGINT, BINARY, STRING

_SCHEMA = "value BINARY, _key BINARY, _topic STRING, _timestamp TIMESTAMP, _mark STRING"
_HEADERS = "_headers ARRAY<STRUCT<key: STRING, value: BINARY>>"


@dataclass(frozen=True)
class Settings:
    held: dict[str, str]

    def get(self, key: str) -> str | None:
        return self.held.get(key)

    def text(self, key: str) -> str:
        return self.held[key]


@dataclass(frozen=True)
class Node:
    declared: tuple[Field, ...]
    settings: Settings = field(default_factory=lambda: Settings({}))
    fields: tuple[Field, ...] = (Field("s._key", STRING),)


def _frame(spark: Any, *rows: tuple[Any, ...]) -> Any:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    full = [(value, key, "t", time, None, headers) for value, key, headers in rows]
    return spark.createDataFrame(full, f"{_SCHEMA}, {_HEADERS}")


def test_what_is_not_utf8_is_a_letter_with_the_bytes_headers_and_key_that_came(one_spark: Any) -> None:
    node = Node((Field("a", BIGINT), Field("b", STRING)))
    bad = b'{"a": 1, "b": "\xff"}'
    rows = _frame(
        one_spark,
        (b'{"a": 1, "b": "x"}', b"k", [("h", b"\xfe"), ("h", None)]),
        (bad, b"k", [("h", b"\xfe"), ("h", None)]),
        (None, b"k", None),
        (b"base64:eA==", None, []),
        (b'{"a": 2}', b"\xff", None),
    )
    found = decoded(node, rows, "a BIGINT, b STRING", "json").collect()
    assert [row["_status"] for row in found] == [None, "undecodable", "tombstone", "undecodable", "undecodable"]
    assert (found[0]["a"], found[0]["b"], found[0]["_key"]) == (1, "x", "k")
    letters = [letter(reason=row["_status"], error=row["_detail"], record=row["_record"]) for row in found]
    encoded = "base64:" + base64.b64encode(bad).decode()
    headers = [{"key": "h", "value": "base64:/g=="}, {"key": "h", "value": None}]
    assert (letters[1]["record"], letters[1]["key"], letters[1]["headers"]) == (encoded, "k", headers)
    assert (letters[1]["topic"], letters[1]["timestamp"]) == ("t", "2026-01-01T00:00:00Z")
    assert letters[1]["error"] == "the bytes are not UTF-8 text"
    assert (letters[2]["record"], letters[2]["headers"]) == (None, None)
    assert letters[3]["record"] == "base64:" + base64.b64encode(b"base64:eA==").decode()
    assert (letters[4]["key"], letters[4]["error"]) == ("base64:/w==", "the bytes of the key are not UTF-8 text")


def test_keys_and_whole_values_are_read_by_their_formats(one_spark: Any) -> None:
    rows = _frame(one_spark, (b"\xff", b'"k"', None), (b"x", b'{"a": 1}', None), (b"y", b"{", None))
    node = Node((Field("value", STRING),), Settings({"key.format": "json"}))
    found = decoded(node, rows, "value STRING", "string").collect()
    assert [(row["value"], row["_key"], row["_status"]) for row in found] == [
        (None, "k", "undecodable"),
        ("x", '{"a":1}', None),
        ("y", None, "undecodable"),
    ]
    unread = Node((Field("value", STRING),), Settings({"key.format": "json"}), ())
    assert decoded(unread, rows, "value STRING", "string").collect()[2]["_status"] is None
    whole = Node((Field("data", BINARY),), Settings({"key.format": "bytes"}))
    first = decoded(whole, rows, "data BINARY", "bytes").collect()[0]
    assert (bytes(first["data"]), first["_key"], first["_status"]) == (b"\xff", "Imsi", None)
