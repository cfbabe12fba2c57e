"""Rows as JSON carries them, and back: beside them stand the types of their columns, so that nothing is guessed.

Numbers that JSON may lose (decimals, whole numbers beyond 2^53, NaN) are texts, times have ISO's form with a Z, bytes
are in base64, maps are lists of pairs.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from velostream import types
from velostream.types import Type, array, decimal, map_of, parse, struct

if TYPE_CHECKING:
    import pyarrow as pa

EXACT = 2**53
"""Whole numbers up to this are the same in every reader of JSON."""


def said(value: Any) -> Any:
    """A value of Python as JSON has it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -EXACT <= value <= EXACT else str(value)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if value.tzinfo else value.isoformat()
    if isinstance(value, date | time_of_day):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(name): said(each) for name, each in value.items()}
    return [said(each) for each in value] if isinstance(value, list | tuple) else str(value)


def type_of(kind: pa.DataType) -> Type:
    """What SQL calls a type of Arrow; one that it does not know is shown as text."""
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return decimal(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return types.TIMESTAMP if kind.tz else types.TIMESTAMP_NTZ
    if pa.types.is_map(kind):
        return map_of(type_of(kind.key_type), type_of(kind.item_type))
    if pa.types.is_struct(kind):
        return struct(*((each.name, type_of(each.type)) for each in kind))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return array(type_of(kind.value_type))
    known = {name: each for each, name in _simple().items()} | {pa.large_binary(): "BINARY"}
    return Type(known.get(kind, "STRING"))


def arrow_type(kind: Type) -> pa.DataType:
    """The type of Arrow that holds the values of a type."""
    import pyarrow as pa

    if kind.name == "DECIMAL":
        return pa.decimal128(kind.precision or 10, kind.scale or 0)
    if kind.name == "ARRAY":
        return pa.list_(arrow_type(kind.arguments[0]))
    if kind.name == "MAP":
        return pa.map_(*map(arrow_type, kind.arguments))
    if kind.name == "STRUCT":
        return pa.struct([(name, arrow_type(each)) for name, each in kind.fields])
    return _simple().get(kind.name, pa.string())


def _simple() -> dict[str, pa.DataType]:
    import pyarrow as pa

    return {
        **{"BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32()},
        **{"BIGINT": pa.int64(), "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "STRING": pa.string()},
        **{"BINARY": pa.binary(), "DATE": pa.date32(), "VOID": pa.null()},
        **{"TIMESTAMP": pa.timestamp("us", "UTC"), "TIMESTAMP_NTZ": pa.timestamp("us")},
    }


_READ: dict[str, Callable[[Any], Any]] = {
    "DECIMAL": Decimal,
    "BINARY": base64.b64decode,
    "DATE": date.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
    "TIMESTAMP_NTZ": datetime.fromisoformat,
    "STRING": str,
    **dict.fromkeys(types.INTEGRAL, int),
    **dict.fromkeys(("FLOAT", "DOUBLE"), float),
}


def meant(value: Any, kind: Type) -> Any:
    """The value of Python that `said` has made JSON of."""
    if value is None:
        return None
    if kind.name == "ARRAY":
        return [meant(each, kind.arguments[0]) for each in value]
    if kind.name == "MAP":
        pairs = value.items() if isinstance(value, Mapping) else value
        return [(meant(key, kind.arguments[0]), meant(each, kind.arguments[1])) for key, each in pairs]
    if kind.name == "STRUCT":
        return {name: meant(value.get(name), each) for name, each in kind.fields}
    return _READ.get(kind.name, lambda same: same)(value)


def table_of(columns: Sequence[str], kinds: Sequence[str], rows: Sequence[Sequence[Any]]) -> pa.Table:
    """Rows of JSON as Arrow, by the names of their types."""
    import pyarrow as pa

    known = [parse(each) for each in kinds]
    arrays = [pa.array([meant(row[place], kind) for row in rows], arrow_type(kind)) for place, kind in enumerate(known)]
    return pa.table(arrays, list(columns))


def kinds_of(rows: Sequence[Sequence[Any]], columns: int) -> list[str]:
    """The types of columns that nobody has declared, by their values: numbers, yes and no, else text."""
    return [_kind([row[place] for row in rows if row[place] is not None]) for place in range(columns)]


def _kind(values: Sequence[Any]) -> str:
    for kind, name in ((bool, "BOOLEAN"), (int, "BIGINT"), (int | float, "DOUBLE")):
        if values and all(isinstance(each, kind) and (kind is bool or not isinstance(each, bool)) for each in values):
            return name
    return "STRING"
