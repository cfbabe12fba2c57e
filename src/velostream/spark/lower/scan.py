"""Scan: records of a source as fields, with their event time; what cannot be read has a status and goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.plan.fields import Field
from velostream.plan.header_calls import HEADERS
from velostream.plan.nodes import Scan
from velostream.plan.time import EventTime
from velostream.sources.streams.given import GIVEN
from velostream.spark.lower.changelog import as_changes, with_origins, with_times_of_deletions
from velostream.spark.lower.context import SLOT, Lowering, column
from velostream.spark.lower.decoding import decoded
from velostream.spark.lower.event_time import reading_time, with_event_time, without_skewed, written
from velostream.spark.lower.replays import SOURCE as REPLAYED
from velostream.spark.lower.replays import with_replays
from velostream.spark.lower.slots import slot_at
from velostream.spark.lower.stage import PLACE
from velostream.spark.stateful.early import EarlyScan
from velostream.spark.stateful.layout import MARK, ORIGIN, PASSED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

LARGEST_PARTITION = (1 << 31) - 1
_WHOLE = ("tinyint", "smallint", "int", "bigint")


def lower_scan(node: Scan, lowering: Lowering) -> DataFrame:
    """The stream of a source's records; where these are routed as they are read, of those that come again."""
    from pyspark.sql import functions as F  # noqa: N812

    frame = _decoded(node, lowering)
    prefix = f"{node.alias}."
    available = [member.name for member in node.declared]
    frame = with_origins(node, as_changes(node, frame)) if node.changelog else frame
    frame = with_event_time(frame, node.event_time, _record_time(frame), available)
    frame = with_times_of_deletions(frame) if node.changelog else frame
    frame = without_skewed(frame, node.event_time)
    system = {
        "_timestamp": _record_time(frame),
        "_processing_time": reading_time(frame),
        "_partition": _partition(node, frame),
        "_source": F.coalesce(column(REPLAYED), _source(node)) if REPLAYED in frame.columns else _source(node),
    }
    fields = []
    for member in node.fields:
        name = member.name.removeprefix(prefix)
        fields.append((system[name] if name in system else column(name)).alias(member.name))
    known = ("_status", "_detail", "_mark", "_record", "_late", "_passed", *ORIGIN)
    carried = [name for name in known if name in frame.columns]
    place = F.struct(
        # Arrow takes no NULL struct of fields that are never NULL, so these two are made such that could be.
        F.nullif(system["_source"], F.lit("")).alias("source"),
        F.nullif(system["_partition"], F.lit(-1)).alias("partition"),
        (column("_offset") if "_offset" in frame.columns else F.lit(None).cast("bigint")).alias("offset"),
        F.unix_micros(column("_event_time")).alias("event_time"),
    )
    slot = [slot_at(system["_source"], frame).alias(SLOT)] if lowering.run.slots else []
    again = [column(REPLAYED).isNotNull().alias("_replayed")] if REPLAYED in frame.columns else []
    return frame.select(*fields, *map(column, carried), *again, *slot, place.cast(PLACE).alias("_place"))


def _source(node: Scan) -> Column:
    """What records are called by where they come from; those of several topics by their topic too."""
    from pyspark.sql import functions as F  # noqa: N812

    if node.connector == "kafka_source":
        from velostream.sources.streams.kafka_topics import is_several

        if is_several(node.settings):
            return F.concat(F.lit(f"{node.source}/"), column("_topic"))
    return F.lit(node.source)


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
    from pyspark.sql import functions as F  # noqa: N812

    from velostream.sources.streams.reading import open_stream

    frame, schema, form = open_stream(node, lowering)
    if node.connector == "datagen_source" and node.event_time.column:
        frame = with_time(frame, node.declared, node.event_time)
    early = lowering.early.get(node.source) if node.connector == "kafka_source" else None
    if early is not None:
        frame = _early(frame, early, timed=_reads_record_time(node))
    main = decoded(node, frame, schema, form, Path(lowering.run.folder), node.event_time)
    if early is not None:
        # keys and headers of messages did not go to the worker: what becomes a dead letter is asked for once more
        main = main.withColumn("_record", F.lit(None).cast("string"))
    if node.connector == GIVEN or not lowering.run.replays:
        return main
    only = node.way is not None and node.way.kind == "worker"
    return with_replays(node, lowering, main, schema, form, only=only)


def _early(frame: DataFrame, early: EarlyScan, *, timed: bool) -> DataFrame:
    """Messages of which the plain ones have been routed in a worker, which is sent as few columns as will do: of each
    one Spark's writer of Arrow asks the size after every row. Headers go as text, which most messages have none of."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import BinaryType, StringType, StructField, StructType

    asked = ["value", "_partition", "_offset", *(["_timestamp"] if timed else [])]
    headers = [F.when(F.size(HEADERS) > 0, F.to_json(HEADERS)).alias(HEADERS)] if HEADERS in early.taken else []
    sent = frame.select(*asked, *headers)
    fields = [StructField(field.name, field.dataType) for field in sent.schema]  # what was routed has none of them
    left = sent.mapInArrow(early, StructType(fields).add(MARK, StringType()).add(PASSED, BinaryType()))
    kinds = dict(frame.dtypes)
    told = {name: F.lit(None).cast(kinds[name]) for name in kinds if name not in left.columns}
    if headers:
        nothing = F.array().cast(kinds[HEADERS])
        told[HEADERS] = F.coalesce(F.from_json(HEADERS, kinds[HEADERS]), nothing)
    return left.withColumns({**told, "_late": F.lit(False)})


def _reads_record_time(node: Scan) -> bool:
    """True where the time that a message brings is asked for."""
    asked = any(member.name.split(".")[-1] == "_timestamp" for member in node.fields)
    return asked or not node.event_time.column or node.event_time.fallback == "record_time" or bool(node.changelog)


def with_time(frame: DataFrame, declared: Sequence[Field], times: EventTime) -> DataFrame:
    """Generated records with their event time as its column is declared."""
    held = next(one for one in declared if one.name.casefold() == times.column.casefold())
    return frame.withColumn(held.name, written(column(held.name), str(held.type).casefold(), times))
