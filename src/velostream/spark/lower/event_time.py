"""Event time: a column, a number since 1970 or a text becomes a timestamp; what cannot is said with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.plan.time import EventTime
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MISSING, INVALID = "event_time_missing", "event_time_invalid"
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def event_time(spec: EventTime, frame: DataFrame) -> tuple[Column, Column]:
    """The event time of a record, and the reason where there is none."""
    from pyspark.sql import functions as F  # noqa: N812

    if not spec.column or spec.semantics == "processing":
        return F.current_timestamp(), F.lit(None).cast("string")
    name = next(known for known in frame.columns if known.casefold() == spec.column.casefold())
    value = column(name)
    time = attempt(_read(value, dict(frame.dtypes)[name], spec))
    fallback = F.current_timestamp() if spec.fallback == "record_time" else F.lit(None).cast("timestamp")
    if spec.fallback != "dead_letter":
        return F.coalesce(time, fallback), F.lit(None).cast("string")
    return time, F.when(value.isNull(), F.lit(MISSING)).when(time.isNull(), F.lit(INVALID))


def written(time: Column, kind: str, spec: EventTime) -> Column:
    """A time as a column of type `kind` holds it, so that reading the column by `spec` gives the time again."""
    from pyspark.sql import functions as F  # noqa: N812

    micros, local = F.unix_micros(time), F.from_utc_timestamp(time, spec.zone)
    if kind == "timestamp":
        return time
    if kind in ("timestamp_ntz", "date"):
        return local.cast(kind)
    number = micros / 1_000_000 if spec.format == "epoch_seconds" or kind == "int" else micros / 1_000
    if kind in _NUMBERS or kind.startswith("decimal"):
        return F.floor(number).cast(kind) if kind in ("int", "bigint") else number.cast(kind)
    if spec.format in ("epoch_millis", "epoch_seconds"):
        return F.floor(number).cast("string")
    if spec.format in ("auto", "iso8601"):
        return F.date_format(time, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
    return F.date_format(local, spec.format)


def _read(value: Column, kind: str, spec: EventTime) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    form = spec.format
    if kind == "timestamp":
        return value
    if kind in ("timestamp_ntz", "date"):
        return F.to_utc_timestamp(value.cast("timestamp"), spec.zone)
    if kind in _NUMBERS or kind.startswith("decimal"):
        return _from_number(value.cast("double"), form)
    if form in ("epoch_millis", "epoch_seconds", "epoch"):
        return _from_number(value.cast("double"), form)
    if form in ("auto", "iso8601"):
        return _zoned(F.try_to_timestamp(value), value, spec)
    return F.to_utc_timestamp(F.try_to_timestamp(value, F.lit(form)), spec.zone)


def _from_number(value: Column, form: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    millis = F.timestamp_micros((value * 1_000).cast("bigint"))
    seconds = F.timestamp_micros((value * 1_000_000).cast("bigint"))
    if form == "epoch_millis":
        return millis
    if form in ("epoch_seconds", "epoch"):
        return seconds
    size = F.abs(value)
    return F.when(size < 1e11, seconds).when(size < 1e14, millis).otherwise(F.timestamp_micros(value.cast("bigint")))


def _zoned(read: Column, text: Column, spec: EventTime) -> Column:
    """A text that names its zone is what it says; one that does not is read in the given zone."""
    from pyspark.sql import functions as F  # noqa: N812

    if spec.zone == "UTC":
        return read
    named = text.rlike("(Z|[+-][0-9]{2}:?[0-9]{2}|[A-Za-z]+/[A-Za-z_]+)$")
    return F.when(named, read).otherwise(F.to_utc_timestamp(read, spec.zone))
