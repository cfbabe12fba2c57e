"""Points in time: from text and numbers and back, time zones, intervals."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BIGINT, INTERVAL, STRING, TIMESTAMP, TIMESTAMP_NTZ

scalar = Family("timestamp")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("CONVERT_TIMEZONE([source: string], target: string, time: time)", TIMESTAMP_NTZ,
      "The time of one zone as it is called in another; without a source it is the session's zone",
      "CONVERT_TIMEZONE('Europe/Berlin', 'UTC', TIMESTAMP_NTZ '2024-05-01 12:00:00')", "2024-05-01 10:00:00"),
    scalar("CONVERT_TZ(time: time, source: string, target: string)", STRING,
      "The time of one zone as text as it is called in another",
      "CONVERT_TZ('2024-05-01 12:00:00', 'Europe/Berlin', 'UTC')", "2024-05-01 10:00:00",
      lowers="date_format(convert_timezone({1}, {2}, {0}), 'yyyy-MM-dd HH:mm:ss')"),
    scalar("FROM_UNIXTIME(seconds: integer, [pattern: string])", STRING,
      "Seconds since 1970 as text, by a pattern such as yyyy-MM-dd HH:mm:ss",
      "FROM_UNIXTIME(0, 'yyyy-MM-dd')", "1970-01-01"),
    scalar("FROM_UTC_TIMESTAMP(time: time, zone: string)", TIMESTAMP,
      "A time in UTC as it is called in a zone",
      "FROM_UTC_TIMESTAMP(TIMESTAMP '2024-05-01 10:00:00', 'Europe/Berlin')", "2024-05-01 12:00:00"),
    scalar("MAKE_DT_INTERVAL([days: integer], [hours: integer], [minutes: integer], [seconds: number])", INTERVAL,
      "A length of time of days, hours, minutes and seconds",
      "MAKE_DT_INTERVAL(1, 2, 30)", "INTERVAL '1 02:30:00' DAY TO SECOND"),
    scalar("MAKE_INTERVAL([years: integer], [months: integer], [weeks: integer], [days: integer], [hours: "
      "integer], [minutes: integer], [seconds: number])", INTERVAL,
      "A length of time of years down to seconds",
      "MAKE_INTERVAL(0, 1, 0, 2)", "1 months 2 days"),
    scalar("MAKE_TIMESTAMP(year: integer, month: integer, day: integer, hour: integer, minute: integer, second: "
      "number, [zone: string]) | (date: date, [time], [zone: string])", TIMESTAMP,
      "The time of a year, month, day, hour, minute and second, or of a date and a time of day",
      "MAKE_TIMESTAMP(2024, 5, 1, 9, 30, 15.5)", "2024-05-01 09:30:15.5"),
    scalar("MAKE_TIMESTAMP_LTZ(year: integer, month: integer, day: integer, hour: integer, minute: integer, "
      "second: number, [zone: string]) | (date: date, time, [zone: string])", TIMESTAMP,
      "The time of a year, month, day, hour, minute and second in the session's zone or another",
      "MAKE_TIMESTAMP_LTZ(2024, 5, 1, 9, 30, 15.5)", "2024-05-01 09:30:15.5"),
    scalar("MAKE_TIMESTAMP_NTZ(year: integer, month: integer, day: integer, hour: integer, minute: integer, "
      "second: number) | (date: date, time)", TIMESTAMP_NTZ,
      "The time of a year, month, day, hour, minute and second without a zone",
      "MAKE_TIMESTAMP_NTZ(2024, 5, 1, 9, 30, 15.5)", "2024-05-01 09:30:15.5"),
    scalar("MAKE_YM_INTERVAL([years: integer], [months: integer])", INTERVAL,
      "A length of time of years and months",
      "MAKE_YM_INTERVAL(1, 2)", "INTERVAL '1-2' YEAR TO MONTH"),
    scalar("MILLIS(time: time)", BIGINT,
      "A time as milliseconds since 1970",
      "MILLIS(TIMESTAMP '1970-01-01 00:00:01')", "1000",
      lowers="unix_millis(cast({0} AS TIMESTAMP))"),
    scalar("STRINGTOTIMESTAMP(text: text, pattern: text) | (text: text, pattern: text, zone: string)", BIGINT,
      "A text read as a time by a pattern, as milliseconds since 1970",
      "STRINGTOTIMESTAMP('2024-05-01', 'yyyy-MM-dd')", "1714521600000",
      lowers="unix_millis(to_timestamp({0}, {1}))\n"
             "unix_millis(to_utc_timestamp(to_timestamp({0}, {1}), {2}))"),
    scalar("TIMESTAMP_MICROS(microseconds: whole)", TIMESTAMP,
      "The time so many microseconds after 1970",
      "TIMESTAMP_MICROS(1000000)", "1970-01-01 00:00:01"),
    scalar("TIMESTAMP_MILLIS(milliseconds: whole)", TIMESTAMP,
      "The time so many milliseconds after 1970",
      "TIMESTAMP_MILLIS(1500)", "1970-01-01 00:00:01.5"),
    scalar("TIMESTAMP_SECONDS(seconds: number)", TIMESTAMP,
      "The time so many seconds after 1970",
      "TIMESTAMP_SECONDS(1.5)", "1970-01-01 00:00:01.5"),
    scalar("TIMESTAMPTOSTRING(milliseconds: whole, pattern: string) | (milliseconds: whole, pattern: string, "
      "zone: string)", STRING,
      "Milliseconds since 1970 as text by a pattern, in UTC or another zone",
      "TIMESTAMPTOSTRING(0, 'yyyy-MM-dd HH:mm', 'Europe/Berlin')", "1970-01-01 01:00",
      lowers="date_format(timestamp_millis({0}), {1})\n"
             "date_format(from_utc_timestamp(timestamp_millis({0}), {2}), {1})"),
    scalar("TO_TIMESTAMP(value: atomic, [pattern: string])", TIMESTAMP,
      "A text read as a time, by a pattern if one is given",
      "TO_TIMESTAMP('01.05.2024 09:30', 'dd.MM.yyyy HH:mm')", "2024-05-01 09:30:00", aliases=("PARSE_TIMESTAMP",)),
    scalar("TO_TIMESTAMP_LTZ(value: atomic, [pattern: text]) | (epoch: integer, precision!: whole)", TIMESTAMP,
      "A text read as a time, or a number since 1970 of seconds (precision 0) or milliseconds (precision 3)",
      "TO_TIMESTAMP_LTZ(1500, 3)", "1970-01-01 00:00:01.5",
      lowers="to_timestamp_ltz({0})\n"
             "if(typeof({1}) = 'string', to_timestamp_ltz(cast({0} AS STRING), cast({1} AS STRING)), "
             "timestamp_seconds(try_cast(cast({0} AS STRING) AS DECIMAL(20,0)) / if(cast({1} AS STRING) = '3', "
             "1000, 1)))"),
    scalar("TO_TIMESTAMP_NTZ(value: atomic, [pattern: string])", TIMESTAMP_NTZ,
      "A text read as a time without a zone",
      "TO_TIMESTAMP_NTZ('2024-05-01 09:30:00')", "2024-05-01 09:30:00"),
    scalar("TO_UNIX_TIMESTAMP(value: time, [pattern: text])", BIGINT,
      "A time, or a text read by a pattern, as seconds since 1970",
      "TO_UNIX_TIMESTAMP('1970-01-02', 'yyyy-MM-dd')", "86400"),
    scalar("TO_UTC_TIMESTAMP(time: time, zone: string)", TIMESTAMP,
      "A time as it is called in a zone, in UTC",
      "TO_UTC_TIMESTAMP(TIMESTAMP '2024-05-01 12:00:00', 'Europe/Berlin')", "2024-05-01 10:00:00"),
    scalar("TRY_MAKE_INTERVAL(years: integer, [months: integer], [weeks: integer], [days: integer], [hours: "
      "integer], [minutes: integer], [seconds: number])", INTERVAL,
      "A length of time of years down to seconds; NULL on overflow",
      "TRY_MAKE_INTERVAL(0, 1)", "1 months"),
    scalar("TRY_MAKE_TIMESTAMP(year: integer, month: integer, day: integer, hour: integer, minute: integer, "
      "second: number, [zone: string]) | (date: date, [time], [zone: string])", TIMESTAMP,
      "The time of its parts; NULL where there is no such time",
      "TRY_MAKE_TIMESTAMP(2024, 13, 1, 9, 30, 15)", "NULL"),
    scalar("TRY_MAKE_TIMESTAMP_LTZ(year: integer, month: integer, day: integer, hour: integer, minute: integer, "
      "second: number, [zone: string]) | (date: date, time, [zone: string])", TIMESTAMP,
      "The time of its parts in the session's zone or another; NULL where there is no such time",
      "TRY_MAKE_TIMESTAMP_LTZ(2024, 13, 1, 9, 30, 15)", "NULL"),
    scalar("TRY_MAKE_TIMESTAMP_NTZ(year: integer, month: integer, day: integer, hour: integer, minute: integer, "
      "second: number) | (date: date, time)", TIMESTAMP_NTZ,
      "The time of its parts without a zone; NULL where there is no such time",
      "TRY_MAKE_TIMESTAMP_NTZ(2024, 5, 1, 9, 30, 15)", "2024-05-01 09:30:15"),
    scalar("TRY_TO_TIMESTAMP(value: atomic, [pattern: string])", TIMESTAMP,
      "A text read as a time; NULL where it is none",
      "TRY_TO_TIMESTAMP('someday')", "NULL"),
    scalar("UNIX_MICROS(time: instant)", BIGINT,
      "A time as microseconds since 1970",
      "UNIX_MICROS(TIMESTAMP '1970-01-01 00:00:01')", "1000000"),
    scalar("UNIX_MILLIS(time: instant)", BIGINT,
      "A time as milliseconds since 1970",
      "UNIX_MILLIS(TIMESTAMP '1970-01-01 00:00:01')", "1000"),
    scalar("UNIX_SECONDS(time: instant)", BIGINT,
      "A time as seconds since 1970",
      "UNIX_SECONDS(TIMESTAMP '1970-01-01 00:01:00')", "60"),
    scalar("UNIX_TIMESTAMP([value: time], [pattern: text])", BIGINT,
      "A time, or a text read by a pattern, as seconds since 1970; without arguments the batch's clock",
      "UNIX_TIMESTAMP('1970-01-02', 'yyyy-MM-dd')", "86400"),
)
