"""Arrow rows as the text that PostgreSQL copies in: every value as its type reads it, NULL apart from empty text."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import TYPE_CHECKING, Any

from velostream.formats.encoding.json_texts import json_texts
from velostream.sinks.writers.database_arrays import array_texts

if TYPE_CHECKING:
    import pyarrow as pa

PIECE = 50_000
"""Rows that are sent at a time."""


def copied(table: pa.Table, arrays: Container[str] = ()) -> Iterator[memoryview]:
    """The rows as CSV in pieces: text in quotes, NULL as nothing; lists as JSON, as arrays in the columns `arrays`."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.WriteOptions(include_header=False, quoting_style="needed", batch_size=PIECE)
    for first in range(0, table.num_rows, PIECE):
        piece = table.slice(first, PIECE)
        whole = {name: column.combine_chunks() for name, column in zip(piece.column_names, piece.columns, strict=True)}
        columns = [_readable(column, is_array=name in arrays) for name, column in whole.items()]
        out = pa.BufferOutputStream()
        csv.write_csv(pa.table(columns, names=piece.column_names), out, options)
        yield memoryview(out.getvalue())


def _readable(column: Any, *, is_array: bool) -> Any:
    """A column in a form that CSV and PostgreSQL both have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    types = pa.types
    if is_array and (types.is_list(kind) or types.is_large_list(kind)):
        return array_texts(column)
    if types.is_nested(kind):
        return pc.if_else(column.is_null(), None, json_texts(column))
    if types.is_binary(kind) or types.is_large_binary(kind):
        return pa.array([None if value is None else f"\\x{value.hex()}" for value in column.to_pylist()], pa.string())
    if types.is_duration(kind):
        lengths = column.cast(pa.duration("us"), safe=False).cast(pa.int64())
        return pa.array([None if value is None else _interval(value) for value in lengths.to_pylist()], pa.string())
    if types.is_null(kind):
        return column.cast(pa.string())
    return column


def _interval(micros: int) -> str:
    seconds, rest = divmod(abs(micros), 1_000_000)
    return f"{'-' if micros < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:06d}"
