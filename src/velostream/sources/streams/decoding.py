"""What is in a file: lines of text formats, to be decoded by Spark, or the columns of a Parquet file."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 100_000
_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def record_batches(path: str, options: Mapping[str, str], schema: pa.Schema) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The records of a file in batches, each with the index of its first record."""
    if options["format"] == "parquet":
        yield from _parquet(path, schema)
    else:
        yield from _lines(path, skip=1 if options.get("header") == "true" else 0)


def _parquet(path: str, schema: pa.Schema) -> Iterator[tuple[int, pa.RecordBatch]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = 0
    file = pq.ParquetFile(path)
    present = [field for field in schema if field.name in file.schema_arrow.names]
    wanted = pa.schema(present)
    for batch in file.iter_batches(ROWS, columns=wanted.names):
        whole = pa.Table.from_batches([batch]).cast(wanted).to_batches()
        for part in whole:
            columns = {name: part.column(name) for name in wanted.names}
            missing = [field for field in schema if field.name not in wanted.names and not field.name.startswith("_")]
            columns |= {field.name: pa.nulls(part.num_rows, field.type) for field in missing}
            yield first, pa.record_batch(list(columns.values()), names=list(columns))
            first += part.num_rows


def _lines(path: str, skip: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    import pyarrow as pa

    first, held = 0, []
    with _open(path) as file:
        for number, line in enumerate(file):
            text = line.rstrip("\r\n")
            if number < skip or not text.strip():
                continue
            held.append(text)
            if len(held) == ROWS:
                yield first, pa.record_batch({"value": pa.array(held, pa.string())})
                first, held = first + len(held), []
    if held:
        yield first, pa.record_batch({"value": pa.array(held, pa.string())})


def _open(path: str) -> IO[str]:
    opener = _OPENERS.get(Path(path).suffix)
    if opener is not None:
        opened: IO[str] = opener(path, "rt", encoding="utf-8", errors="replace")
        return opened
    return Path(path).open(encoding="utf-8", errors="replace")
