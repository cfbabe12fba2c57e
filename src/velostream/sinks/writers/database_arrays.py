"""Lists as PostgreSQL writes arrays, for columns that are arrays: `{1,NULL,"a \\" b"}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.formats.encoding.json_texts import json_texts

if TYPE_CHECKING:
    import pyarrow as pa


def array_texts(column: pa.Array) -> pa.Array:
    """A text for each list of a column; NULL where there is none."""
    import pyarrow as pa

    parts = [None if one is None else str(one) for one in _parts(column.flatten())]
    made: list[str | None] = []
    place = 0
    for length in column.value_lengths().to_pylist():
        if length is None:
            made.append(None)
            continue
        made.append("{" + ",".join("NULL" if one is None else one for one in parts[place : place + length]) + "}")
        place += length
    return pa.array(made, pa.string())


def _parts(values: Any) -> list[Any]:
    """The elements as they stand in an array: numbers as they are, all else in quotes."""
    import pyarrow as pa

    kind, types = values.type, pa.types
    if types.is_list(kind) or types.is_large_list(kind):
        found: list[Any] = array_texts(values).to_pylist()
        return found
    if types.is_nested(kind):
        return [_quoted(text) if there else None for text, there in _json(values)]
    if types.is_binary(kind) or types.is_large_binary(kind):
        return [None if value is None else _quoted(f"\\x{value.hex()}") for value in values.to_pylist()]
    if types.is_floating(kind) or types.is_integer(kind) or types.is_decimal(kind) or types.is_boolean(kind):
        return list(values.to_pylist())
    texts = values.cast(pa.string()).to_pylist()
    return [None if text is None else _quoted(text) for text in texts]


def _json(values: Any) -> list[tuple[str, bool]]:
    return list(zip(json_texts(values).to_pylist(), values.is_valid().to_pylist(), strict=True))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
