"""Avro schemas become columns with Spark's types."""

import json
from typing import Any

import pytest

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.avro import read_avro


def columns(*fields: Any, **more: Any) -> tuple[Field, ...]:
    members = [{"name": f"f{index}", "type": kind} for index, kind in enumerate(fields)]
    return read_avro(json.dumps({"type": "record", "name": "R", "fields": members} | more))


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ("boolean", types.BOOLEAN, False),
        ("int", types.INT, False),
        ("long", types.BIGINT, False),
        ("float", types.FLOAT, False),
        ("double", types.DOUBLE, False),
        ("bytes", types.BINARY, False),
        ("string", types.STRING, False),
        ("null", types.NULL, True),
        ({"type": "string"}, types.STRING, False),
        ({"type": {"type": "long"}}, types.BIGINT, False),
        (["null", "string"], types.STRING, True),
        (["string"], types.STRING, False),
        (["int", "long"], types.BIGINT, False),
        (["null", "float", "double"], types.DOUBLE, True),
        (["null"], types.NULL, True),
        (["int", "string"], types.struct(("member0", types.INT), ("member1", types.STRING)), False),
        ({"type": "int", "logicalType": "date"}, types.DATE, False),
        ({"type": "long", "logicalType": "timestamp-millis"}, types.TIMESTAMP, False),
        ({"type": "long", "logicalType": "timestamp-micros"}, types.TIMESTAMP, False),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, types.TIMESTAMP_NTZ, False),
        ({"type": "string", "logicalType": "uuid"}, types.STRING, False),
        ({"type": "int", "logicalType": "time-millis"}, types.INT, False),
        ({"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}, types.decimal(10, 2), False),
        (
            {"type": "fixed", "name": "F", "size": 8, "logicalType": "decimal", "precision": 18},
            types.decimal(18, 0),
            False,
        ),
        ({"type": "fixed", "name": "F", "size": 16}, types.BINARY, False),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, types.STRING, False),
        ({"type": "array", "items": ["null", "int"]}, types.array(types.INT), False),
        ({"type": "map", "values": "long"}, types.map_of(types.STRING, types.BIGINT), False),
        (
            {"type": "record", "name": "I", "fields": [{"name": "a", "type": "int"}]},
            types.struct(("a", types.INT)),
            False,
        ),
    ],
)
def test_types(schema: Any, kind: types.Type, nullable: bool) -> None:
    assert columns(schema) == (Field("f0", kind, nullable),)


def test_a_type_that_was_named_may_be_used_again_by_short_or_full_name() -> None:
    side = {"type": "enum", "name": "Side", "symbols": ["BUY", "SELL"]}
    found = columns(side, "Side", "shop.Side", ["null", "shop.Side"], namespace="shop")
    assert [field.type for field in found] == [types.STRING] * 4


def test_a_full_name_brings_its_namespace() -> None:
    inner = {
        "type": "record",
        "name": "other.I",
        "fields": [{"name": "e", "type": {"type": "fixed", "name": "X", "size": 1}}],
    }
    assert columns(inner, "other.X")[1].type == types.BINARY


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('"string"', "not a record"),
        ('{"type": "enum"}', "not a record"),
        ('{"type": "record", "name": "R", "fields": []}', "has no fields"),
        ('{"type": "record", "name": "R", "fields": [{"name": "a"}]}', "no name or no type"),
        (
            '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "Nope"}]}',
            "'a' has the unknown type 'Nope'",
        ),
        ('{"type": "record", "name": "R", "fields": [{"name": "a", "type": 5}]}', "field 'a' has no type"),
        ('{"type": "record", "name": "R", "fields": [{"name": "a", "type": ["null", "R"]}]}', "'R' holds itself"),
        (
            '{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "array", "items": "x"}}]}',
            "field 'a[]' has the unknown type 'x'",
        ),
        (
            '{"type": "record", "name": "R", "fields": '
            '[{"name": "a", "type": {"type": "bytes", "logicalType": "decimal"}}]}',
            "a decimal needs a precision",
        ),
        (
            '{"type": "record", "name": "R", "fields": '
            '[{"name": "a", "type": {"type": "bytes", "logicalType": "decimal", "precision": 50}}]}',
            "out of bounds",
        ),
    ],
)
def test_what_is_not_a_schema_of_columns(text: str, message: str) -> None:
    with pytest.raises(InvalidSchema) as refusal:
        read_avro(text)
    assert message in refusal.value.message


def test_a_misspelt_type_is_told_with_those_that_there_are() -> None:
    with pytest.raises(InvalidSchema) as refused:
        read_avro('{"type": "record", "name": "R", "fields": [{"name": "a", "type": "strng"}]}')
    assert refused.value.hint.startswith("did you mean 'string'? types: null, boolean, int, long")
