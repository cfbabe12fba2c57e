"""Values of Avro records as the columns have them: names in any letter case, unions of several types as structs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

Convert = Callable[[Any], Any]
_PYTHON: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "int": (int,),
    "long": (int,),
    "float": (float,),
    "double": (float,),
    "bytes": (bytes,),
    "fixed": (bytes,),
    "string": (str,),
    "enum": (str,),
    "array": (list,),
    "map": (dict,),
    "record": (dict,),
}
_LOGICAL: dict[str, tuple[type, ...]] = {
    "decimal": (Decimal,),
    "date": (date,),
    "time-millis": (time,),
    "time-micros": (time,),
    **dict.fromkeys(
        ("timestamp-millis", "timestamp-micros", "local-timestamp-millis", "local-timestamp-micros"), (datetime,)
    ),
}


def converter(schema: Any, names: Sequence[str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What makes a record of the columns `names` of one that the library read by a schema; often nothing is to do."""
    convert = _of(schema, {})
    told = {member["name"].casefold(): member["name"] for member in schema["fields"]}
    moved = {name: told[name.casefold()] for name in names if told.get(name.casefold(), name) != name}
    if convert is None and not moved:
        return lambda record: record

    def made(record: dict[str, Any]) -> dict[str, Any]:
        record = record if convert is None else convert(record)
        return {**record, **{name: record[held] for name, held in moved.items()}} if moved else record

    return made


def _of(schema: Any, named: dict[str, Any]) -> Convert | None:
    """What has to be done with values of a schema; None for nothing."""
    if isinstance(schema, str):
        return _of(named[schema], named) if schema in named else None
    if isinstance(schema, list):
        return _union(schema, named)
    kind = schema["type"]
    if isinstance(kind, dict | list):
        return _of(kind, named)
    if "name" in schema:
        named[schema["name"]] = schema
    if kind == "record":
        return _record(schema, named)
    inner = _of(schema.get("items") or schema.get("values"), named) if kind in ("array", "map") else None
    if kind == "map":
        return lambda value: [(name, inner(one) if inner else one) for name, one in value.items()]
    if inner is not None:
        return lambda value: [inner(one) for one in value]
    if schema.get("logicalType", "").startswith("time-") or schema.get("logicalType") == "uuid":
        return _without_logic(schema["logicalType"])
    return None


def _without_logic(logical: str) -> Convert:
    """Times of a day and UUIDs are read as the numbers and texts that they are stored as."""
    if logical == "uuid":
        return str
    unit = 1_000 if logical == "time-millis" else 1
    return lambda at: (((at.hour * 60 + at.minute) * 60 + at.second) * 1_000_000 + at.microsecond) // unit


def _record(schema: Any, named: dict[str, Any]) -> Convert | None:
    todo = [(member["name"], _of(member["type"], named)) for member in schema["fields"]]
    needed = [(name, convert) for name, convert in todo if convert is not None]
    if not needed:
        return None

    def made(record: dict[str, Any]) -> dict[str, Any]:
        changed = {name: convert(record[name]) for name, convert in needed if record.get(name) is not None}
        return {**record, **changed}

    return made


def _union(members: list[Any], named: dict[str, Any]) -> Convert | None:
    rest = [one for one in members if one != "null"]
    if len(rest) < 2:
        return _of(rest[0], named) if rest else None
    kinds = {one if isinstance(one, str) else one["type"] for one in rest}
    if kinds in ({"int", "long"}, {"float", "double"}):
        return None
    choices = [(f"member{index}", _types(one, named), _of(one, named)) for index, one in enumerate(rest)]

    def chosen(value: Any) -> dict[str, Any]:
        for name, types, convert in choices:
            if type(value) in types:
                return {name: convert(value) if convert is not None else value}
        raise TypeError(f"{value!r} is none of the types of its union")

    return chosen


def _types(schema: Any, named: dict[str, Any]) -> tuple[type, ...]:
    if isinstance(schema, str):
        return _PYTHON[schema] if schema in _PYTHON else _types(named[schema], named)
    logical = _LOGICAL.get(schema.get("logicalType", ""))
    return logical or _types(schema["type"], named)
