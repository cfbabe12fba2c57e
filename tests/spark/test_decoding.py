"""Bytes of messages to columns: what is text, what is not, and what letters hold of it."""

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
from tests.formats.held import Settings

from velostream import types
from velostream.formats.encoding.avro import AvroEncoder
from velostream.formats.encoding.encoders import value_encoder
from velostream.formats.encoding.protobuf import ProtobufEncoder
from velostream.formats.schemas.made_avro import avro_schema
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.plan.fields import Field
from velostream.sinks.letters import letter
from velostream.spark.lower.decoding import decoded
from velostream.types import BIGINT, BINARY, STRING

_SCHEMA = "value BINARY, _key BINARY, _topic STRING, _timestamp TIMESTAMP, _mark STRING"
_HEADERS = "_headers ARRAY<STRUCT<key: STRING, value: BINARY>>"


@dataclass(frozen=True)
class Node:
    declared: tuple[Field, ...]
    settings: Settings = field(default_factory=lambda: Settings({}))
    fields: tuple[Field, ...] = (Field("s._key", STRING),)
    source: str = "s"


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


def test_what_stands_behind_an_object_is_not_lost(one_spark: Any) -> None:
    node = Node((Field("a", BIGINT), Field("b", STRING)))
    fine = [
        b'{"a": 1}',
        b' {"a": 1} \r',
        b'{"a": 1, "b": "} x"}',
        b'{"a": 1, "c": [{"x": 1}, {"x": 2}]}',
        b'{"a": 1, "b": "}, {"}',
    ]
    more = [b'{"a": 1}{"a": 2}', b'{"a": 1} {"a": 2}', b'{"a": 1}, {"a": 2}', b'{"a": 1} x', b'{"a": 1}]', b'{"a": 1},']
    found = decoded(
        node, _frame(one_spark, *((text, None, None) for text in fine + more)), "a BIGINT, b STRING", "json"
    )
    told = [(row["a"], row["_status"]) for row in found.collect()]
    assert told == [(1, None)] * len(fine) + [(None, "undecodable")] * len(more)


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


def test_avro_and_protobuf_are_decoded_in_workers_and_what_is_none_is_kept(one_spark: Any) -> None:
    columns = pa.schema([("a", pa.int64()), ("d", pa.decimal128(10, 2)), ("t", pa.timestamp("us", "UTC"))])
    rows = pa.table({"a": [7], "d": [Decimal("1.50")], "t": [datetime(2026, 1, 1, tzinfo=UTC)]}, columns)
    ddl = "a BIGINT, d DECIMAL(10,2), t TIMESTAMP"
    node = Node(tuple(Field(name, types.parse(kind)) for name, kind in (part.split() for part in ddl.split(", "))))
    for form, encoder in (
        ("avro", AvroEncoder(json.dumps(avro_schema(columns, "s")))),
        ("protobuf", ProtobufEncoder(ProtoSources(proto_text(columns, "s")), "s", ("a", "d", "t"))),
    ):
        good = encoder(rows)[0].as_py()
        frame = _frame(one_spark, (good, b"k", None), (b"\xff\xff", b"k", None), (None, b"k", None))
        found = decoded(node, frame, ddl, form).collect()
        assert [row["_status"] for row in found] == [None, "undecodable", "tombstone"]
        assert (found[0]["a"], found[0]["d"], found[0]["t"].timestamp()) == (7, Decimal("1.50"), 1767225600.0)
        assert letter(record=found[1]["_record"])["record"] == "base64://8="
        assert found[1]["_detail"].startswith("the bytes are not a ")


def test_json_of_a_registry_is_behind_the_number_of_its_schema(one_spark: Any) -> None:
    node = Node((Field("a", BIGINT),), Settings({"schema.registry.url": "http://nobody"}))
    frame = _frame(one_spark, (b'\x00\x00\x00\x00\x01{"a": 1}', None, None), (b'{"a": 1}', None, None))
    found = decoded(node, frame, "a BIGINT", "json").collect()
    assert [(row["a"], row["_status"]) for row in found] == [(1, None), (None, "undecodable")]
    assert letter(record=found[1]["_record"])["record"] == '{"a": 1}'


def test_changes_are_rows_and_deletions(one_spark: Any) -> None:
    node = Node((Field("a", BIGINT), Field("b", STRING)))
    after, before = '{"a": 1, "b": "x"}', '{"a": 1, "b": "y"}'
    texts = (
        f'{{"before": null, "after": {after}, "op": "c"}}',
        f'{{"schema": {{}}, "payload": {{"before": {before}, "after": {after}, "op": "u"}}}}',
        f'{{"before": {before}, "after": null, "op": "d"}}',
        '{"a": 1}',
        "{",
        '{"after": {"a": 1, "b": "x"}, "op": "c"} and more',
        '{"after": {"a": "not a number", "b": "x"}, "op": "c"}',
    )
    frame = _frame(one_spark, *((text.encode(), b"k", None) for text in texts), (None, b"k", None))
    found = decoded(node, frame, "a BIGINT, b STRING", "debezium_json").collect()
    assert [(row["a"], row["b"], row["_status"]) for row in found] == [
        (1, "x", None),
        (1, "x", None),
        (1, "y", "tombstone"),
        (None, None, "undecodable"),
        (None, None, "undecodable"),
        (1, "x", "undecodable"),
        (None, "x", "undecodable"),
        (None, None, "tombstone"),
    ]
    assert "row of the declared columns" in found[6]["_detail"]
    rows = pa.table({"a": [1, 1], "b": ["x", "y"], "_emission": ["final", "retract"]})
    settings: Any = Settings({"format": "debezium_avro"})
    schema = pa.schema([("a", pa.int64()), ("b", pa.string()), ("_emission", pa.string())])
    data = value_encoder("out", schema, settings)(rows).to_pylist()
    frame = _frame(one_spark, *((one, None, None) for one in data), (b"\xff", None, None))
    envelope = "a BIGINT, b STRING"
    again = decoded(node, frame, envelope, "debezium_avro").collect()
    assert [(row["a"], row["b"], row["_status"]) for row in again] == [
        (1, "x", None),
        (1, "y", "tombstone"),
        (None, None, "undecodable"),
    ]
