"""Decoding: values and keys of records to columns, by format; what cannot be decoded has a status and goes on.

A source gives `value` as STRING or as BINARY, or the columns themselves; beside them system columns, and for a record
at fault `_fault` and `_raw`, the record as it was. What comes out has the declared columns, the system columns,
`_status`, `_detail` and `_record`: the record as dead letters hold it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.formats.registry import registry_of
from velostream.formats.schemas.wire import optional
from velostream.sinks.letters.envelope import BASE64, DERIVED, NULL, OPENS, PARTS, ZERO
from velostream.spark.attempt import attempt
from velostream.spark.lower.changes import FORMS as CHANGES
from velostream.spark.lower.changes import with_changes
from velostream.spark.lower.coded import CODED, coded_key, with_values
from velostream.spark.lower.context import column
from velostream.spark.lower.expressions import as_json
from velostream.spark.lower.json_objects import has_more
from velostream.spark.lower.wrong_columns import NO_RECORD, UNREAD, WrongColumns, as_texts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from velostream.plan.time import EventTime

UNDECODABLE = "undecodable"
TOMBSTONE = "tombstone"
"""The status of a message without a value: in a table it takes a row away, in a stream it is a dead letter."""
NULL_KEY = "null_key"
"""The status of a row that nothing is known by."""
SYSTEM = (
    *("_partition", "_offset", "_topic", "_key", "_timestamp", "_headers", "_clock"),
    *("_mark", "_late", "_replay", "_passed", "_gone"),
)
_FAULTS = ("_raw", "_fault")
_PARSED = ("json", "jsonl", "csv")
_WHOLE = ("string", "bytes")
_BINARY = ("bytes", *CODED, "debezium_avro")
_CORRUPT = "_corrupt"
_NOT_UTF8 = "the bytes are not UTF-8 text"
_NOT_FRAMED = "the bytes do not begin with the number of a schema, as a registry's do"
_HEAD = 5
_NO_VALUE = "the message has no value, which takes a row out of a table and is no record of a stream"


def decoded(
    node: Any, frame: DataFrame, schema: str, form: str, folder: Path = Path(), times: EventTime | None = None
) -> DataFrame:
    """Records in the declared columns of `node`, whose types are `schema`, with status, detail and `_record`.

    Relative paths of schema files start from `folder`. With `times`, a record of which only the event time cannot be
    read goes on, with what stands there in `_unread`: who reads event times says what becomes of it.
    """
    from pyspark.sql import functions as F  # noqa: N812

    held = dict(frame.dtypes)
    if held.get("value") == "binary":
        frame = _judged_bytes(frame, node, form)
    if held.get("_key") == "binary":
        frame = _with_key(node, frame, folder)
    if form in _PARSED:
        return _parsed(node, frame, schema, form, times)
    names = [member.name for member in node.declared]
    if form in CHANGES:
        frame = frame if held["value"] == "binary" else _judged_lines(frame)
        frame = with_changes(node, frame, schema, form, folder)
        return _judged(frame, names, F.col("_raw"), F.lit(False))
    if form in CODED and "value" in held:
        frame = with_values(node, frame, schema, form, folder)
        return _judged(frame, names, F.col("_raw"), F.lit(False))
    if form == "columns":
        frame = _looked_at(node, frame, schema, times)
    record = _kept(column(names[0])) if form in _WHOLE else as_json(F.struct(*map(column, names)))
    return _judged(frame, names, record, F.lit(False))


def _judged_bytes(frame: DataFrame, node: Any, form: str) -> DataFrame:
    """Bytes as text where the format is text; those that are not UTF-8 are then at fault. All are kept.

    For `string` and `bytes` the value is the one column.
    """
    from pyspark.sql import functions as F  # noqa: N812

    data = F.col("value")
    missing = F.col("_mark").isNull() & data.isNull()
    fault = F.when(missing, F.lit(_NO_VALUE))
    is_text = F.is_valid_utf8(data.cast("string"))
    raw = F.when(~is_text, F.concat(F.lit(BASE64), F.base64(data))).otherwise(_kept(data))
    if form == "json" and registry_of(node.settings) is not None:
        framed = (F.length(data) >= _HEAD) & (F.substring(data, 1, 1) == F.lit(b"\0"))
        fault = fault.when(~framed, F.lit(_NOT_FRAMED))
        data = F.substring(data, _HEAD + 1, 1 << 30)
    text = data.cast("string")
    good = F.is_valid_utf8(text)
    if form not in _BINARY:
        fault = fault.when(~good, F.lit(_NOT_UTF8))
    frame = frame.withColumns({"_fault": fault, "_raw": raw, "_no_value": missing})
    if form in (*CODED, "debezium_avro"):
        return frame
    if form not in _WHOLE:
        return frame.withColumn("value", F.when(good & F.col("_fault").isNull(), text))
    only = node.declared[0]
    value = F.col("value") if str(only.type) == "BINARY" else F.when(good, text)
    return frame.withColumn("value", value).withColumnRenamed("value", only.name)


def _judged_lines(frame: DataFrame) -> DataFrame:
    """Lines of files that are changes; one that says `null` is a message without a value."""
    from pyspark.sql import functions as F  # noqa: N812

    value = F.col("value")
    missing = F.coalesce(F.col("_mark").isNull() & (F.trim(value) == F.lit("null")), F.lit(False))
    fault = F.when(missing, F.lit(_NO_VALUE)).otherwise(F.col("_fault"))
    return frame.withColumns({"_fault": fault, "_raw": F.coalesce(F.col("_raw"), _kept(value)), "_no_value": missing})


def _kept(value: Column) -> Column:
    """A text as letters hold it: one that could be taken for another form of theirs is in base64 as bytes are."""
    from pyspark.sql import functions as F  # noqa: N812

    text = value.cast("string")
    special = F.contains(text, F.lit(ZERO))
    for beginning in (BASE64, OPENS, DERIVED):
        special = special | F.startswith(text, F.lit(beginning))
    return F.when(special, F.concat(F.lit(BASE64), F.base64(value.cast("binary")))).otherwise(text)


def _with_key(node: Any, frame: DataFrame, folder: Path) -> DataFrame:
    """The key as text by `key.format`; its bytes stay in `_raw_key`. Only a key that is read can be at fault."""
    from pyspark.sql import functions as F  # noqa: N812

    form = optional(node.settings, "key.format") or "string"
    data = F.col("_key")
    text = data.cast("string")
    if not _reads_key(node):
        return frame.withColumns({"_raw_key": data, "_key": F.lit(None).cast("string")})
    if form in CODED:
        made, fault = coded_key(node, data, form, folder)
    elif form == "bytes":
        made, fault = F.base64(data), F.lit(None).cast("string")
    elif form == "json":
        made = F.try_parse_json(F.when(F.is_valid_utf8(text), text)).cast("string")
        fault = F.when(data.isNotNull() & made.isNull() & (text != "null"), F.lit("the key is not JSON"))
    else:
        made = F.when(F.is_valid_utf8(text), text)
        fault = F.when(data.isNotNull() & made.isNull(), F.lit("the bytes of the key are not UTF-8 text"))
    fault = F.coalesce(F.col("_fault"), fault) if "_fault" in frame.columns else fault
    return frame.withColumns({"_raw_key": data, "_key": made, "_fault": fault})


def _reads_key(node: Any) -> bool:
    return any(member.name.split(".")[-1] == "_key" for member in getattr(node, "fields", ()))


def _parsed(node: Any, frame: DataFrame, schema: str, form: str, times: EventTime | None) -> DataFrame:
    """Texts as records of the declared columns."""
    from pyspark.sql import functions as F  # noqa: N812

    wanted = f"{schema}, {_CORRUPT} STRING"
    packed: tuple[str, ...] = ()
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    texts = as_texts(wanted)
    if form == "csv":
        wanted, packed = _with_texts(wanted)
        parsed, spelled = (F.from_csv(F.col("value"), one, {**options, **_csv(node)}) for one in (wanted, texts))
        whole = F.lit(False)
    else:
        parsed, spelled = (F.from_json(F.col("value"), one, options) for one in (wanted, texts))
        whole = has_more(F.col("value"))
    frame = frame.withColumn("_parsed", attempt(parsed))
    names = [part for part in frame.select("_parsed.*").columns if part != _CORRUPT]
    broken = F.col("_parsed").isNull() | F.col(f"_parsed.{_CORRUPT}").isNotNull() | whole
    values = {name: F.col(f"_parsed.`{name}`") for name in names}
    for name in packed:
        text, values[name] = values[name], F.try_to_binary(values[name], F.lit("base64"))
        broken = broken | (text.isNotNull() & values[name].isNull())
    frame = frame.withColumn("_broken", broken)
    # Sound records, which most are, are not read again.
    frame = frame.withColumn("_texts", F.when(F.col("_broken") & F.col("value").isNotNull() & ~whole, attempt(spelled)))
    spelled = F.when(F.col(f"_texts.{_CORRUPT}").isNull(), F.col("_texts"))
    wrong = WrongColumns(spelled, values, node.declared)
    frame = frame.withColumns({UNREAD: wrong.of_time(times), "_told": wrong.told})
    broken = F.col("_broken") & F.col(UNREAD).isNull()
    fields = {name: F.when(~broken, value) for name, value in values.items()}
    others = (*SYSTEM, *_FAULTS, "_no_value", "_raw_key", "value", UNREAD, "_told")
    frame = frame.select(
        *(value.alias(name) for name, value in fields.items()),
        *(column(name) for name in others if name in frame.columns and name not in fields),
        broken.alias("_broken"),
    )
    return _judged(frame, names, _kept(F.col("value")), F.col("_broken"))


def _looked_at(node: Any, frame: DataFrame, schema: str, times: EventTime | None) -> DataFrame:
    """Records of CSV files that Spark read as columns; those that it could not read have their text in `_raw`."""
    from pyspark.sql import functions as F  # noqa: N812

    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT, **_csv(node)}
    is_broken, spelled = F.col("_raw").isNotNull(), as_texts(f"{schema}, {_CORRUPT} STRING")
    frame = frame.withColumn("_texts", F.when(is_broken, attempt(F.from_csv(F.col("_raw"), spelled, options))))
    texts = F.when(F.col(f"_texts.{_CORRUPT}").isNull(), F.col("_texts"))
    wrong = WrongColumns(texts, {one.name: column(one.name) for one in node.declared}, node.declared)
    frame = frame.withColumns({UNREAD: wrong.of_time(times), "_told": wrong.told})
    return frame.withColumn("_fault", F.when(F.col(UNREAD).isNull(), F.coalesce("_told", "_fault")))


def _with_texts(schema: str) -> tuple[str, tuple[str, ...]]:
    """A schema with text in the place of bytes, and the names of these columns: CSV has bytes as base64, whose letters
    Spark would take for the bytes."""
    from pyspark.sql.types import BinaryType, StructType

    told = StructType.fromDDL(schema)
    assert isinstance(told, StructType)
    packed = tuple(member.name for member in told.fields if isinstance(member.dataType, BinaryType))
    if not packed:
        return schema, ()
    kinds = {one.name: "string" if one.name in packed else one.dataType.simpleString() for one in told.fields}
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in kinds.items()), packed


def _judged(frame: DataFrame, names: list[str], record: Column, broken: Column) -> DataFrame:
    """Columns and system columns with status, detail and the record as it was; marks have none of them."""
    from pyspark.sql import functions as F  # noqa: N812

    is_record = F.col("_mark").isNull()
    told = F.lit(NO_RECORD)
    if "_told" in frame.columns:
        told = F.coalesce(F.col("_told"), told)
    if "_fault" in frame.columns:
        broken, told = broken | F.col("_fault").isNotNull(), F.coalesce(F.col("_fault"), told)
    if "_raw" in frame.columns:
        record = F.coalesce(F.col("_raw"), record)
    broken = is_record & broken
    status = F.when(broken, F.lit(UNDECODABLE))
    if "_no_value" in frame.columns:
        status = F.when(F.col("_no_value"), F.lit(TOMBSTONE)).otherwise(status)
    return frame.select(
        *(column(name) for name in (*names, *(name for name in (*SYSTEM, UNREAD) if name in frame.columns))),
        status.alias("_status"),
        F.when(broken, told).alias("_detail"),
        F.when(is_record, _in_envelope(frame, record)).alias("_record"),
    )


def _in_envelope(frame: DataFrame, record: Column) -> Column:
    """The record with its key, headers, topic and time, where the source has keys; `sinks.letters` opens it."""
    from pyspark.sql import functions as F  # noqa: N812

    if "_key" not in frame.columns:
        return record
    key = F.col("_raw_key" if "_raw_key" in frame.columns else "_key").cast("binary")
    return F.concat(
        F.lit(OPENS),
        F.coalesce(F.base64(key), F.lit(NULL)),
        F.lit(PARTS),
        _or_empty(frame, "_timestamp", lambda time: F.unix_micros(time).cast("string")),
        F.lit(PARTS),
        _or_empty(frame, "_headers", lambda held: F.when(F.size(held) > 0, F.to_json(held))),
        F.lit(PARTS),
        _or_empty(frame, "_topic", lambda topic: topic),
        F.lit(OPENS),
        F.coalesce(F.concat(F.lit("+"), record), F.lit(NULL)),
    )


def _or_empty(frame: DataFrame, name: str, text: Any) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce(text(F.col(name)), F.lit("")) if name in frame.columns else F.lit("")


def _csv(node: Any) -> dict[str, str]:
    settings = node.settings
    options = {"sep": settings.text("csv.delimiter"), "quote": settings.text("csv.quote")}
    options["escape"] = str(settings.get("csv.escape") or options["quote"])
    if settings.get("csv.null") is not None:
        options["nullValue"] = settings.text("csv.null")
    return options
