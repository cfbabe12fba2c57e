"""Event time: a column, a number since 1970 or a text becomes a timestamp; what cannot is said with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.durations import FIRST, LAST
from velostream.errors import VeloError
from velostream.plan.time import EventTime
from velostream.spark.attempt import attempt
from velostream.spark.lower.context import column
from velostream.spark.lower.local_times import local_time
from velostream.spark.lower.time_patterns import write_pattern
from velostream.spark.lower.time_texts import NUMBER, TimeText, detected_time, iso_time, pattern_time, without_exponent
from velostream.spark.lower.wrong_columns import UNREAD

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MISSING, TYPE, INVALID = "event_time_missing", "event_time_type", "event_time_invalid"
UNPARSABLE, AMBIGUOUS, UNDETECTED = "event_time_unparsable", "event_time_ambiguous", "event_time_undetected"
CLOCK_SKEW = "clock_skew"

_READ, _FAILED = "_read", "_failed"
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_FRACTIONS = ("float", "double")
_EPOCHS = ("epoch_millis", "epoch_seconds")
_SHOWN = 100


@dataclass(frozen=True)
class _Reading:
    """`time` is NULL where the value cannot be read; then `failure` is the reason, and `told` says it at length."""

    time: Column
    failure: Column
    told: Column
    sure: bool = False
    """True where reading it never ends in an error of Spark's."""

    @property
    def held(self) -> Column:
        """The time as a column keeps it: in a struct, so that an attempt is made once for all who look at it."""
        from pyspark.sql import functions as F  # noqa: N812

        return self.time if self.sure else F.struct(attempt(self.time).alias("time"))


def with_event_time(frame: DataFrame, spec: EventTime, record_time: Column, available: list[str]) -> DataFrame:
    """The frame with `_event_time`; records without one get `_status` and `_detail`, unless there is a fallback.

    `available` are the columns that the message about a missing one may name.
    """
    from pyspark.sql import functions as F  # noqa: N812

    alive = F.col("_status").isNull() & F.col("_mark").isNull()
    if not spec.column or spec.semantics == "processing":
        now = record_time if spec.semantics == "event" else reading_time(frame)
        return frame.withColumn("_event_time", F.when(alive, now))
    value, kind = _field(frame, spec.column)
    reading = _read(value, kind, spec)
    absent = F.concat(F.lit(f"'{spec.column}' is missing; the record has: "), _present(frame, available))
    kept = "_event_time" if reading.sure else _READ
    time = F.col(kept if reading.sure else f"{_READ}.time")
    reason = F.when(value.isNull(), F.lit(MISSING)).when(time.isNull(), reading.failure)
    told = F.when(value.isNull(), absent).otherwise(reading.told)
    if UNREAD in frame.columns:
        unread, why, said = _unread(kind)
        reason, told = F.when(unread, F.lit(why)).otherwise(reason), F.when(unread, said).otherwise(told)
    frame = frame.withColumn(kept, F.when(alive, reading.held))
    if spec.fallback == "record_time":
        frame = frame.withColumn("_event_time", F.when(alive, F.coalesce(time, record_time)))
    elif not reading.sure:
        frame = frame.withColumn("_event_time", time)
    if spec.fallback == "dead_letter":
        failed = F.when(alive, reason)
        if not reading.sure:
            frame, failed = frame.withColumn(_FAILED, failed), F.col(_FAILED)
        status = F.coalesce(F.col("_status"), failed)
        detail = F.when(failed.isNotNull(), told).otherwise(F.col("_detail"))
        frame = frame.withColumns({"_status": status, "_detail": detail})
    return frame if reading.sure else frame.drop(_READ, _FAILED)


def reading_time(frame: DataFrame) -> Column:
    """When records are read: what the clock shows, which Spark keeps for a re-run; a test may give it with them."""
    from pyspark.sql import functions as F  # noqa: N812

    return column("_clock") if "_clock" in frame.columns else F.current_timestamp()


