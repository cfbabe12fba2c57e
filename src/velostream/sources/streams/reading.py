"""From a scan to Spark's stream: the data source, its options, and the columns that Spark has to decode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.config.connections.address import format_of
from velostream.errors import VeloError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def open_stream(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    """The stream of a scan, the columns of its records as DDL, and the format that is left to decode."""
    if node.connector == "given":
        from velostream.sources.streams.given import open_given

        return open_given(node, lowering)
    if node.connector == "datagen_source":
        from velostream.sources.streams.generating import generated

        return generated(node, lowering), "", "made"
    if node.connector != "file_source":
        message = f"a {node.connector} cannot be run yet"
        raise VeloError(message, hint="a file_source or a datagen_source can", code="unsupported")
    return _files(node, lowering)


def _files(node: Any, lowering: Any) -> tuple[DataFrame, str, str]:
    from velostream.sources.streams.files import LINES, SYSTEM, FileStream

    settings = node.settings
    path = settings.text("path")
    form = str(settings.get("format") or format_of(path) or "jsonl")
    declared = ", ".join(f"`{column.name}` {column.type}" for column in node.declared)
    spark = lowering.spark
    spark.dataSource.register(FileStream)
    per_batch = settings.get("files.per.batch")
    reader = (
        spark.readStream.name(f"source_{node.alias}")
        .format("velo_files")
        .option("path", path)
        .option("folder", str(lowering.run.folder))
        .option("format", form)
        .option("header", str(form == "csv" and settings.boolean("csv.header")).lower())
        .option("per_batch", str(per_batch or 1_000_000))
        .option("partition_by", str(settings.get("partition.by") or ""))
        .option("bounded", str(lowering.run.bounded).lower())
        .option("source", node.source)
    )
    schema = f"{declared}, {SYSTEM}" if form == "parquet" else LINES
    return reader.schema(schema).load(), declared, form
