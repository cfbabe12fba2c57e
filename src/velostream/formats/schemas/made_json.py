"""A JSON Schema for columns: what a registry is told of rows that are written as JSON. Every column may be null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def json_schema(columns: pa.Schema, name: str) -> dict[str, Any]:
    """The schema of objects with these columns."""
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": name, **_object(list(columns))}


def _object(fields: list[pa.Field]) -> dict[str, Any]:
    return {"type": "object", "properties": {field.name: _type(field.type) for field in fields}}


def _type(kind: pa.DataType) -> dict[str, Any]:
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        return {"oneOf": [{"type": "null"}, _object(list(kind))]}
    if types.is_list(kind) or types.is_large_list(kind):
        return {"type": ["array", "null"], "items": _type(kind.value_type)}
    if types.is_map(kind):
        return {"type": ["object", "null"], "additionalProperties": _type(kind.item_type)}
    if types.is_boolean(kind):
        return {"type": ["boolean", "null"]}
    if types.is_integer(kind):
        return {"type": ["integer", "null"]}
    if types.is_decimal(kind):
        return {"type": ["number", "null"]}
    if types.is_floating(kind):
        # NaN and the infinities are texts.
        return {"type": ["number", "string", "null"]}
    if types.is_timestamp(kind) and kind.tz:
        return {"type": ["string", "null"], "format": "date-time"}
    return {"type": ["string", "null"], **({"format": "date"} if types.is_date(kind) else {})}
