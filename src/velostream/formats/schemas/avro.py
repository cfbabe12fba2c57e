"""Avro schemas as columns, with the types that Spark gives them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from velostream import types
from velostream.errors import InvalidSchema, VeloError
from velostream.formats.field import Field
from velostream.registry import did_you_mean
from velostream.types import Type

_PRIMITIVES: dict[str, Type] = {
    "boolean": types.BOOLEAN,
    "int": types.INT,
    "long": types.BIGINT,
    "float": types.FLOAT,
    "double": types.DOUBLE,
    "bytes": types.BINARY,
    "string": types.STRING,
}
_COMPLEX = ("record", "enum", "fixed", "array", "map")
_LOGICAL: dict[tuple[str, str], Type] = {
    ("int", "date"): types.DATE,
    ("long", "timestamp-millis"): types.TIMESTAMP,
    ("long", "timestamp-micros"): types.TIMESTAMP,
    ("long", "local-timestamp-millis"): types.TIMESTAMP_NTZ,
    ("long", "local-timestamp-micros"): types.TIMESTAMP_NTZ,
}


def read_avro(text: str) -> tuple[Field, ...]:
    """The columns of an Avro schema, which must be a record."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise InvalidSchema(f"not JSON: {error}", hint="an Avro schema is a JSON object of type record") from None
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise InvalidSchema("the schema is not a record", hint="columns come from the fields of a record")
    return _Reader().fields(schema, "", "")


class _Reader:
    """Reads one schema; knows the types that it names, and which of them it is inside of."""

    def __init__(self) -> None:
        self.named: dict[str, Type] = {}
        self.open: set[str] = set()

    def fields(self, record: Mapping[str, Any], path: str, namespace: str) -> tuple[Field, ...]:
        members = record.get("fields")
        if not isinstance(members, list) or not members:
            raise InvalidSchema(f"record {_quoted(path)}has no fields")
        name, namespace = _full_name(record, namespace)
        self.open.add(name)
        found = []
        for member in members:
            if not isinstance(member, dict) or not isinstance(member.get("name"), str) or "type" not in member:
                raise InvalidSchema(f"a field of record {_quoted(path)}has no name or no type")
            place = f"{path}.{member['name']}" if path else member["name"]
            kind, nullable = self.type(member["type"], place, namespace)
            found.append(Field(member["name"], kind, nullable))
        self.open.discard(name)
        return tuple(found)

    def type(self, schema: Any, path: str, namespace: str) -> tuple[Type, bool]:
        """The type of a schema, and whether it may be NULL."""
        if isinstance(schema, list):
            return self._union(schema, path, namespace)
        if isinstance(schema, str):
            return self._by_name(schema, path, namespace), schema == "null"
        if not isinstance(schema, dict) or "type" not in schema:
            raise InvalidSchema(f"field '{path}' has no type")
        kind = schema["type"]
        if isinstance(kind, (dict, list)):
            return self.type(kind, path, namespace)
        return self._complex(schema, str(kind), path, namespace), kind == "null"

    def _complex(self, schema: Mapping[str, Any], kind: str, path: str, namespace: str) -> Type:
        if schema.get("logicalType") == "decimal" and kind in ("bytes", "fixed"):
            found = _decimal(schema, path)
        elif kind == "record":
            members = self.fields(schema, path, namespace)
            found = types.struct(*((member.name, member.type) for member in members))
        elif kind == "enum":
            found = types.STRING
        elif kind == "fixed":
            found = types.BINARY
        elif kind == "array":
            return types.array(self.type(schema.get("items"), f"{path}[]", namespace)[0])
        elif kind == "map":
            return types.map_of(types.STRING, self.type(schema.get("values"), f"{path}[]", namespace)[0])
        else:
            logical = _LOGICAL.get((kind, str(schema.get("logicalType"))))
            return logical or self._by_name(kind, path, namespace)
        if "name" in schema:
            self.named[_full_name(schema, namespace)[0]] = found
        return found

    def _by_name(self, name: str, path: str, namespace: str) -> Type:
        if name == "null":
            return types.NULL
        if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        for full in (name, f"{namespace}.{name}"):
            if full in self.open:
                hint = "Spark has no types that hold themselves"
                raise InvalidSchema(f"field '{path}': record '{name}' holds itself", hint=hint)
            if full in self.named:
                return self.named[full]
        known = ("null", *_PRIMITIVES, *_COMPLEX, *self.named)
        raise InvalidSchema(f"field '{path}' has the unknown type '{name}'", hint=did_you_mean(name, known, "types"))

    def _union(self, members: list[Any], path: str, namespace: str) -> tuple[Type, bool]:
        kinds = [self.type(member, path, namespace)[0] for member in members]
        nullable = types.NULL in kinds
        rest = [kind for kind in kinds if kind != types.NULL]
        names = {kind.name for kind in rest}
        if not rest:
            return types.NULL, True
        if len(rest) == 1:
            return rest[0], nullable
        if names == {"INT", "BIGINT"}:
            return types.BIGINT, nullable
        if names == {"FLOAT", "DOUBLE"}:
            return types.DOUBLE, nullable
        # As Spark reads a union of several types: a struct of which one member is not NULL.
        return types.struct(*((f"member{index}", kind) for index, kind in enumerate(rest))), nullable


def _decimal(schema: Mapping[str, Any], path: str) -> Type:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int):
        raise InvalidSchema(f"field '{path}': a decimal needs a precision")
    try:
        return types.decimal(precision, scale)
    except VeloError as error:
        raise InvalidSchema(f"field '{path}': {error.message}", hint=error.hint) from None


def _full_name(schema: Mapping[str, Any], namespace: str) -> tuple[str, str]:
    """The full name of a named type, and the namespace that holds for what is inside of it."""
    name, own = str(schema.get("name", "")), str(schema.get("namespace", namespace))
    if "." in name:
        return name, name.rpartition(".")[0]
    return (f"{own}.{name}" if own else name), own


def _quoted(path: str) -> str:
    return f"'{path}' " if path else ""
