"""JSON Schema becomes columns."""

import json
from typing import Any

import pytest

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.json_schema import read_json_schema


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ({"type": "string"}, types.STRING, False),
        ({"type": "integer"}, types.BIGINT, False),
        ({"type": "number"}, types.DOUBLE, False),
        ({"type": "boolean"}, types.BOOLEAN, False),
        ({"type": "string", "format": "date-time"}, types.TIMESTAMP, False),
        ({"type": "string", "format": "date"}, types.DATE, False),
        ({"type": "string", "format": "email"}, types.STRING, False),
        ({"type": ["string", "null"]}, types.STRING, True),
        ({"type": ["integer", "number"]}, types.DOUBLE, False),
        ({"type": "null"}, types.NULL, True),
        ({"type": "array", "items": {"type": "integer"}}, types.array(types.BIGINT), False),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, types.struct(("a", types.STRING)), False),
        ({"properties": {"a": {"type": "string"}}}, types.struct(("a", types.STRING)), False),
        (
            {"type": "object", "additionalProperties": {"type": "number"}},
            types.map_of(types.STRING, types.DOUBLE),
            False,
        ),
        ({"type": "object"}, types.map_of(types.STRING, types.STRING), False),
        ({"enum": ["a", "b"]}, types.STRING, False),
        ({"enum": [1, 2.5, None]}, types.DOUBLE, True),
        ({"enum": [True]}, types.BOOLEAN, False),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, types.BIGINT, True),
        ({"$ref": "#/$defs/Money"}, types.struct(("amount", types.DOUBLE)), False),
    ],
)
def test_types(schema: Any, kind: types.Type, nullable: bool) -> None:
    definitions = {"Money": {"type": "object", "properties": {"amount": {"type": "number"}}}}
    text = json.dumps({"type": "object", "properties": {"f": schema}, "required": ["f"], "$defs": definitions})
    assert read_json_schema(text) == (Field("f", kind, nullable),)


def test_what_is_not_required_may_be_missing() -> None:
    assert read_json_schema('{"properties": {"a": {"type": "string"}}}')[0].nullable


def test_the_whole_may_be_a_reference() -> None:
    text = '{"$ref": "#/definitions/T", "definitions": {"T": {"properties": {"a": {"type": "string"}}}}}'
    assert [field.name for field in read_json_schema(text)] == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "not JSON"),
        ("[]", "not an object"),
        ('{"type": "object"}', "no properties"),
        ('{"properties": {"a": 5}}', "field 'a' has no schema"),
        ('{"properties": {"a": {}}}', "field 'a' has no type"),
        ('{"properties": {"a": {"type": "text"}}}', "'text'"),
        ('{"properties": {"a": {"type": ["string", "integer"]}}}', "several types: BIGINT, STRING"),
        ('{"properties": {"a": {"enum": [null]}}}', "several types: nothing"),
        ('{"properties": {"a": {"$ref": "#/$defs/X"}}}', "'#/$defs/X' is not there"),
        ('{"properties": {"a": {"$ref": "other.json"}}}', "'other.json' is not there"),
        (
            '{"properties": {"a": {"$ref": "#/$defs/X"}}, '
            '"$defs": {"X": {"properties": {"x": {"$ref": "#/$defs/X"}}}}}',
            "holds itself",
        ),
    ],
)
def test_what_is_not_a_schema_of_columns(text: str, message: str) -> None:
    with pytest.raises(InvalidSchema) as refusal:
        read_json_schema(text)
    assert message in refusal.value.message
