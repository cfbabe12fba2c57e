"""Scan: records of a source as fields, with their event time; what cannot be read has a status and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.plan.nodes import Scan
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.event_time import reading_time, with_event_time, without_skewed, written
from velostream.spark.lower.expressions import as_json

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

UNDECODABLE = "undecodable"
LARGEST_PARTITION = (1 << 31) - 1
_TEXT = ("json", "jsonl", "csv")
_SYSTEM = ("_partition", "_offset", "_topic", "_key", "_timestamp", "_headers", "_clock", "_mark", "_late")
_PLACE = "struct<source:string,partition:int,offset:bigint,event_time:bigint>"
"""Where a record stood. Each part may be NULL, since the whole is NULL for rows that nothing is wrong with."""
_WHOLE = ("tinyint", "smallint", "int", "bigint")


def lower_scan(node: Scan, lowering: Lowering) -> DataFrame:
    """The stream of a source's records."""
    from pyspark.sql import functions as F  # noqa: N812

    frame = _decoded(node, lowering)
    prefix = f"{node.alias}."
    available = [member.name for member in node.declared]
    frame = with_event_time(frame, node.event_time, _record_time(frame), available)
    frame = without_skewed(frame, node.event_time)
    system = {
        "_timestamp": _record_time(frame),
        "_processing_time": reading_time(frame),
        "_partition": _partition(node, frame),
        "_source": F.lit(node.source),
    }
    fields = []
    for member in node.fields:
        name = member.name.removeprefix(prefix)
        fields.append((system[name] if name in system else column(name)).alias(member.name))
    carried = [name for name in ("_status", "_detail", "_mark", "_record", "_late") if name in frame.columns]
    place = F.struct(
        # Arrow takes no NULL struct of fields that are never NULL, so these two are made such that could be.
        F.nullif(system["_source"], F.lit("")).alias("source"),
        F.nullif(system["_partition"], F.lit(-1)).alias("partition"),
        (column("_offset") if "_offset" in frame.columns else F.lit(None).cast("bigint")).alias("offset"),
        F.unix_micros(column("_event_time")).alias("event_time"),
    )
    return frame.select(*fields, *map(column, carried), place.cast(_PLACE).alias("_place"))


def _record_time(frame: DataFrame) -> Column:
    """The time that a record brings, else the time of reading, which Spark keeps for a re-run of a batch."""
    return column("_timestamp") if "_timestamp" in frame.columns else reading_time(frame)


def _partition(node: Scan, frame: DataFrame) -> Column:
    """The partition of a record: what the source says, or a number for the value of a column.

    A whole number that fits is its own partition; other values are hashed onto the 31 bits that partitions have.
    """
    from pyspark.sql import functions as F  # noqa: N812

    by = node.settings.get("partition.by") if node.settings.known.find("partition.by") is not None else None
    if by in (None, "file"):
        return column("_partition") if "_partition" in frame.columns else F.lit(0)
    name = next(name for name in frame.columns if name.casefold() == str(by).casefold())
    value = column(name)
    hashed = F.pmod(F.xxhash64(value), F.lit(LARGEST_PARTITION)).cast("int")
    if dict(frame.dtypes)[name] in _WHOLE:
        fits = value.between(0, LARGEST_PARTITION)
        hashed = F.when(fits, F.when(fits, value).cast("int")).otherwise(hashed)
    return F.when(value.isNotNull(), hashed)


def _decoded(node: Scan, lowering: Lowering) -> DataFrame:
    """The columns of the records, and `_status` where a record could not be decoded."""
    from velostream.sources.streams.reading import open_stream

    frame, schema, form = open_stream(node, lowering)
    if node.connector == "datagen_source" and node.event_time.column:
        frame = _with_time(node, frame)
    return decoded(node, frame, schema, form)


def decoded(node: Any, frame: DataFrame, schema: str, form: str) -> DataFrame:
    """Records in the declared columns of `node`, with status, detail and the record as it was."""
    from pyspark.sql import functions as F  # noqa: N812

    if form in _TEXT:
        return _parsed(node, frame, schema, form)
    names = [member.name for member in node.declared]
    record = column(names[0]) if form == "string" else as_json(F.struct(*map(column, names)))
    return _judged(frame, names, record, F.lit(False))


def _parsed(node: Any, frame: DataFrame, schema: str, form: str) -> DataFrame:
    """Lines as records of the declared columns."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = f"{schema}, _corrupt STRING"
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "_corrupt"}
    if form == "csv":
        parsed = F.from_csv(F.col("value"), wanted, {**options, **_csv(node)})
    else:
        parsed = F.from_json(F.col("value"), wanted, options)
    frame = frame.withColumn("_parsed", attempt(parsed))
    names = [part for part in frame.select("_parsed.*").columns if part != "_corrupt"]
    broken = F.col("_parsed").isNull() | F.col("_parsed._corrupt").isNotNull()
    fields = {name: F.when(~broken, F.col(f"_parsed.`{name}`")) for name in names}
    frame = frame.select(
        *(value.alias(name) for name, value in fields.items()),
        *(
            column(name)
            for name in (*_SYSTEM, "_raw", "_fault", "value")
            if name in frame.columns and name not in fields
        ),
        broken.alias("_broken"),
    )
    return _judged(frame, names, F.col("value"), F.col("_broken"))


def _judged(frame: DataFrame, names: list[str], record: Column, broken: Column) -> DataFrame:
    """Columns and system columns with status, detail and the record as it was; marks have none of them."""
    from pyspark.sql import functions as F  # noqa: N812

    is_record = F.col("_mark").isNull()
    told = F.lit("the text is not a record of the declared columns")
    if "_fault" in frame.columns:
        broken, told = broken | F.col("_fault").isNotNull(), F.coalesce(F.col("_fault"), told)
        record = F.coalesce(F.col("_raw"), record)
    broken = is_record & broken
    return frame.select(
        *(column(name) for name in (*names, *(name for name in _SYSTEM if name in frame.columns))),
        F.when(broken, F.lit(UNDECODABLE)).alias("_status"),
        F.when(broken, told).alias("_detail"),
        F.when(is_record, record).alias("_record"),
    )


def _csv(node: Any) -> dict[str, str]:
    settings = node.settings
    options = {"sep": settings.text("csv.delimiter"), "quote": settings.text("csv.quote")}
    options["escape"] = str(settings.get("csv.escape") or options["quote"])
    if settings.get("csv.null") is not None:
        options["nullValue"] = settings.text("csv.null")
    return options


def _with_time(node: Scan, frame: DataFrame) -> DataFrame:
    """Generated records with their event time as its column is declared."""
    held = next(one for one in node.declared if one.name.casefold() == node.event_time.column.casefold())
    kind = str(held.type).casefold()
    return frame.withColumn(held.name, written(column(held.name), kind, node.event_time))
