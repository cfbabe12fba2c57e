"""Dead letters that come again: beside every source a folder of requests, which Spark reads as files, once each.

A request is a file of lines, a record each; which of them a micro-batch has read is in Spark's log, so each record
comes once more and no oftener, also where a micro-batch is run again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.sources.file import found_at
from velostream.sources.streams.csv_records import header_of
from velostream.sources.streams.reading import form_of
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.decoding import decoded
from velostream.types import HEADERS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FOLDER = "replay"
"""Below the folder of a job: a folder for each source."""
SOURCE = "_replay"
"""The column that says what the source of a record that comes again is called; NULL for all others."""
_LINE = (
    "value BINARY, key BINARY, topic STRING, partition INT, offset BIGINT, timestamp BIGINT, source STRING, "
    f"headers {HEADERS}"
)
_SYSTEM = ("partition", "offset", "topic", "headers")
_WITH_VALUE = ("json", "jsonl", "csv", "string", "bytes", "avro", "protobuf", "debezium_json", "debezium_avro")


def with_replays(node: Any, lowering: Lowering, main: DataFrame, schema: str, form: str, *, only: bool) -> DataFrame:
    """Decoded records and, with their marks, those that come again; with `only`, none but those."""
    from pyspark.sql import functions as F  # noqa: N812

    again = _decoded(node, lowering, schema, form)
    nothing = F.lit(None).cast("string").alias(SOURCE)
    fitted = [_fitted(again, name, kind) for name, kind in main.dtypes]
    again = again.select(*fitted, column(SOURCE))
    return again if only else main.select("*", nothing).unionByName(again)


def _fitted(frame: DataFrame, name: str, kind: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    if name == "_clock":
        return F.current_timestamp().alias(name)
    return (column(name) if name in frame.columns else F.lit(None)).cast(kind).alias(name)


def _decoded(node: Any, lowering: Lowering, schema: str, form: str) -> DataFrame:
    """The records of requests as those of the source are decoded; records of columns are JSON in their letters."""
    folder = Path(lowering.run.folder)
    records = _records(node, lowering)
    if form in _WITH_VALUE:
        return decoded(node, records, _in_order(node, schema, form, folder), form, folder, node.event_time)
    if form != "columns":
        return decoded(node, records, schema, "json", folder, node.event_time)
    # Records that Spark read from CSV: those that it could not read are lines, the others JSON.
    from pyspark.sql import functions as F  # noqa: N812

    is_json = F.startswith(F.col("value").cast("string"), F.lit("{"))
    lines = decoded(node, records.filter(~is_json), schema, "csv", folder, node.event_time)
    return decoded(node, records.filter(is_json), schema, "json", folder, node.event_time).unionByName(lines)


def _in_order(node: Any, schema: str, form: str, folder: Path) -> str:
    """The columns in the order in which the lines of CSV files have them, whose letters hold the lines as they are."""
    if form != "csv" or node.connector != "file_source" or not node.settings.boolean("csv.header"):
        return schema
    files = list(found_at(node.settings.text("path"), folder))
    names = header_of(files[0], form_of(node).csv) if files else []
    declared = {member.name.casefold(): member for member in node.declared}
    if not names or [name.strip().casefold() for name in names] == list(declared):
        return schema
    found = [declared.get(name.strip().casefold()) for name in names]
    kept = [f"`{one.name}` {one.type}" if one else f"`_other_{place}` STRING" for place, one in enumerate(found)]
    return ", ".join(kept)


def _records(node: Any, lowering: Lowering) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    folder = Path(lowering.run.checkpoint) / FOLDER / node.source
    folder.mkdir(parents=True, exist_ok=True)
    reader = lowering.spark.readStream.name(f"replay_{node.source}").option("maxFilesPerTrigger", 1)
    lines = reader.text(str(folder)).select(F.from_json("value", _LINE).alias("line"))
    return lines.select(
        F.col("line.value").alias("value"),
        F.col("line.key").alias("_key"),
        *(F.col(f"line.{name}").alias(f"_{name}") for name in _SYSTEM),
        F.timestamp_micros("line.timestamp").alias("_timestamp"),
        F.lit(None).cast("string").alias("_mark"),
        F.col("line.source").alias(SOURCE),
    )
