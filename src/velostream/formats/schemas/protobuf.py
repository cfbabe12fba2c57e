"""Protobuf messages as columns. Unsigned numbers get the next larger type, so that every value fits."""

from __future__ import annotations

from pathlib import Path

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.formats.schemas.proto_file import ProtoField, ProtoFile, parse_proto
from velostream.registry import did_you_mean
from velostream.types import Type

_SCALARS: dict[str, Type] = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), types.INT),
    **dict.fromkeys(("int64", "sint64", "sfixed64", "uint32", "fixed32"), types.BIGINT),
    **dict.fromkeys(("uint64", "fixed64"), types.decimal(20, 0)),
    "float": types.FLOAT,
    "double": types.DOUBLE,
    "bool": types.BOOLEAN,
    "string": types.STRING,
    "bytes": types.BINARY,
}
_WELL_KNOWN: dict[str, Type] = {
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
    """The columns of a message: the one that is named, or the only one of the file."""
    reader = _Reader(path)
    file = reader.load(text, path)
    if not file.messages:
        raise InvalidSchema("there is no message")
    if message:
        name = next((full for full in file.messages if full == message or full.endswith(f".{message}")), None)
    else:
        # Messages inside of others describe parts of them.
        outer = [full for full in file.messages if full.rpartition(".")[0] not in file.messages]
        if len(outer) > 1:
            hint = f"set schema.message to one of {', '.join(outer)}"
            raise InvalidSchema("there are several messages", hint=hint)
        name = outer[0]
    if name is None:
        hint = did_you_mean(message, file.messages, "messages")
        raise InvalidSchema(f"there is no message '{message}'", hint=hint)
    return reader.columns(name, ())


class _Reader:
    """Knows the messages and enums of a file and of all that it imports."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.loaded: set[Path] = set()
        self.messages: dict[str, tuple[list[ProtoField], str]] = {}
        self.enums: set[str] = set()

    def load(self, text: str, path: Path) -> ProtoFile:
        self.loaded.add(path.resolve())
        file = parse_proto(text)
        self.messages |= {name: (fields, file.syntax) for name, fields in file.messages.items()}
        self.enums |= file.enums
        for name in file.imports:
            if not name.startswith("google/protobuf/"):
                self._import(name, path)
        return file

    def _import(self, name: str, importer: Path) -> None:
        """Imports are relative to a folder that only protoc is told: look from here upwards."""
        for folder in (importer.parent, *self.root.resolve().parents):
            path = folder / name
            if path.is_file():
                if path.resolve() not in self.loaded:
                    self.load(path.read_text("utf-8"), path)
                return
        raise InvalidSchema(f"'{name}', which '{importer.name}' imports, is not there")

    def columns(self, message: str, above: tuple[str, ...]) -> tuple[Field, ...]:
        if message in above:
            hint = "Spark has no types that hold themselves"
            raise InvalidSchema(f"message '{message}' holds itself", hint=hint)
        fields, syntax = self.messages[message]
        if not fields:
            raise InvalidSchema(f"message '{message}' has no fields")
        return tuple(self._column(one, message, syntax, (*above, message)) for one in fields)

    def _column(self, one: ProtoField, scope: str, syntax: str, above: tuple[str, ...]) -> Field:
        kind, is_message = self._type(one.type, one.name, scope, above)
        if one.map_key:
            return Field(one.name, types.map_of(_SCALARS.get(one.map_key, types.STRING), kind), nullable=False)
        if one.label == "repeated":
            return Field(one.name, types.array(kind), nullable=False)
        always = one.label == "required" or (syntax == "proto3" and not one.label)
        return Field(one.name, kind, nullable=not always or is_message or one.one_of)

    def _type(self, name: str, field: str, scope: str, above: tuple[str, ...]) -> tuple[Type, bool]:
        """The type of a field, and whether it is a message, which may be absent."""
        if name in _SCALARS:
            return _SCALARS[name], False
        for full in _candidates(name, scope):
            if full in _WELL_KNOWN:
                return _WELL_KNOWN[full], True
            if full in self.enums:
                return types.STRING, False
            if full in self.messages:
                members = self.columns(full, above)
                return types.struct(*((member.name, member.type) for member in members)), True
        raise InvalidSchema(f"field '{field}' has the unknown type '{name}'", hint=did_you_mean(name, self.messages))


def _candidates(name: str, scope: str) -> list[str]:
    """The full names that a name may mean, the innermost scope first."""
    if name.startswith("."):
        return [name[1:]]
    parts = scope.split(".")
    return [".".join((*parts[:length], name)) for length in range(len(parts), -1, -1)]
