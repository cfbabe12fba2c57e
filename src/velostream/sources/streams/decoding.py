"""What is in a file: records of text formats, to be decoded by Spark, or the columns of a Parquet or Avro file.

Beside its columns a record may have a `_fault`, which says why it cannot be decoded, and `_raw`, the record as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.sources.streams.csv_records import CsvForm, csv_pieces, csv_records
from velostream.sources.streams.texts import TextRecord, json_records, line_records, pieces, split

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 100_000
COLUMNAR = ("parquet", "avro")
"""Formats whose files have columns, with types of their own."""
LINES = ("jsonl", "debezium_json")
"""Formats in which a line is an object."""
ORDERED = ("debezium_json",)
"""Formats whose records have an order over all files, which their offsets tell."""
PER_FILE = 1 << 40
"""How many offsets a file has for itself, where these tell the order over all files."""
TEXT_COLUMNS = ("value", "_raw", "_fault")


@dataclass(frozen=True, slots=True)
class FileForm:
    """How the files of a source are written, and which columns they are read for."""

    format: str
    columns: tuple[str, ...]
    csv: CsvForm = field(default_factory=CsvForm)
    ordered: bool = False
    """True where its records have an order over all files, which their offsets tell."""

    def first_of(self, number: int) -> int:
        """The offset of the first record of a file, which is the nth that is taken."""
        return number * PER_FILE if self.ordered else 0


def record_batches(
    path: str, form: FileForm, schema: pa.Schema, start: int = 0, end: int | None = None, rows: int | None = None
) -> Iterator[pa.RecordBatch]:
    """The records of a file, or of the bytes from `start` to `end` of one that grows; blank lines are none. `rows` is
    how many of a Parquet file come together."""
    if form.format == "avro":
        from velostream.sources.streams.avro import avro_batches

        yield from avro_batches(path, form.columns, schema)
    elif form.format == "parquet":
        from velostream.sources.streams.parquet import parquet_batches

        yield from parquet_batches(path, form.columns, schema, rows)
    elif form.format == "csv":
        for part in csv_pieces(path, form.csv, form.columns, start, end):
            yield from _plain(part) if isinstance(part, list) else _batched(part)
    elif form.format in LINES:
        yield from _lines(path, start, end)
    else:
        yield from _batched(text_records(path, form, start, end))


def text_records(path: str, form: FileForm, start: int = 0, end: int | None = None) -> Iterator[TextRecord]:
    """The records of a text file one by one."""
    if form.format == "csv":
        return csv_records(path, form.csv, form.columns, start, end)
    if form.format == "json":
        return json_records(path)
    return line_records(path, start, end, blank=form.format == "string")


def _lines(path: str, start: int, end: int | None) -> Iterator[pa.RecordBatch]:
    """Lines of good text without a Python object for each record; a piece with bad bytes in it line by line."""
    from velostream.sources.streams.texts import bytes_records

    for piece in pieces(path, start, end):
        if isinstance(piece, bytes):
            yield from _batched(bytes_records(piece))
            continue
        yield from _plain(_objects(piece) or [line for line in split(piece) if line and not line.isspace()])


def _objects(piece: str) -> pa.Array | None:
    """The lines of a piece, where each of them begins as an object does, so that none is blank; else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "\r" in piece:
        return None
    lines = pc.split_pattern(pa.array([piece.removesuffix("\n")]), "\n").values
    return lines if pc.all(pc.starts_with(lines, "{")).as_py() else None


def _plain(values: list[str] | pa.Array) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if len(values):
        held = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
        nothing = pa.nulls(len(values), pa.string())
        yield pa.record_batch([held, nothing, nothing], names=list(TEXT_COLUMNS))


def _batched(records: Iterator[TextRecord]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    held: list[TextRecord] = []

    def batch() -> pa.RecordBatch:
        columns = ([one.value for one in held], [one.raw for one in held], [one.fault for one in held])
        return pa.record_batch([pa.array(column, pa.string()) for column in columns], names=list(TEXT_COLUMNS))

    for record in records:
        held.append(record)
        if len(held) == ROWS:
            yield batch()
            held.clear()
    if held:
        yield batch()
