"""JSON Schema as columns: the properties of an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.types import Type

_SIMPLE: dict[str, Type] = {
    "integer": types.BIGINT,
    "number": types.DOUBLE,
    "boolean": types.BOOLEAN,
    "null": types.NULL,
}
_FORMATS: dict[str, Type] = {"date-time": types.TIMESTAMP, "date": types.DATE}


def read_json_schema(text: str) -> tuple[Field, ...]:
    """The columns of a JSON Schema, which must describe an object."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise InvalidSchema(f"not JSON: {error}") from None
    if not isinstance(schema, dict):
        raise InvalidSchema("the schema is not an object", hint="columns come from the properties of an object")
    reader = _Reader(schema)
    root, _ = reader.plain(schema, "")
    if not isinstance(root.get("properties"), dict) or not root["properties"]:
        raise InvalidSchema("the schema has no properties", hint="columns come from the properties of an object")
    return reader.fields(root, "", ())


class _Reader:
    """Reads one schema; follows references inside of it."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root

    def fields(self, schema: Mapping[str, Any], path: str, above: tuple[str, ...]) -> tuple[Field, ...]:
        required = schema.get("required", [])
        found = []
        for name, member in schema["properties"].items():
            kind, nullable = self.type(member, f"{path}.{name}" if path else name, above)
            found.append(Field(name, kind, nullable or name not in required))
        return tuple(found)

    def plain(self, schema: Any, path: str) -> tuple[Mapping[str, Any], str]:
        """The schema behind a reference, and the reference."""
        if not isinstance(schema, dict):
            raise InvalidSchema(f"field '{path}' has no schema")
        reference = schema.get("$ref")
        if reference is None:
            return schema, ""
        found: Any = self.root
        for step in str(reference).removeprefix("#").strip("/").split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if not str(reference).startswith("#/") or not isinstance(found, dict):
            hint = "only references inside of the file are followed: #/$defs/Name"
            raise InvalidSchema(f"field '{path}': '{reference}' is not there", hint=hint)
        return found, str(reference)

    def type(self, schema: Any, path: str, above: tuple[str, ...]) -> tuple[Type, bool]:
        """The type of a schema, and whether it may be NULL."""
        plain, reference = self.plain(schema, path)
        if reference and reference in above:
            hint = "Spark has no types that hold themselves"
            raise InvalidSchema(f"field '{path}': '{reference}' holds itself", hint=hint)
        inside = (*above, reference) if reference else above
        for word in ("oneOf", "anyOf"):
            if word in plain:
                return self._one_of([self.type(member, path, inside) for member in plain[word]], path)
        if "enum" in plain and "type" not in plain:
            return self._one_of([(_of_value(value), value is None) for value in plain["enum"]], path)
        names = plain.get("type")
        if isinstance(names, list):
            return self._one_of([(self._named(name, plain, path, inside), name == "null") for name in names], path)
        if names is None and "properties" in plain:
            names = "object"
        return self._named(names, plain, path, inside), names == "null"

    def _named(self, name: Any, schema: Mapping[str, Any], path: str, above: tuple[str, ...]) -> Type:
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name == "string":
            return _FORMATS.get(str(schema.get("format")), types.STRING)
        if name == "array":
            return types.array(self.type(schema.get("items"), f"{path}[]", above)[0])
        if name == "object":
            if schema.get("properties"):
                members = self.fields(schema, path, above)
                return types.struct(*((member.name, member.type) for member in members))
            values = schema.get("additionalProperties")
            kind = self.type(values, f"{path}[]", above)[0] if isinstance(values, dict) else types.STRING
            return types.map_of(types.STRING, kind)
        raise InvalidSchema(f"field '{path}' has no type that is known: {name!r}")

    def _one_of(self, members: list[tuple[Type, bool]], path: str) -> tuple[Type, bool]:
        """Several possible types: one beside NULL is that one; numbers of both kinds are DOUBLE."""
        kinds = {kind for kind, _ in members if kind != types.NULL}
        nullable = any(null or kind == types.NULL for kind, null in members)
        if kinds == {types.BIGINT, types.DOUBLE}:
            kinds = {types.DOUBLE}
        if len(kinds) != 1:
            shown = ", ".join(sorted(map(str, kinds))) or "nothing"
            raise InvalidSchema(f"field '{path}' may be of several types: {shown}", hint="a column has one type")
        return kinds.pop(), nullable


def _of_value(value: Any) -> Type:
    if isinstance(value, bool):
        return types.BOOLEAN
    if isinstance(value, int):
        return types.BIGINT
    if isinstance(value, float):
        return types.DOUBLE
    return types.NULL if value is None else types.STRING
