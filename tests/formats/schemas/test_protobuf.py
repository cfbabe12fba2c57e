"""Protobuf messages become columns without protoc."""

from pathlib import Path

import pytest

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.protobuf import read_protobuf

TRADE = """
// A trade.
syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
option java_package = "x.y";
extend google.protobuf.FieldOptions { string note = 50000; }

/* what is
   traded */
message Trade {
  option deprecated = false;
  reserved 20, 30 to 40; reserved "old";
  enum Side { UNKNOWN = 0; BUY = 1 [deprecated = true]; }
  message Leg { string venue = 1; optional int32 lot = 2; }
  string symbol = 1 [json_name = "sym;bol"];
  double price = 2;
  uint32 quantity = 3;
  uint64 id = 4;
  Side side = 5;
  google.protobuf.Timestamp at = 6;
  repeated Leg legs = 7;
  map<string, int64> counts = 8;
  optional string note = 9;
  oneof origin { string desk = 10; bytes raw = 11; }
  .shop.v1.Trade.Leg first = 12;
  google.protobuf.Int64Value wrapped = 13;
}
service Trades { rpc Get (Trade) returns (Trade) { option x = 1; } };
"""
LEG = types.struct(("venue", types.STRING), ("lot", types.INT))


def read(text: str, message: str = "", path: Path = Path("x.proto")) -> tuple[Field, ...]:
    return read_protobuf(path, text, message)


def test_the_fields_of_a_message() -> None:
    assert read(TRADE) == (
        Field("symbol", types.STRING, nullable=False),
        Field("price", types.DOUBLE, nullable=False),
        Field("quantity", types.BIGINT, nullable=False),
        Field("id", types.decimal(20, 0), nullable=False),
        Field("side", types.STRING, nullable=False),
        Field("at", types.TIMESTAMP),
        Field("legs", types.array(LEG), nullable=False),
        Field("counts", types.map_of(types.STRING, types.BIGINT), nullable=False),
        Field("note", types.STRING),
        Field("desk", types.STRING),
        Field("raw", types.BINARY),
        Field("first", LEG),
        Field("wrapped", types.BIGINT),
    )


def test_in_proto2_only_what_is_required_is_always_there() -> None:
    found = read("message M { required int32 a = 1; optional int32 b = 2; }")
    assert [field.nullable for field in found] == [False, True]


def test_an_edition_is_read_like_proto3() -> None:
    assert not read('edition = "2023"; message M { int32 a = 1; }')[0].nullable


@pytest.mark.parametrize("message", ["B", "p.B"])
def test_one_of_several_messages_is_chosen_by_name(message: str) -> None:
    assert [
        field.name for field in read("package p; message A { int32 a = 1; } message B { int32 b = 1; }", message)
    ] == ["b"]


def test_imports_are_looked_up_from_the_file_upwards(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "common" / "money.proto").write_text(
        'package common; import public "common/cur.proto"; message Money { Cur c = 1; }'
    )
    (tmp_path / "common" / "cur.proto").write_text('package common; import "common/money.proto"; enum Cur { EUR = 0; }')
    text = 'import "common/money.proto"; message M { common.Money price = 1; }'
    found = read(text, path=tmp_path / "deep" / "m.proto")
    assert found == (Field("price", types.struct(("c", types.STRING))),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no message"),
        ("message M { }", "message 'M' has no fields"),
        ("message A { int32 a = 1; } message B { int32 b = 1; }", "several messages"),
        ("message M { Nope n = 1; }", "field 'n' has the unknown type 'Nope'"),
        ("message M { M m = 1; }", "message 'M' holds itself"),
        ('import "gone.proto"; message M { int32 a = 1; }', "'gone.proto', which 'x.proto' imports, is not there"),
        ("message M { int32 a 1; }", "line 1: '1' is not understood here"),
        ("message M {\n  int32 = 1; }", "line 2: '=' is not understood here"),
        ("message M { int32 a = 1", "the file ends in the middle"),
        ("message M { optional group G = 1 { } }", "'group' is not understood"),
        ("what { }", "'what' is not understood here"),
        ("message M { int32 a = 1; } §", "'§' is not understood"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidSchema) as refusal:
        read(text)
    assert message in refusal.value.message


def test_an_unknown_message_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidSchema) as refusal:
        read(TRADE, "Trad")
    assert "did you mean 'shop.v1.Trade'" in refusal.value.hint


def test_options_inside_of_a_oneof_are_passed_over() -> None:
    assert [field.name for field in read("message M { oneof o { option x = 1; int32 a = 1; } }")] == ["a"]
