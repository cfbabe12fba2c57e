"""Times of day (type TIME): Spark has them where spark.sql.timeType.enabled is set, as Velostream's sessions do."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import TIME
from velostream.types import BIGINT, decimal

scalar = Family("time of day")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("CURRENT_TIME([precision!: integer])", TIME,
      "The time of day at present",
      "CURRENT_TIME() >= TIME('00:00:00')", "true"),
    scalar("MAKE_TIME(hour: integer, minute: integer, second: number)", TIME,
      "The time of day of an hour, a minute and a second",
      "MAKE_TIME(9, 30, 15)", "09:30:15"),
    scalar("TIME_DIFF(unit: string, start: clock, end: clock)", BIGINT,
      "The whole units from one time of day to another",
      "TIME_DIFF('MINUTE', TIME('09:00:00'), TIME('09:30:00'))", "30"),
    scalar("TIME_FROM_MICROS(microseconds: whole)", TIME,
      "The time of day so many microseconds after midnight",
      "TIME_FROM_MICROS(1000000)", "00:00:01"),
    scalar("TIME_FROM_MILLIS(milliseconds: whole)", TIME,
      "The time of day so many milliseconds after midnight",
      "TIME_FROM_MILLIS(1000)", "00:00:01"),
    scalar("TIME_FROM_SECONDS(seconds: number)", TIME,
      "The time of day so many seconds after midnight",
      "TIME_FROM_SECONDS(3600)", "01:00:00"),
    scalar("TIME_TO_MICROS(time: clock)", BIGINT,
      "The microseconds from midnight to a time of day",
      "TIME_TO_MICROS(TIME('00:00:01'))", "1000000"),
    scalar("TIME_TO_MILLIS(time: clock)", BIGINT,
      "The milliseconds from midnight to a time of day",
      "TIME_TO_MILLIS(TIME('00:00:01'))", "1000"),
    scalar("TIME_TO_SECONDS(time: clock)", decimal(14, 6),
      "The seconds from midnight to a time of day",
      "TIME_TO_SECONDS(TIME('01:00:00'))", "3600.000000"),
    scalar("TIME_TRUNC(unit: string, time: clock)", TIME,
      "A time of day cut down to a unit",
      "TIME_TRUNC('HOUR', TIME('09:30:15'))", "09:00:00"),
    scalar("TO_TIME(value: text, [pattern: text])", TIME,
      "A text read as a time of day",
      "TO_TIME('09.30', 'HH.mm')", "09:30:00"),
    scalar("TRY_TO_TIME(value: text, [pattern: string])", TIME,
      "A text read as a time of day; NULL where it is none",
      "TRY_TO_TIME('noon')", "NULL"),
)
