"""Bytes to columns: every type there and back, schemas that evolve, and bytes that are nothing."""

import io
import json
import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.decoding.avro import AvroDecoder
from velostream.formats.decoding.keys import KeyDecoder
from velostream.formats.decoding.protobuf import ProtobufDecoder
from velostream.formats.encoding.avro import AvroEncoder
from velostream.formats.encoding.protobuf import ProtobufEncoder
from velostream.formats.registry.framing import Unframed, framed, message_place, place_bytes, schema_number
from velostream.formats.schemas.made_avro import avro_schema
from velostream.formats.schemas.made_proto import proto_text
from velostream.formats.schemas.proto_classes import ProtoClasses
from velostream.formats.schemas.proto_sources import ProtoSources
from velostream.formats.schemas.proto_values import writer

_KINDS = {
    **{"i": "BIGINT", "j": "INT", "b": "BOOLEAN", "f": "DOUBLE", "d": "DECIMAL(10,2)", "s": "STRING"},
    **{"t": "TIMESTAMP", "n": "TIMESTAMP_NTZ", "day": "DATE", "x": "BINARY", "l": "ARRAY<STRING>"},
    **{"st": "STRUCT<q: INT, r: ARRAY<DOUBLE>>", "m": "MAP<STRING,BIGINT>"},
}
_TYPES = tuple((name, types.parse(kind)) for name, kind in _KINDS.items())
_ROWS = pa.table(
    {
        "i": pa.array([1, None, -5], pa.int64()),
        "j": pa.array([1, None, -5], pa.int32()),
        "b": pa.array([True, None, False]),
        "f": pa.array([1.5, None, 0.0]),
        "d": pa.array([Decimal("0.01"), None, Decimal("12.50")], pa.decimal128(10, 2)),
        "s": pa.array(["a", None, ""]),
        "t": pa.array([datetime(2024, 1, 1, tzinfo=UTC), None, datetime(1960, 1, 1, 1, 2, 3, 4, tzinfo=UTC)]),
        "n": pa.array([datetime(2024, 1, 1), None, datetime(1, 1, 1)], pa.timestamp("us")),
        "day": pa.array([date(2024, 1, 1), None, date(1, 1, 1)]),
        "x": pa.array([b"\xff\x00", None, b""]),
        "l": pa.array([["a", "b"], [], []], pa.list_(pa.string())),
        "st": pa.array([{"q": 1, "r": [1.5]}, None, {"q": None, "r": []}]),
        "m": pa.array([[("k", 1)], [], []], pa.map_(pa.string(), pa.int64())),
    }
).cast(
    pa.schema(
        [
            *((name, kind) for name, kind in (("i", pa.int64()), ("j", pa.int32()), ("b", pa.bool_()))),
            *((name, kind) for name, kind in (("f", pa.float64()), ("d", pa.decimal128(10, 2)), ("s", pa.string()))),
            *(("t", pa.timestamp("us", "UTC")), ("n", pa.timestamp("us")), ("day", pa.date32()), ("x", pa.binary())),
            ("l", pa.list_(pa.string())),
            ("st", pa.struct([("q", pa.int32()), ("r", pa.list_(pa.float64()))])),
            ("m", pa.map_(pa.string(), pa.int64())),
        ]
    )
)


