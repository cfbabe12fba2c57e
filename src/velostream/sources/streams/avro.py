"""Records of Avro files as the declared columns; what does not fit their types is at fault, record by record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from velostream.errors import InvalidSchema, VeloError
from velostream.formats.decoding.building import FAULT, Fault, built
from velostream.formats.field import Field
from velostream.formats.schemas.avro import read_avro
from velostream.formats.schemas.avro_values import converter
from velostream.sources.streams.opening import open_bytes

ROWS = 50_000
_TEMPORAL = ("TIMESTAMP", "TIMESTAMP_NTZ", "DATE")


def avro_batches(path: str, columns: Sequence[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The records of a file with `columns`, typed as `schema` says; those that the file does not have are NULL."""
    wanted = pa.schema([schema.field(column) for column in columns])
    with _told(path), open_bytes(path) as file:
        yield from _batches(file, wanted)


def avro_columns(path: str) -> tuple[Field, ...]:
    """The columns of a file, as its header tells them."""
    import fastavro

    with _told(path), open_bytes(path) as file:
        schema = json.dumps(fastavro.reader(file).writer_schema)
    return read_avro(schema)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """What fails inside is told as a file that cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (ValueError, EOFError, OSError, IndexError, KeyError) as error:
        message = f"'{path}' is not an Avro file, or is cut: {error}"
        raise VeloError(message, hint="take it away, or correct path", code="source-unreadable") from None


def _batches(file: Any, wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
    import fastavro

    reader = fastavro.reader(file)
    convert = converter(reader.writer_schema, wanted.names)
    wrong = _mismatch(reader.writer_schema, wanted)
    held: list[Any] = []
    for record in reader:
        held.append(record)
        if len(held) == ROWS:
            yield _batch(held, convert, wanted, wrong)
            held = []
    if held:
        yield _batch(held, convert, wanted, wrong)


def _batch(records: list[Any], convert: Any, wanted: pa.Schema, wrong: str) -> pa.RecordBatch:
    values = [Fault(wrong) if wrong else convert(record) for record in records]
    made = built(values, wanted)
    faults = made.field(FAULT)
    raw = [
        None if fault is None else json.dumps(record, default=str)
        for record, fault in zip(records, faults.to_pylist(), strict=True)
    ]
    columns = [made.field(name) for name in wanted.names]
    return pa.record_batch([*columns, pa.array(raw, pa.string()), faults], names=[*wanted.names, "_raw", "_fault"])


def _mismatch(schema: Any, wanted: pa.Schema) -> str:
    """Why no record of the file can be read: a column of times where the file has plain numbers."""
    try:
        told = {one.name.casefold(): one.type for one in read_avro(json.dumps(schema))}
    except InvalidSchema as error:
        return error.message
    for field in wanted:
        kind = told.get(field.name.casefold())
        if kind is not None and pa.types.is_temporal(field.type) and kind.name not in _TEMPORAL:
            return f"column '{field.name}' is a time, and {kind} in the file"
    return ""
