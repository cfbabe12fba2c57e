"""Scan: records of a source as fields, with their event time; what cannot be read has a status and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.nodes import Scan
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.event_time import event_time, written

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

UNDECODABLE = "undecodable"
_TEXT = ("json", "jsonl", "csv")


def lower_scan(node: Scan, lowering: Lowering) -> DataFrame:
    """The stream of a source's records."""
    from pyspark.sql import functions as F  # noqa: N812

    frame = _decoded(node, lowering)
    prefix = f"{node.alias}."
    time, reason = event_time(node.event_time, frame)
    frame = frame.withColumn("_event_time", F.when(F.col("_status").isNull() & F.col("_mark").isNull(), time))
    frame = frame.withColumn("_status", F.when(F.col("_mark").isNull(), F.coalesce(F.col("_status"), reason)))
    system = {
        "_timestamp": _record_time(frame),
        "_processing_time": F.current_timestamp(),
        "_partition": _partition(node, frame),
        "_source": F.lit(node.source),
    }
    fields = []
    for member in node.fields:
        name = member.name.removeprefix(prefix)
        fields.append((system[name] if name in system else column(name)).alias(member.name))
    return frame.select(*fields, *(column(name) for name in ("_status", "_detail", "_mark", "_record")))


def _record_time(frame: DataFrame) -> Column:
    """The time that a record brings, else the time of reading, which Spark keeps for a re-run of a batch."""
    from pyspark.sql import functions as F  # noqa: N812

    return column("_timestamp") if "_timestamp" in frame.columns else F.current_timestamp()


def _partition(node: Scan, frame: DataFrame) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    by = node.settings.get("partition.by") if node.settings.known.find("partition.by") is not None else None
    if by in (None, "file"):
        return column("_partition")
    kind = dict(frame.dtypes)[next(name for name in frame.columns if name.casefold() == str(by).casefold())]
    if kind in ("int", "bigint", "smallint", "tinyint"):
        return column(str(by)).cast("int")
    return F.hash(column(str(by)))


def _decoded(node: Scan, lowering: Lowering) -> DataFrame:
    """The columns of the records, and `_status` where a record could not be decoded."""
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.sources.streams.reading import open_stream

    frame, schema, form = open_stream(node, lowering)
    if node.connector == "datagen_source" and node.event_time.column:
        frame = _with_time(node, frame)
    if form not in _TEXT:
        nothing = F.lit(None).cast("string")
        record = F.to_json(F.struct(*(column(member.name) for member in node.declared)))
        record = F.when(F.col("_mark").isNull(), record)
        return frame.withColumns({"_status": nothing, "_detail": nothing, "_record": record})
    wanted = f"{schema}, _corrupt STRING"
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "_corrupt"}
    if form == "csv":
        options["sep"] = node.settings.text("csv.delimiter")
        parsed = F.from_csv(F.col("value"), wanted, options)
    else:
        parsed = F.from_json(F.col("value"), wanted, options)
    frame = frame.withColumn("_parsed", attempt(parsed))
    broken = F.col("_mark").isNull() & (F.col("_parsed").isNull() | F.col("_parsed._corrupt").isNotNull())
    status = F.when(broken, F.lit(UNDECODABLE))
    detail = F.when(broken, F.lit("the text is not a record of the declared columns"))
    names = [part for part in frame.select("_parsed.*").columns if part != "_corrupt"]
    fields = [F.when(~broken, F.col(f"_parsed.`{name}`")).alias(name) for name in names]
    rest = [F.col(name) for name in ("_partition", "_offset", "_topic", "_mark")]
    more = (status.alias("_status"), detail.alias("_detail"), F.col("value").alias("_record"))
    return frame.select(*fields, *rest, *more)


def _with_time(node: Scan, frame: DataFrame) -> DataFrame:
    """Generated records with their event time as its column is declared."""
    held = next(one for one in node.declared if one.name.casefold() == node.event_time.column.casefold())
    kind = str(held.type).casefold()
    return frame.withColumn(held.name, written(column(held.name), kind, node.event_time))