def _again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def _without_fault(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert [row.pop("_fault") for row in rows] == [None] * len(rows)
    return rows


def test_avro_by_the_column_list_keeps_every_value() -> None:
    encoder = _again(AvroEncoder(json.dumps(avro_schema(_ROWS.schema, "some-topic"))))
    decoder = _again(AvroDecoder(_ROWS.schema, _TYPES, encoder.schema))
    assert _without_fault(decoder(encoder(_ROWS)).to_pylist()) == _ROWS.to_pylist()


def test_protobuf_by_the_column_list_keeps_every_value() -> None:
    encoder = _again(ProtobufEncoder(ProtoSources(proto_text(_ROWS.schema, "m")), "m", tuple(_ROWS.schema.names)))
    decoder = _again(ProtobufDecoder(_ROWS.schema, _TYPES, encoder.sources))
    assert _without_fault(decoder(encoder(_ROWS)).to_pylist()) == _ROWS.to_pylist()


def test_bad_bytes_cost_one_record_and_say_why() -> None:
    columns, kinds = pa.schema([("a", pa.int64())]), (("a", types.BIGINT),)
    schema = json.dumps({"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}]})
    found = AvroDecoder(columns, kinds, schema)(pa.array([b"\x02", b"", b"\x02\x02", None], pa.binary())).to_pylist()
    assert [row["a"] for row in found] == [1, None, None, None]
    assert found[1]["_fault"].startswith("the bytes are not a record of the schema")
    assert found[2]["_fault"] == "1 bytes are left behind the record"
    assert found[3]["_fault"] is None
    proto = ProtobufDecoder(columns, kinds, ProtoSources('syntax = "proto3"; message M { int64 a = 1; }'))
    told = proto(pa.array([b"\x08\x01", b"\xff", b""], pa.binary())).to_pylist()
    assert [row["a"] for row in told] == [1, None, 0]
    assert told[1]["_fault"].startswith("the bytes are not a message of the schema")


def test_a_value_that_does_not_fit_costs_its_record_only() -> None:
    schema = json.dumps({"type": "record", "name": "r", "fields": [{"name": "A", "type": "long"}]})
    decoder = AvroDecoder(pa.schema([("a", pa.int8())]), (("a", types.TINYINT),), schema)
    found = decoder(pa.array([b"\x02", b"\x80\x10"], pa.binary())).to_pylist()
    assert (found[0]["a"], found[1]["a"]) == (1, None)
    assert found[1]["_fault"].startswith("a value does not fit its column: ")


def test_a_schema_of_another_type_is_a_fault_that_names_both() -> None:
    schema = json.dumps({"type": "record", "name": "r", "fields": [{"name": "t", "type": "long"}]})
    decoder = AvroDecoder(pa.schema([("t", pa.timestamp("us", "UTC"))]), (("t", types.TIMESTAMP),), schema)
    [found] = decoder(pa.array([b"\x02"])).to_pylist()
    assert found["_fault"] == "column 't' is TIMESTAMP, and BIGINT in the schema of the record"


def test_unions_of_several_types_times_of_a_day_and_enums_are_read_as_spark_reads_them() -> None:
    schema = {
        "type": "record",
        "name": "r",
        "fields": [
            {"name": "u", "type": ["null", "string", "long", {"type": "array", "items": "long"}]},
            {"name": "at", "type": {"type": "int", "logicalType": "time-millis"}},
            {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
            {"name": "m", "type": {"type": "map", "values": ["null", "long"]}},
        ],
    }
    union = pa.struct([("member0", pa.string()), ("member1", pa.int64()), ("member2", pa.list_(pa.int64()))])
    columns = pa.schema([("u", union), ("at", pa.int32()), ("e", pa.string()), ("m", pa.map_(pa.string(), pa.int64()))])
    kinds = {
        "u": "STRUCT<member0: STRING, member1: BIGINT, member2: ARRAY<BIGINT>>",
        **{"at": "INT", "e": "STRING", "m": "MAP<STRING,BIGINT>"},
    }
    data = []
    for value in ("x", 7, [1, 2], None):
        out = io.BytesIO()
        record = {"u": value, "at": datetime(2026, 1, 1, 0, 0, 1).time(), "e": "B", "m": {"k": None}}
        fastavro.schemaless_writer(out, fastavro.parse_schema(schema), record)
        data.append(out.getvalue())
    decoder = AvroDecoder(columns, tuple((n, types.parse(k)) for n, k in kinds.items()), json.dumps(schema))
    found = _without_fault(decoder(pa.array(data)).to_pylist())
    assert [row["u"] for row in found] == [
        {"member0": "x", "member1": None, "member2": None},
        {"member0": None, "member1": 7, "member2": None},
        {"member0": None, "member1": None, "member2": [1, 2]},
        None,
    ]
    assert (found[0]["at"], found[0]["e"], found[0]["m"]) == (1000, "B", [("k", None)])


_PROTO = """
syntax = "proto3";
package shop;
import "google/protobuf/wrappers.proto";
message Other { int32 x = 1; }
message Order {
  enum State { NEW = 0; PAID = 5; }
  message Line { string sku = 1; uint64 count = 2; }
  State state = 1;
  repeated Line lines = 2;
  map<int32, Line> by_place = 3;
  google.protobuf.Int64Value maybe = 4;
  oneof way { string post = 5; bytes box = 6; }
  repeated sint32 deltas = 7;
}
"""


def test_messages_of_a_file_are_read_with_enums_maps_wrappers_and_absent_fields() -> None:
    classes = ProtoClasses(ProtoSources(_PROTO))
    names = ("state", "lines", "by_place", "maybe", "box", "deltas")
    write = writer(classes, "shop.Order", names)
    full = write(["PAID", [{"sku": "a", "count": 2**64 - 1}], [(3, {"sku": "b", "count": 1})], 0, b"\xff", [-1, 2]])
    line = pa.struct([("sku", pa.string()), ("count", pa.decimal128(20, 0))])
    columns = pa.schema(
        [
            *(("state", pa.string()), ("lines", pa.list_(line)), ("by_place", pa.map_(pa.int32(), line))),
            *(("maybe", pa.int64()), ("post", pa.string()), ("box", pa.binary()), ("deltas", pa.list_(pa.int32()))),
        ]
    )
    told = "STRUCT<sku: STRING, count: DECIMAL(20,0)>"
    kinds = {
        **{"state": "STRING", "lines": f"ARRAY<{told}>", "by_place": f"MAP<INT,{told}>", "maybe": "BIGINT"},
        **{"post": "STRING", "box": "BINARY", "deltas": "ARRAY<INT>"},
    }
    decoder = ProtobufDecoder(
        columns, tuple((n, types.parse(k)) for n, k in kinds.items()), ProtoSources(_PROTO), "Order"
    )
    first, empty = _without_fault(decoder(pa.array([full, b""], pa.binary())).to_pylist())
    assert first == {
        "state": "PAID",
        "lines": [{"sku": "a", "count": Decimal(2**64 - 1)}],
        "by_place": [(3, {"sku": "b", "count": Decimal(1)})],
        "maybe": 0,
        "post": None,
        "box": b"\xff",
        "deltas": [-1, 2],
    }
    assert (empty["state"], empty["maybe"], empty["lines"]) == ("NEW", None, [])


def test_framing_tells_the_schema_and_the_place_of_a_message() -> None:
    data = framed(70_000) + place_bytes((1, 200)) + b"rest"
    assert schema_number(data) == 70_000
    place, start = message_place(data)
    assert (place, data[start:]) == ((1, 200), b"rest")
    assert message_place(framed(1) + place_bytes((0,)) + b"x") == ((0,), 6)
    assert ProtoClasses(ProtoSources(_PROTO)).types.place("shop.Order.Line") == (1, 0)
    for bad in (b"", b"\x01\x00\x00\x00\x01", b"\x00\x00\x00"):
        with pytest.raises(Unframed):
            schema_number(bad)


def test_keys_are_texts() -> None:
    plain = KeyDecoder("avro", '"string"')
    assert plain(pa.array([b"\x04ab", None, b"\x04"], pa.binary())).field("key").to_pylist() == ["ab", None, None]
    record = KeyDecoder("protobuf", sources=ProtoSources('syntax = "proto3"; message K { int64 a = 1; }'))
    assert record(pa.array([b"\x08\x07"])).to_pylist() == [{"key": '{"a":7}', "_fault": None}]
    with pytest.raises(InvalidSchema, match="keys of format avro need a schema"):
        KeyDecoder("avro")


def test_columns_that_a_format_cannot_hold_are_refused_by_name() -> None:
    with pytest.raises(InvalidSchema, match="'a b' cannot be the name of an Avro field"):
        avro_schema(pa.schema([("a b", pa.int64())]), "x")
    with pytest.raises(InvalidSchema, match="Avro has no type for duration"):
        avro_schema(pa.schema([("a", pa.duration("us"))]), "x")
    with pytest.raises(InvalidSchema, match="has no field for column 'z'"):
        writer(ProtoClasses(ProtoSources(_PROTO)), "shop.Order", ["z"])
