"""Records of Parquet files as the declared columns; what does not fit their types is at fault, record by record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from velostream.errors import VeloError
from velostream.stores import is_remote, opened

ROWS = 250_000


def parquet_batches(
    path: str, columns: Sequence[str], schema: pa.Schema, rows: int | None = None
) -> Iterator[pa.RecordBatch]:
    """The records of a file with `columns`, typed as `schema` says; those that the file does not have are NULL. Texts
    may be asked for coded, as dictionaries."""
    try:
        file = pq.ParquetFile(opened(path) if is_remote(path) else path)
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowInvalid) as error:
        message = f"'{path}' is not a Parquet file: {error}"
        raise VeloError(message, hint="take it away, or correct path", code="source-unreadable") from None
    names = {name.casefold(): name for name in reversed(file.schema_arrow.names)}
    present = {column: names[column.casefold()] for column in columns if column.casefold() in names}
    coded = [name for column, name in present.items() if _is_coded(file, name, schema.field(column).type)]
    if coded:
        again = opened(path) if is_remote(path) else path
        file = pq.ParquetFile(again, metadata=file.metadata, read_dictionary=coded)
    wanted = pa.schema([schema.field(column) for column in columns])
    for batch in file.iter_batches(rows or ROWS, columns=list(present.values())):
        yield from _typed(batch, present, wanted)


def _typed(batch: pa.RecordBatch, present: dict[str, str], wanted: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A batch as it is wanted; one that does not fit is halved until only the bad records are left."""
    try:
        arrays = [
            _cast(batch.column(present[field.name]), field.type)
            if field.name in present
            else pa.nulls(batch.num_rows, field.type)
            for field in wanted
        ]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        if batch.num_rows > 1 and not isinstance(error, pa.ArrowNotImplementedError):
            half = batch.num_rows // 2
            yield from _typed(batch.slice(0, half), present, wanted)
            yield from _typed(batch.slice(half), present, wanted)
        else:
            yield _faulty(batch, wanted, str(error))
        return
    nothing = pa.nulls(batch.num_rows, pa.string())
    yield pa.record_batch([*arrays, nothing, nothing], names=[*wanted.names, "_raw", "_fault"])


def _is_coded(file: pq.ParquetFile, name: str, kind: pa.DataType) -> bool:
    """True for texts that are asked for coded, and can be read so."""
    return bool(pa.types.is_dictionary(kind) and pa.types.is_string(file.schema_arrow.field(name).type))


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Times lose what is below a microsecond, as Spark's have none; nothing else may lose anything."""
    if array.type == kind:
        return array
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_dictionary(kind):
        return _cast(array, kind.value_type).dictionary_encode()
    return array.cast(kind, safe=not (pa.types.is_timestamp(kind) and pa.types.is_timestamp(array.type)))


def _faulty(batch: pa.RecordBatch, wanted: pa.Schema, why: str) -> pa.RecordBatch:
    raw = pa.array([json.dumps(row, default=str) for row in batch.to_pylist()], pa.string())
    fault = pa.array([f"a value does not fit its column: {why}"] * batch.num_rows, pa.string())
    columns = [pa.nulls(batch.num_rows, field.type) for field in wanted]
    return pa.record_batch([*columns, raw, fault], names=[*wanted.names, "_raw", "_fault"])
