"""The Polars type that holds values of a Spark type, as they come over Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.errors import InvalidType
from velostream.lazy import lazy
from velostream.types import Type

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

_SIMPLE = {
    "BOOLEAN": "Boolean",
    "TINYINT": "Int8",
    "SMALLINT": "Int16",
    "INT": "Int32",
    "BIGINT": "Int64",
    "FLOAT": "Float32",
    "DOUBLE": "Float64",
    "STRING": "String",
    "BINARY": "Binary",
    "DATE": "Date",
}


def dtype(kind: Type) -> pl.DataType:
    """The Polars type of values of `kind`."""
    if kind.name in _SIMPLE:
        simple: pl.DataType = getattr(pl, _SIMPLE[kind.name])()
        return simple
    match kind.name:
        case "DECIMAL":
            return pl.Decimal(kind.precision, kind.scale or 0)
        case "TIMESTAMP":
            return pl.Datetime("us", "UTC")
        case "TIMESTAMP_NTZ":
            return pl.Datetime("us")
        case "INTERVAL":
            return pl.Duration("us")
        case "ARRAY":
            return pl.List(dtype(kind.arguments[0]))
        case "MAP":
            return pl.Map(dtype(kind.arguments[0]), dtype(kind.arguments[1]))
        case "STRUCT":
            return pl.Struct({name: dtype(field) for name, field in kind.fields})
    raise InvalidType(
        f"values of type {kind} cannot be aggregated", hint="cast it to a type that Arrow has, such as STRING"
    )
