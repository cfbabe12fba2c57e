"""Columns of Parquet files, from their footers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream import types
from velostream.errors import InvalidSchema
from velostream.formats.field import Field
from velostream.types import Type

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    from velostream.lazy import lazy

    pa, pq = lazy("pyarrow"), lazy("pyarrow.parquet")

_SIMPLE: dict[str, Type] = {
    "bool": types.BOOLEAN,
    "int8": types.TINYINT,
    "int16": types.SMALLINT,
    "int32": types.INT,
    "int64": types.BIGINT,
    "uint8": types.SMALLINT,
    "uint16": types.INT,
    "uint32": types.BIGINT,
    "uint64": types.decimal(20, 0),
    "halffloat": types.FLOAT,
    "float": types.FLOAT,
    "double": types.DOUBLE,
    "string": types.STRING,
    "large_string": types.STRING,
    "string_view": types.STRING,
    "binary": types.BINARY,
    "large_binary": types.BINARY,
    "date32[day]": types.DATE,
    "date64[ms]": types.DATE,
    "null": types.STRING,
}


def infer_parquet(path: Path) -> tuple[Field, ...]:
    """The columns of a Parquet file."""
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise InvalidSchema(f"'{path.name}' is not a Parquet file: {error}") from None
    return tuple(Field(column.name, _type(column.type, column.name), column.nullable) for column in schema)


def _type(kind: Any, path: str) -> Type:
    simple = _SIMPLE.get(str(kind))
    if simple is not None:
        return simple
    if pa.types.is_timestamp(kind):
        return types.TIMESTAMP if kind.tz else types.TIMESTAMP_NTZ
    if pa.types.is_decimal(kind) and 0 <= kind.scale <= kind.precision <= 38:
        return types.decimal(kind.precision, kind.scale)
    if pa.types.is_fixed_size_binary(kind):
        return types.BINARY
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return types.array(_type(kind.value_type, f"{path}[]"))
    if pa.types.is_map(kind):
        return types.map_of(_type(kind.key_type, path), _type(kind.item_type, path))
    if pa.types.is_struct(kind):
        return types.struct(*((member.name, _type(member.type, f"{path}.{member.name}")) for member in kind))
    if pa.types.is_dictionary(kind):
        return _type(kind.value_type, path)
    raise InvalidSchema(f"column '{path}' has a type that Spark does not have: {kind}")
