"""Spark SQL's types as plain values, so that checking needs no JVM: parse a spelling, show it, compare."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.errors import InvalidType


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its Spark name, and what it is made of. Show it with `str`."""

    name: str
    arguments: tuple[Type, ...] = ()
    fields: tuple[tuple[str, Type], ...] = ()
    precision: int | None = None
    scale: int | None = None

    def __str__(self) -> str:
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision},{self.scale})"
        if self.name == "STRUCT":
            return "STRUCT<" + ", ".join(f"{name}: {kind}" for name, kind in self.fields) + ">"
        if self.arguments:
            return f"{self.name}<" + ", ".join(map(str, self.arguments)) + ">"
        return self.name

    @property
    def is_numeric(self) -> bool:
        """A number of any kind."""
        return self.name in NUMERIC

    @property
    def is_integral(self) -> bool:
        """A whole number."""
        return self.name in INTEGRAL

    @property
    def is_time(self) -> bool:
        """A point in time with a time of day: what a window can be on."""
        return self.name in ("TIMESTAMP", "TIMESTAMP_NTZ")

    @property
    def is_temporal(self) -> bool:
        """A date or a point in time."""
        return self.is_time or self.name == "DATE"

    @property
    def is_known(self) -> bool:
        """False for what can only be known by running."""
        return self.name != "UNKNOWN"


UNKNOWN = Type("UNKNOWN")
NULL = Type("VOID")
BOOLEAN = Type("BOOLEAN")
TINYINT = Type("TINYINT")
SMALLINT = Type("SMALLINT")
INT = Type("INT")
BIGINT = Type("BIGINT")
FLOAT = Type("FLOAT")
DOUBLE = Type("DOUBLE")
STRING = Type("STRING")
BINARY = Type("BINARY")
DATE = Type("DATE")
TIMESTAMP = Type("TIMESTAMP")
TIMESTAMP_NTZ = Type("TIMESTAMP_NTZ")
INTERVAL = Type("INTERVAL")
VARIANT = Type("VARIANT")

INTEGRAL = ("TINYINT", "SMALLINT", "INT", "BIGINT")
NUMERIC = (*INTEGRAL, "DECIMAL", "FLOAT", "DOUBLE")

_SIMPLE: dict[str, Type] = {
    **{kind.name: kind for kind in (BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, DATE)},
    **{kind.name: kind for kind in (TIMESTAMP, TIMESTAMP_NTZ, INTERVAL, VARIANT, NULL)},
    "BOOL": BOOLEAN,
    "BYTE": TINYINT,
    "SHORT": SMALLINT,
    "INTEGER": INT,
    "LONG": BIGINT,
    "REAL": FLOAT,
    "TEXT": STRING,
    "VARCHAR": STRING,
    "CHAR": STRING,
    "BYTES": BINARY,
    "VARBINARY": BINARY,
    "TIMESTAMP_LTZ": TIMESTAMP,
    "TIMESTAMPTZ": TIMESTAMP,
    "TIMESTAMPLTZ": TIMESTAMP,
    "TIMESTAMPNTZ": TIMESTAMP_NTZ,
    "DATETIME": TIMESTAMP,
    "NULL": NULL,
}
# A length or a fraction of seconds may stand after these; Spark keeps text of any length and microseconds.
_SIZED = {name for name in _SIMPLE if name.startswith("TIMESTAMP")} | {"VARCHAR", "CHAR", "VARBINARY"}
_TOKEN = re.compile(r"\s*(`[^`]+`|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|.)")


def decimal(precision: int = 10, scale: int = 0) -> Type:
    """`DECIMAL(precision, scale)` within Spark's bounds."""
    if not (1 <= precision <= 38 and 0 <= scale <= precision):
        message = f"DECIMAL({precision},{scale}) is out of bounds"
        raise InvalidType(message, hint="precision 1 to 38, scale 0 to the precision")
    return Type("DECIMAL", precision=precision, scale=scale)


def array(element: Type) -> Type:
    """`ARRAY<element>`."""
    return Type("ARRAY", (element,))


def map_of(key: Type, value: Type) -> Type:
    """`MAP<key, value>`."""
    return Type("MAP", (key, value))


def struct(*fields: tuple[str, Type]) -> Type:
    """`STRUCT<name: type, …>`."""
    return Type("STRUCT", fields=fields)


