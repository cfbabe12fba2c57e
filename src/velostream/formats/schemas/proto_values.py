"""Values of Protobuf messages as columns have them, and back: enums by name, times as times, absent fields NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from operator import attrgetter
from typing import Any

from velostream.errors import InvalidSchema
from velostream.formats.schemas.proto_classes import ProtoClasses
from velostream.formats.schemas.proto_file import ProtoField
from velostream.types import Type

Value = Callable[[Any], Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000
_TIMESTAMP, _DURATION = "google.protobuf.Timestamp", "google.protobuf.Duration"


def _text(value: Any) -> str:
    return format(value, "f") if isinstance(value, Decimal) else value if isinstance(value, str) else str(value)


def _whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(f"{value} is not a whole number")
    return int(value)


_SCALARS: dict[str, Value] = {
    "string": _text,
    "bytes": lambda value: value.encode() if isinstance(value, str) else value,
    "bool": bool,
    "float": float,
    "double": float,
}
"""What a field of a type is set to; the others are whole numbers."""
FROM_TEXT: dict[str, Value] = {
    "DECIMAL": Decimal,
    "DATE": date.fromisoformat,
    "TIMESTAMP_NTZ": datetime.fromisoformat,
}
"""Types of columns that Protobuf has no form for: they are texts there."""


def reader(
    classes: ProtoClasses, message: str, columns: Sequence[tuple[str, Type]]
) -> Callable[[bytes], dict[str, Any]]:
    """What makes a record of the columns from the bytes of a message."""
    fields, syntax = classes.types.messages[message]
    told = {one.name.casefold(): one for one in fields}
    getters = [
        (name, _column(classes, message, syntax, told[name.casefold()], kind))
        for name, kind in columns
        if name.casefold() in told
    ]
    made = classes.named(message)

    def read(data: bytes) -> dict[str, Any]:
        found = made.FromString(data)
        return {name: get(found) for name, get in getters}

    return read


def _column(classes: ProtoClasses, scope: str, syntax: str, one: ProtoField, kind: Type) -> Value:
    get, made = _getter(classes, scope, syntax, one), FROM_TEXT.get(kind.name)
    if made is None or one.type != "string" or one.label == "repeated":
        return get

    def read(message: Any) -> Any:
        text = get(message)
        return made(text) if text else None

    return read


def _getter(classes: ProtoClasses, scope: str, syntax: str, one: ProtoField) -> Value:
    name = f"f{one.number}"
    held, value = attrgetter(name), _read(classes, scope, one)
    if one.map_key:
        return lambda message: [(pair.f1, value(pair.f2)) for pair in held(message)]
    if one.label == "repeated":
        return lambda message: [value(each) for each in held(message)]
    what, _ = classes.kind(one, scope)
    always = syntax == "proto3" and not one.label and not one.one_of and what in ("scalar", "enum")
    if always and what == "scalar":
        return held
    if always:
        return lambda message: value(held(message))
    return lambda message: value(held(message)) if message.HasField(name) else None


def _read(classes: ProtoClasses, scope: str, one: ProtoField) -> Value:
    what, full = classes.kind(one, scope)
    if what == "enum":
        names = {number: name for name, number in reversed(list(classes.types.enums[full].items()))}
        return lambda number: names.get(number, str(number))
    if full == _TIMESTAMP:
        return lambda at: _EPOCH + timedelta(seconds=at.f1, microseconds=at.f2 // 1_000)
    if full == _DURATION:
        return lambda length: timedelta(seconds=length.f1, microseconds=int(length.f2 / 1_000))
    if what == "known":
        return attrgetter("f1")
    if what == "scalar":
        return lambda value: value
    fields, syntax = classes.types.messages[full]
    getters = [(member.name, _getter(classes, full, syntax, member)) for member in fields]
    return lambda message: {name: get(message) for name, get in getters}


def writer(classes: ProtoClasses, message: str, names: Iterable[str]) -> Callable[[Sequence[Any]], bytes]:
    """What makes the bytes of a message from values of the columns `names`; each must be a field."""
    fields, syntax = classes.types.messages[message]
    told = {one.name.casefold(): one for one in fields}
    missing = next((name for name in names if name.casefold() not in told), None)
    if missing is not None:
        hint = f"add the field, or select one of {', '.join(one.name for one in fields)}"
        raise InvalidSchema(f"message '{message}' has no field for column '{missing}'", hint=hint)
    setters = [_setter(classes, message, syntax, told[name.casefold()]) for name in names]
    made = classes.named(message)

    def write(values: Sequence[Any]) -> bytes:
        target = made()
        for put, value in zip(setters, values, strict=True):
            if value is not None:
                put(target, value)
        data: bytes = target.SerializeToString(deterministic=True)
        return data

    return write


def _setter(classes: ProtoClasses, scope: str, syntax: str, one: ProtoField) -> Callable[[Any, Any], None]:
    name = f"f{one.number}"
    what, _ = classes.kind(one, scope)
    fill = _fill(classes, scope, one)
    if one.map_key:
        plain = what in ("scalar", "enum")
        return lambda target, pairs: _put_pairs(getattr(target, name), _held(pairs, one), fill, plain=plain)
    if one.label == "repeated":
        if what in ("scalar", "enum"):
            return lambda target, values: getattr(target, name).extend(map(fill, _without_null(values, one)))
        return lambda target, values: _put_messages(getattr(target, name), _without_null(values, one), fill)
    if what in ("scalar", "enum"):
        implicit = syntax == "proto3" and not one.label and not one.one_of

        def put(target: Any, value: Any) -> None:
            given = fill(value)
            if not (implicit and not given):
                setattr(target, name, given)

        return put
    return lambda target, value: fill(value, getattr(target, name))


def _without_null(values: Any, one: ProtoField) -> Any:
    """The values of a list, in which Protobuf has no form for NULL."""
    if any(value is None for value in values):
        raise ValueError(f"field '{one.name}' holds NULL in a list or map, which Protobuf has no form for")
    return values


def _held(pairs: Any, one: ProtoField) -> Any:
    """The pairs of a map, whose values cannot be NULL either."""
    _without_null([value for _, value in pairs], one)
    return pairs


def _put_messages(target: Any, values: Any, fill: Any) -> None:
    for value in values:
        fill(value, target.add())


def _put_pairs(target: Any, pairs: Any, fill: Any, *, plain: bool) -> None:
    for key, value in pairs:
        pair = target.add()
        pair.f1 = key
        if plain:
            pair.f2 = fill(value)
        else:
            fill(value, pair.f2)


def _fill(classes: ProtoClasses, scope: str, one: ProtoField) -> Any:
    """For a scalar or enum what makes its value; for a message what puts a value into it."""
    what, full = classes.kind(one, scope)
    if what == "enum":
        numbers = classes.types.enums[full]
        return lambda name: numbers[name] if name in numbers else int(name)
    if what == "scalar":
        return _SCALARS.get(one.type, _whole)
    if what == "known":
        return _fill_known(full)
    fields, syntax = classes.types.messages[full]
    setters = {member.name: _setter(classes, full, syntax, member) for member in fields}

    def fill(value: dict[str, Any], target: Any) -> None:
        target.SetInParent()
        for name, put in setters.items():
            if value.get(name) is not None:
                put(target, value[name])

    return fill


def _fill_known(full: str) -> Callable[[Any, Any], None]:
    def fill(value: Any, target: Any) -> None:
        target.SetInParent()
        if full == _TIMESTAMP:
            micros = (value - _EPOCH) // timedelta(microseconds=1)
            target.f1, target.f2 = micros // _SECOND, micros % _SECOND * 1_000
        elif full == _DURATION:
            micros = value // timedelta(microseconds=1)
            sign = -1 if micros < 0 else 1
            target.f1, target.f2 = sign * (abs(micros) // _SECOND), sign * (abs(micros) % _SECOND) * 1_000
        else:
            target.f1 = int(value) if "Int" in full else value

    return fill
