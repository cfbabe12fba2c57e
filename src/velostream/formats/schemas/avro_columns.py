"""Columns of rows as the values that an Avro schema takes: numbers for times, pairs as maps, names as it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_UNITS = {"timestamp-millis": 1_000, "local-timestamp-millis": 1_000}


def avro_values(rows: pa.Table | pa.RecordBatch, schema: Any) -> tuple[list[str], list[list[Any]]]:
    """The names of the fields and for each the values of its column."""
    told = {member["name"].casefold(): member for member in schema["fields"]}
    names, columns = [], []
    for name, column in zip(rows.schema.names, rows.columns, strict=True):
        member = told[name.casefold()]
        names.append(member["name"])
        columns.append(_values(column, member["type"]))
    return names, columns


def _values(column: Any, schema: Any) -> list[Any]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind):
        # A number for each is many times faster than a time for each.
        unit = _UNITS.get(_logical(schema), 1)
        micros: list[int | None] = column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64()).to_pylist()
        return micros if unit == 1 else [None if one is None else one // unit for one in micros]
    if pa.types.is_int64(kind) and _is_int(schema):
        _refuse_large(column)
    values: list[Any] = column.to_pylist()
    return [plain(value, kind) for value in values] if pa.types.is_nested(kind) else values


def _refuse_large(column: Any) -> None:
    """The library would write numbers that do not fit into an `int`, and no reader could read them."""
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    wrong = next((one for one in ends.values() if one is not None and not -(1 << 31) <= one < 1 << 31), None)
    if wrong is not None:
        raise ValueError(f"{wrong} does not fit into an int")


def _is_int(schema: Any) -> bool:
    """True where whole numbers are written as an `int`, and not as a `long`."""
    members = schema if isinstance(schema, list) else [schema]
    kinds = {one.get("type") if isinstance(one, dict) else one for one in members}
    return "int" in kinds and "long" not in kinds


def plain(value: Any, kind: pa.DataType) -> Any:
    """A nested value with maps as dictionaries."""
    import pyarrow as pa

    if value is None or not pa.types.is_nested(kind):
        return value
    if pa.types.is_map(kind):
        return {name: plain(one, kind.item_type) for name, one in value}
    if pa.types.is_struct(kind):
        return {field.name: plain(value[field.name], field.type) for field in kind}
    return [plain(one, kind.value_type) for one in value]


def _logical(schema: Any) -> str:
    """The logical type of a schema, or of what a union of it with null holds."""
    members = schema if isinstance(schema, list) else [schema]
    return next((str(one.get("logicalType", "")) for one in members if isinstance(one, dict)), "")
