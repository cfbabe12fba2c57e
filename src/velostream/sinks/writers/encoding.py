"""How files are written, by format: by the driver from an Arrow table, or by Spark; the bytes mean the same."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.formats.encoding.csv_texts import CsvStyle, csv_header, csv_rows
from velostream.formats.encoding.json_texts import json_rows
from velostream.sinks.writers.text import JSON_OPTIONS, csv_options

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, DataFrameWriter

    from velostream.config.settings import Settings

NONE = "none"
_AT_ONCE = 1 << 20
"""Bytes that are copied at a time."""
_ENDINGS = {NONE: "", "gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}
_LATER = ("zstd", "lz4")
"""Text that Spark compresses in forms of its own, which other tools do not read, is compressed after it."""


@dataclass(frozen=True)
class Encoding:
    """A format with its options."""

    format: str
    compression: str
    csv: CsvStyle = field(default_factory=CsvStyle)
    header: bool = False

    @property
    def ending(self) -> str:
        """What the names of files end with."""
        if self.format == "parquet":
            return "parquet"
        return self.format + _ENDINGS[self.compression]

    @property
    def compress_later(self) -> str:
        """The compression that Spark does not do."""
        return self.compression if self.format != "parquet" and self.compression in _LATER else NONE

    def write(self, table: pa.Table, file: Path) -> None:
        """Writes the rows as one file."""
        if self.format == "parquet":
            import pyarrow.parquet as pq

            pq.write_table(table, file, compression=self.compression)
            return
        head = [csv_header(table.column_names, self.csv)] if self.header else []
        lines = csv_rows(table, self.csv) if self.format == "csv" else json_rows(table)
        _put(file, "\n".join([*head, *lines.to_pylist(), ""]).encode(), self.compression)

    @property
    def piece(self) -> Encoding:
        """The encoding of what is to be joined into files later: text is compressed then."""
        return self if self.format == "parquet" else replace(self, compression=NONE)

    def kind(self, piece: Path) -> str:
        """What pieces have in common that can be one file: the columns, where a piece says them."""
        if self.format == "parquet":
            import pyarrow.parquet as pq

            return str(pq.read_schema(piece))
        return _first_line(piece).decode() if self.header else ""

    def join(self, pieces: Sequence[Path], file: Path) -> None:
        """Writes pieces of one kind as one file."""
        import pyarrow as pa

        if self.format == "parquet":
            import pyarrow.parquet as pq

            with pq.ParquetWriter(file, pq.read_schema(pieces[0]), compression=self.compression) as writer:
                for piece in pieces:
                    writer.write_table(pq.read_table(piece, partitioning=None))
            return
        with pa.output_stream(str(file), compression=None if self.compression == NONE else self.compression) as out:
            for index, piece in enumerate(pieces):
                with piece.open("rb") as held:
                    held.seek(len(_first_line(piece)) if self.header and index else 0)
                    shutil.copyfileobj(held, out, _AT_ONCE)

    def spark_writer(self, frame: DataFrame) -> DataFrameWriter:
        """Spark's own writer of the same."""
        if self.format == "parquet":
            codec = {"none": "uncompressed", "lz4": "lz4_raw"}.get(self.compression, self.compression)
            return frame.write.format("parquet").option("compression", codec)
        codec = NONE if self.compression in _LATER else self.compression
        if self.format == "csv":
            writer = _flat(frame).write.format("csv").options(**csv_options(self.csv))
            return writer.option("header", str(self.header).lower()).option("compression", codec)
        return frame.write.format("json").options(**JSON_OPTIONS).option("compression", codec)


def encoding_of(settings: Settings) -> Encoding:
    """The encoding that a file sink's settings ask for; Parquet is compressed by snappy unless they say otherwise."""
    form = settings.text("format")
    compression = settings.get("compression")
    if form == "parquet":
        return Encoding(form, "snappy" if compression is None else str(compression))
    chosen = NONE if compression is None else str(compression)
    if form == "csv":
        return Encoding(form, chosen, CsvStyle.of(settings), settings.boolean("csv.header"))
    return Encoding("jsonl", chosen)


def compress(file: Path, compression: str) -> Path:
    """The file compressed, in place of itself."""
    if compression == NONE:
        return file
    target = file.with_name(f"{file.name}.whole")
    _put(target, file.read_bytes(), compression)
    file.unlink()
    return target


def _first_line(file: Path) -> bytes:
    with file.open("rb") as held:
        return held.readline()


def _put(file: Path, content: bytes, compression: str) -> None:
    import pyarrow as pa

    with pa.output_stream(str(file), compression=None if compression == NONE else compression) as out:
        out.write(content)


def _flat(frame: DataFrame) -> DataFrame:
    """The frame with nested values as JSON and bytes as base64, which Spark's CSV has no form for."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import ArrayType, BinaryType, MapType, StructType, VariantType

    columns = []
    for member in frame.schema.fields:
        column = F.col("`" + member.name.replace("`", "``") + "`")
        if isinstance(member.dataType, ArrayType | MapType | StructType | VariantType):
            column = F.to_json(column, JSON_OPTIONS)
        elif isinstance(member.dataType, BinaryType):
            column = F.base64(column)
        columns.append(column.alias(member.name))
    return frame.select(*columns)
