"""A .proto text for columns: what is written where nobody gives one, and what a column list says of messages.

Fields are numbered from 1 in the order of the columns. Decimals, dates and times without a zone are texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from velostream.errors import InvalidSchema

if TYPE_CHECKING:
    import pyarrow as pa

_HEAD = 'syntax = "proto3";\nimport "google/protobuf/timestamp.proto";\nimport "google/protobuf/duration.proto";\n'


def proto_text(columns: pa.Schema, name: str) -> str:
    """The text of a file with one message that has these columns."""
    plain = re.sub("[^A-Za-z0-9_]", "_", name)
    return _HEAD + _message(list(columns), plain if re.match("[A-Za-z_]", plain) else f"_{plain}")


def _message(fields: list[pa.Field], name: str) -> str:
    inner: list[str] = []
    lines = []
    for number, field in enumerate(fields, start=1):
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", field.name):
            hint = "give the column another name with AS"
            raise InvalidSchema(f"'{field.name}' cannot be the name of a Protobuf field", hint=hint)
        kind = _field(field.type, f"{field.name}_type", inner)
        lines.append(f"  {kind} {field.name} = {number};")
    return "\n".join([f"message {name} {{", *inner, *lines, "}"])


def _field(kind: pa.DataType, name: str, inner: list[str]) -> str:
    import pyarrow as pa

    types = pa.types
    if types.is_map(kind):
        if not (types.is_string(kind.key_type) or types.is_integer(kind.key_type)):
            raise InvalidSchema(f"Protobuf has no map with keys of type {kind.key_type}", hint="cast the keys to text")
        return f"map<{_type(kind.key_type, name, inner)}, {_type(kind.item_type, name, inner)}>"
    if types.is_list(kind) or types.is_large_list(kind):
        return f"repeated {_type(kind.value_type, name, inner)}"
    return f"optional {_type(kind, name, inner)}"


def _type(kind: pa.DataType, name: str, inner: list[str]) -> str:
    import pyarrow as pa

    types = pa.types
    plain: str | None = {
        **dict.fromkeys((pa.int8(), pa.int16(), pa.int32()), "int32"),
        **{pa.int64(): "int64", pa.float32(): "float", pa.float64(): "double", pa.bool_(): "bool"},
        **{pa.string(): "string", pa.large_string(): "string", pa.binary(): "bytes", pa.large_binary(): "bytes"},
        pa.date32(): "string",
    }.get(kind)
    if plain is not None:
        return plain
    if types.is_timestamp(kind):
        return "google.protobuf.Timestamp" if kind.tz else "string"
    if types.is_duration(kind):
        return "google.protobuf.Duration"
    if types.is_decimal(kind):
        return "string"
    if types.is_struct(kind):
        inner.append(_message(list(kind), name))
        return name
    raise InvalidSchema(f"Protobuf has no type for {kind}, the type of '{name}'", hint="cast it to a type that it has")