def without_skewed(frame: DataFrame, spec: EventTime) -> DataFrame:
    """Records further in the future than `event.time.max_clock_skew` have the status `clock_skew`."""
    from pyspark.sql import functions as F  # noqa: N812

    if spec.max_clock_skew is None:
        return frame
    ahead = F.unix_micros(F.col("_event_time")) - F.unix_micros(reading_time(frame))
    skewed = F.col("_status").isNull() & (ahead > spec.max_clock_skew)
    told = F.concat(F.lit("its event time is "), (ahead / 1_000_000).cast("decimal(20,1)"), F.lit(" s in the future"))
    return frame.withColumns(
        {
            "_detail": F.when(skewed, told).otherwise(F.col("_detail")),
            "_status": F.when(skewed, F.lit(CLOCK_SKEW)).otherwise(F.col("_status")),
        }
    )


def written(time: Column, kind: str, spec: EventTime) -> Column:
    """A time as a column of type `kind` holds it, so that reading the column by `spec` gives the time again."""
    from pyspark.sql import functions as F  # noqa: N812

    local = F.from_utc_timestamp(time, spec.zone)
    if kind == "timestamp":
        return time
    if kind in ("timestamp_ntz", "date"):
        return local.cast(kind)
    seconds = spec.format == "epoch_seconds" or (spec.format == "auto" and kind == "int")
    number = F.unix_micros(time).cast("decimal(20,0)") / (1_000_000 if seconds else 1_000)
    if kind in _WHOLE:
        return F.floor(number).cast(kind)
    if kind in _FRACTIONS or kind.startswith("decimal"):
        return number.cast(kind)
    if spec.format in _EPOCHS:
        return F.floor(number).cast("string")
    if spec.format in ("auto", "iso8601"):
        return F.date_format(time, "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
    return F.date_format(local, write_pattern(spec.format))


def _field(frame: DataFrame, path: str) -> tuple[Column, str]:
    """The column that holds the time, by a name in any letter case or a path into a struct, and its type."""
    first, *rest = path.split(".")
    names = frame.columns
    whole = next((name for name in names if name.casefold() == path.casefold()), None)
    value = column(whole or next(name for name in names if name.casefold() == first.casefold()))
    if whole is None:
        for part in rest:
            value = value.getField(part)
    kind = frame.select(value.alias("value")).dtypes[0][1]
    readable = (*_WHOLE, *_FRACTIONS, "string", "timestamp", "timestamp_ntz", "date")
    if kind not in readable and not kind.startswith("decimal"):
        message = f"event.time.field '{path}' is {kind.upper()}, which cannot be read as a time"
        raise VeloError(message, hint="use a TIMESTAMP, epoch numbers or text", code="type-mismatch")
    return value, kind


def _present(frame: DataFrame, available: list[str]) -> Column:
    """The names of the columns that a record has."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.concat_ws(", ", *(F.when(column(name).isNotNull(), F.lit(name)) for name in available))


def _unread(kind: str) -> tuple[Column, str, Column]:
    """Where a record has something that is no value of the declared type; the reason; and the same at length."""
    from pyspark.sql import functions as F  # noqa: N812

    text, temporal = F.col(UNREAD), kind in ("timestamp", "timestamp_ntz", "date")
    shown = F.concat(F.lit("'"), F.substring(text, 1, _SHOWN), F.lit(f"' is not {kind.upper()}, as it is declared"))
    hint = "; as STRING it would be read by event.time.format" if temporal else ""
    return text.isNotNull(), UNPARSABLE if temporal else TYPE, F.concat(shown, F.lit(hint))


def _read(value: Column, kind: str, spec: EventTime) -> _Reading:
    from pyspark.sql import functions as F  # noqa: N812

    form = spec.format
    shown = F.concat(F.lit("'"), F.substring(value.cast("string"), 1, _SHOWN), F.lit("'"))
    outside = F.concat(shown, F.lit(f" as {form} lies outside of the years 1 to 9999"))
    if kind == "timestamp":
        within = F.unix_micros(value).between(FIRST, LAST)
        return _Reading(F.when(within, value), F.lit(INVALID), outside, sure=True)
    if kind in ("timestamp_ntz", "date"):
        return _local(TimeText(value.cast("timestamp"), F.lit(False)), shown, spec, F.lit(INVALID), outside)
    if kind != "string" and form in ("auto", *_EPOCHS):
        return _Reading(_from_number(value, kind, form), F.lit(INVALID), outside)
    text = without_exponent(value.cast("string"))
    if form in _EPOCHS:
        numeric = text.rlike(NUMBER)
        number = F.when(numeric, _from_number(text.cast("decimal(38,9)"), "decimal", form))
        failure = F.when(numeric, F.lit(INVALID)).otherwise(F.lit(TYPE))
        told = F.when(numeric, outside).otherwise(F.concat(shown, F.lit(f" is text, and {form} is a number")))
        return _Reading(number, failure, told)
    if form == "auto":
        return _detected(text, shown, spec)
    read = iso_time(text) if form == "iso8601" else pattern_time(text, form)
    return _local(read, shown, spec, F.lit(UNPARSABLE), F.concat(shown, F.lit(f" does not follow the format '{form}'")))


def _detected(text: Column, shown: Column, spec: EventTime) -> _Reading:
    """Numbers by their digits, other texts by their looks."""
    from pyspark.sql import functions as F  # noqa: N812

    unknown = F.concat(shown, F.lit(" is in no format that can be told; set event.time.format"))
    read = _local(detected_time(text), shown, spec, F.lit(UNDETECTED), unknown)
    digits = F.length(F.regexp_extract(text, "^[+-]?([0-9]+)", 1))
    number = text.rlike(NUMBER) & digits.between(9, 19)
    epoch = _from_number(F.when(number, text).cast("decimal(38,9)"), "decimal", "auto")
    return _Reading(F.when(number, epoch).otherwise(read.time), read.failure, read.told)


def _local(read: TimeText, shown: Column, spec: EventTime, failure: Column, told: Column) -> _Reading:
    """The instant of a time as written: as it says, or in the zone that is set."""
    from pyspark.sql import functions as F  # noqa: N812

    local = local_time(read.wall, spec.zone)
    sound = local.exists & ~local.ambiguous
    instant = read.wall if spec.zone == "UTC" else F.when(read.zoned, read.wall).when(sound, local.instant)
    is_read = read.wall.isNotNull()
    why = F.when(is_read & local.ambiguous, F.lit(AMBIGUOUS)).when(is_read, F.lit(INVALID)).otherwise(failure)
    text = (
        F.when(
            is_read & local.ambiguous, F.concat(shown, F.lit(f" is there twice in {spec.zone}: clocks are put back"))
        )
        .when(
            is_read & ~local.exists, F.concat(shown, F.lit(f" does not exist in {spec.zone}: clocks are put forward"))
        )
        .when(is_read, F.concat(shown, F.lit(" lies outside of the years 1 to 9999")))
        .otherwise(told)
    )
    return _Reading(_within(F.unix_micros(instant)), why, text)


def _from_number(value: Column, kind: str, form: str) -> Column:
    """Since 1970 in the unit of the format; `auto` goes by the size: seconds, milli-, micro- or nanoseconds."""
    from pyspark.sql import functions as F  # noqa: N812

    number = value.cast("bigint") if kind in _WHOLE else value.cast("decimal(38,9)")
    seconds, millis = number * 1_000_000, number * 1_000
    if form != "auto":
        return _within(millis if form == "epoch_millis" else seconds)
    size = F.abs(number)
    return (
        F.when(size < 10**11, _within(seconds))
        .when(size < 10**14, _within(millis))
        .when(size < 10**17, _within(number))
        .otherwise(_within(F.floor(number.cast("decimal(38,9)") / 1_000)))
    )


def _within(micros: Column) -> Column:
    """A timestamp within the years 1 to 9999, else NULL."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.timestamp_micros(F.when(micros.between(FIRST, LAST), micros).cast("bigint"))