HEADERS = array(struct(("key", STRING), ("value", BINARY)))
"""The headers of a message: keys may come more than once, and have an order."""


def parse(text: str) -> Type:
    """The type that a spelling means: Spark's names, and those that Flink and ksqlDB users type."""
    tokens = [match[1] for match in _TOKEN.finditer(text.strip()) if match[1].strip()]
    kind, rest = _parse(tokens, text)
    if rest:
        raise InvalidType(f"'{text}' is not a type", hint=f"'{' '.join(rest)}' is not understood after {kind}")
    return kind


def _parse(tokens: list[str], text: str) -> tuple[Type, list[str]]:
    if not tokens:
        hint = "use a Spark SQL type such as BIGINT, STRING, DECIMAL(10,2), ARRAY<STRING>"
        raise InvalidType(f"'{text}' is not a type", hint=hint)
    name, rest = tokens[0].upper(), tokens[1:]
    if name in ("DECIMAL", "DEC", "NUMERIC"):
        numbers, rest = _numbers(rest, text)
        if len(numbers) > 2:
            raise InvalidType(f"'{text}' is not a type", hint="DECIMAL takes a precision and a scale: DECIMAL(10,2)")
        return decimal(*numbers), rest
    if name == "DOUBLE" and rest[:1] and rest[0].upper() == "PRECISION":
        return DOUBLE, rest[1:]
    if name == "INTERVAL":
        while rest and rest[0].upper() in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "TO"):
            rest = rest[1:]
        return INTERVAL, rest
    if name in ("ARRAY", "MAP", "STRUCT", "ROW"):
        return _nested("STRUCT" if name == "ROW" else name, rest, text)
    if name not in _SIMPLE:
        from velostream.registry import did_you_mean

        hint = did_you_mean(tokens[0], [*_SIMPLE, "DECIMAL", "ARRAY", "MAP", "STRUCT"])
        raise InvalidType(f"'{tokens[0]}' is not a type", hint=hint or "use a Spark SQL type")
    if name in _SIZED:
        _, rest = _numbers(rest, text)
    if name == "TIMESTAMP":
        words = [word.upper() for word in rest[:4]]
        if words == ["WITH", "LOCAL", "TIME", "ZONE"]:
            return TIMESTAMP, rest[4:]
        if words[:3] == ["WITHOUT", "TIME", "ZONE"]:
            return TIMESTAMP_NTZ, rest[3:]
    return _SIMPLE[name], rest


def _numbers(tokens: list[str], text: str) -> tuple[list[int], list[str]]:
    if tokens[:1] != ["("]:
        return [], tokens
    end = tokens.index(")") if ")" in tokens else -1
    inside = tokens[1:end]
    if end < 0 or not inside or any(not word.isdigit() for word in inside[::2]) or any(w != "," for w in inside[1::2]):
        raise InvalidType(f"'{text}' is not a type", hint="numbers are expected between ( and )")
    return [int(word) for word in inside[::2]], tokens[end + 1 :]


def _nested(name: str, tokens: list[str], text: str) -> tuple[Type, list[str]]:
    closing = {"<": ">", "(": ")"}.get(tokens[0]) if tokens else None
    if closing is None:
        raise InvalidType(f"'{text}' is not a type", hint=f"{name} needs what it is made of: {name}<…>")
    arguments: list[Type] = []
    fields: list[tuple[str, Type]] = []
    rest = tokens[1:]
    while rest and rest[0] != closing:
        if name == "STRUCT":
            label, rest = rest[0].strip("`"), rest[1:]
            kind, rest = _parse(rest[1:] if rest[:1] == [":"] else rest, text)
            fields.append((label, kind))
        else:
            kind, rest = _parse(rest, text)
            arguments.append(kind)
        if rest[:1] == [","] and rest[1:2] != [closing]:
            rest = rest[1:]
        elif rest[:1] != [closing]:
            break
    expected = {"ARRAY": 1, "MAP": 2, "STRUCT": 0}[name]
    if rest[:1] != [closing] or len(arguments) != expected:
        raise InvalidType(f"'{text}' is not a type", hint="write ARRAY<T>, MAP<K, V> or STRUCT<name: T, …>")
    return Type(name, tuple(arguments), tuple(fields)), rest[1:]
