"""Frames as bytes between the stages: Arrow IPC in one cell, so that a shuffle moves few rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def pack(frame: pl.DataFrame) -> bytes:
    """A frame as bytes."""
    buffer = io.BytesIO()
    frame.write_ipc_stream(buffer)
    return buffer.getvalue()


def unpack(payload: bytes) -> pl.DataFrame:
    """The frame that bytes hold."""
    import polars

    return polars.read_ipc_stream(io.BytesIO(payload))


def typed(frame: pl.DataFrame, schema: pa.Schema) -> list[pa.RecordBatch]:
    """The frame's columns in the order and with the types of an Arrow schema."""
    import pyarrow as pa

    table = frame.select(schema.names).to_arrow()
    columns = [
        pa.nulls(table.num_rows, field.type) if pa.types.is_null(column.type) else column.cast(field.type)
        for field, column in zip(schema, table.columns, strict=True)
    ]
    return list(pa.table(columns, schema=schema).to_batches())
