"""Messages of a .proto text as classes that read and write their bytes, without a compiler.

The wire knows numbers and kinds of fields, not names: so all messages are made in one file under names of our own,
enums are numbers, and maps are what they are on the wire, lists of pairs.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from velostream.errors import InvalidSchema
from velostream.formats.schemas.proto_file import ProtoField
from velostream.formats.schemas.proto_sources import ProtoSources, ProtoTypes, candidates

PACKABLE = (
    *("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64"),
    *("float", "double", "bool"),
)
SCALARS = (*PACKABLE, "string", "bytes")
_PAIR = (("seconds", "int64"), ("nanos", "int32"))
WELL_KNOWN: dict[str, tuple[tuple[str, str], ...]] = {
    "google.protobuf.Timestamp": _PAIR,
    "google.protobuf.Duration": _PAIR,
    **{
        f"google.protobuf.{name}Value": (("value", kind),)
        for name, kind in (
            *(("String", "string"), ("Bytes", "bytes"), ("Bool", "bool"), ("Int32", "int32"), ("Int64", "int64")),
            *(("UInt32", "uint32"), ("UInt64", "uint64"), ("Float", "float"), ("Double", "double")),
        )
    },
}
"""The fields of the messages that everybody knows, numbered from 1."""


class ProtoClasses:
    """The classes of the messages of some texts. A field's attribute is `f` and its number."""

    def __init__(self, sources: ProtoSources) -> None:
        self.types = ProtoTypes.of(sources)
        self.names: dict[str, str] = {}

    def named(self, message: str) -> Any:
        """The class of a message by its full name."""
        return self._classes[self.names[message]]

    def pair(self, message: str, one: ProtoField) -> Any:
        """The class of the pairs of a map."""
        return self._classes[self.names[f"{message}#{one.number}"]]

    def kind(self, one: ProtoField, scope: str) -> tuple[str, str]:
        """What a field is: `scalar`, `enum`, `known` or `message`, and its full name."""
        if one.type in SCALARS:
            return "scalar", one.type
        known = next((full for full in candidates(one.type, scope) if full in WELL_KNOWN), None)
        if known is not None:
            return "known", known
        full = self.types.resolved(one.type, scope)
        if full is None:
            raise InvalidSchema(f"field '{one.name}' has the unknown type '{one.type}'")
        return ("enum" if full in self.types.enums else "message"), full

    @cached_property
    def _classes(self) -> dict[str, Any]:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

        file = descriptor_pb2.FileDescriptorProto(name="velostream.proto", syntax="proto2")
        for known, members in WELL_KNOWN.items():
            made = self._message(file, known)
            for number, (_, kind) in enumerate(members, start=1):
                self._add(made, number, kind, repeated=False)
        everything = {**self.types.messages}
        for full in everything:
            self._message(file, full)
        for full, (fields, syntax) in everything.items():
            made = next(one for one in file.message_type if one.name == self.names[full])
            for one in fields:
                self._field(file, made, full, one, packs=syntax == "proto3")
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in self.names.values()}

    def _message(self, file: Any, full: str) -> Any:
        self.names[full] = f"M{len(self.names)}"
        return file.message_type.add(name=self.names[full])

    def _field(self, file: Any, made: Any, scope: str, one: ProtoField, *, packs: bool) -> None:
        kind = self._wire(one, scope)
        if one.map_key:
            pair = self._message(file, f"{scope}#{one.number}")
            self._add(pair, 1, one.map_key, repeated=False)
            self._add(pair, 2, kind, repeated=False)
            self._add(made, one.number, self.names[f"{scope}#{one.number}"], repeated=True)
            return
        repeated = one.label == "repeated"
        self._add(made, one.number, kind, repeated=repeated, packed=repeated and packs and kind in PACKABLE)

    def _wire(self, one: ProtoField, scope: str) -> str:
        what, full = self.kind(one, scope)
        return {"scalar": one.type, "enum": "int32"}.get(what) or self.names[full]

    def _add(self, made: Any, number: int, kind: str, *, repeated: bool, packed: bool = False) -> None:
        from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Wire

        label = Wire.LABEL_REPEATED if repeated else Wire.LABEL_OPTIONAL
        added = made.field.add(name=f"f{number}", number=number, label=label)
        if kind in SCALARS:
            added.type = getattr(Wire, f"TYPE_{kind.upper()}")
            if packed:
                added.options.packed = True
        else:
            added.type, added.type_name = Wire.TYPE_MESSAGE, f".{kind}"
