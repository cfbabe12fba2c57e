"""Protobuf messages as columns. Unsigned numbers get the next larger type, so that every value fits."""

from __future__ import annotations

from pathlib import Path

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.proto_file import ProtoField
from velostream.formats.schemas.proto_sources import ProtoTypes, candidates, gather
from velostream.registry import did_you_mean
from velostream.types import Type

SCALARS: dict[str, Type] = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), types.INT),
    **dict.fromkeys(("int64", "sint64", "sfixed64", "uint32", "fixed32"), types.BIGINT),
    **dict.fromkeys(("uint64", "fixed64"), types.decimal(20, 0)),
    "float": types.FLOAT,
    "double": types.DOUBLE,
    "bool": types.BOOLEAN,
    "string": types.STRING,
    "bytes": types.BINARY,
}
WELL_KNOWN: dict[str, Type] = {
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "google.protobuf.Duration": types.INTERVAL,
    "google.protobuf.StringValue": types.STRING,
    "google.protobuf.BytesValue": types.BINARY,
    "google.protobuf.BoolValue": types.BOOLEAN,
    "google.protobuf.Int32Value": types.INT,
    "google.protobuf.Int64Value": types.BIGINT,
    "google.protobuf.UInt32Value": types.BIGINT,
    "google.protobuf.UInt64Value": types.decimal(20, 0),
    "google.protobuf.FloatValue": types.FLOAT,
    "google.protobuf.DoubleValue": types.DOUBLE,
}


def read_protobuf(path: Path, text: str, message: str = "") -> tuple[Field, ...]:
    """The columns of a message of a file: the one that is named, or the only one."""
    return message_columns(ProtoTypes.of(gather(path, text)), message)


def message_columns(types_of: ProtoTypes, message: str = "") -> tuple[Field, ...]:
    """The columns of a message."""
    return _Reader(types_of).columns(types_of.chosen(message), ())


class _Reader:
    """Makes columns of messages."""

    def __init__(self, known: ProtoTypes) -> None:
        self.known = known

    def columns(self, message: str, above: tuple[str, ...]) -> tuple[Field, ...]:
        if message in above:
            hint = "Spark has no types that hold themselves"
            raise InvalidSchema(f"message '{message}' holds itself", hint=hint)
        fields, syntax = self.known.messages[message]
        if not fields:
            raise InvalidSchema(f"message '{message}' has no fields")
        return tuple(self._column(one, message, syntax, (*above, message)) for one in fields)

    def _column(self, one: ProtoField, scope: str, syntax: str, above: tuple[str, ...]) -> Field:
        kind, is_message = self._type(one.type, one.name, scope, above)
        if one.map_key:
            return Field(one.name, types.map_of(SCALARS.get(one.map_key, types.STRING), kind), nullable=False)
        if one.label == "repeated":
            return Field(one.name, types.array(kind), nullable=False)
        always = one.label == "required" or (syntax == "proto3" and not one.label)
        return Field(one.name, kind, nullable=not always or is_message or one.one_of)

    def _type(self, name: str, field: str, scope: str, above: tuple[str, ...]) -> tuple[Type, bool]:
        """The type of a field, and whether it is a message, which may be absent."""
        if name in SCALARS:
            return SCALARS[name], False
        well_known = next((full for full in candidates(name, scope) if full in WELL_KNOWN), None)
        if well_known is not None:
            return WELL_KNOWN[well_known], True
        full = self.known.resolved(name, scope)
        if full is None:
            hint = did_you_mean(name, (*SCALARS, *self.known.messages), "types")
            raise InvalidSchema(f"field '{field}' has the unknown type '{name}'", hint=hint)
        if full in self.known.enums:
            return types.STRING, False
        members = self.columns(full, above)
        return types.struct(*((member.name, member.type) for member in members)), True
