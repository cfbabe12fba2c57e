"""An Avro schema for columns: what is written where nobody gives one, and what a column list says of plain records.

Every column may be NULL: its type is a union of null with what it is, and its default is null.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from velostream.errors import InvalidSchema

if TYPE_CHECKING:
    import pyarrow as pa


def avro_schema(columns: pa.Schema, name: str) -> dict[str, Any]:
    """The schema of a record with these columns; `name` is made one that Avro takes."""
    return _record(list(columns), _name(name))


def _record(fields: list[pa.Field], name: str) -> dict[str, Any]:
    members = []
    for field in fields:
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", field.name):
            hint = "give the column another name with AS"
            raise InvalidSchema(f"'{field.name}' cannot be the name of an Avro field", hint=hint)
        members.append({"name": field.name, "type": _nullable(field.type, f"{name}_{field.name}"), "default": None})
    return {"type": "record", "name": name, "fields": members}


def _nullable(kind: pa.DataType, name: str) -> list[Any]:
    return ["null", _type(kind, name)]


def _type(kind: pa.DataType, name: str) -> Any:
    import pyarrow as pa

    types = pa.types
    plain = {
        **dict.fromkeys((pa.int8(), pa.int16(), pa.int32()), "int"),
        **{pa.int64(): "long", pa.float32(): "float", pa.float64(): "double", pa.bool_(): "boolean"},
        **{pa.string(): "string", pa.large_string(): "string", pa.binary(): "bytes", pa.large_binary(): "bytes"},
        pa.date32(): {"type": "int", "logicalType": "date"},
    }.get(kind)
    if plain is not None:
        return plain
    if types.is_timestamp(kind):
        return {"type": "long", "logicalType": "timestamp-micros" if kind.tz else "local-timestamp-micros"}
    if types.is_decimal(kind):
        return {"type": "bytes", "logicalType": "decimal", "precision": kind.precision, "scale": kind.scale}
    if types.is_struct(kind):
        return _record(list(kind), name)
    if types.is_map(kind) and types.is_string(kind.key_type):
        return {"type": "map", "values": _nullable(kind.item_type, f"{name}_value")}
    if types.is_list(kind) or types.is_large_list(kind):
        return {"type": "array", "items": _nullable(kind.value_type, f"{name}_item")}
    raise InvalidSchema(f"Avro has no type for {kind}, the type of '{name}'", hint="cast it to a type that it has")


def _name(text: str) -> str:
    plain = re.sub("[^A-Za-z0-9_]", "_", text)
    return plain if re.match("[A-Za-z_]", plain) else f"_{plain}"
