"""Texts that are times: ISO 8601, patterns, and what can be told without being told the format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.spark.lower.time_patterns import WEEKDAYS, TimePattern, read_pattern

if TYPE_CHECKING:
    from pyspark.sql import Column

_EXPONENT = r"^[+-]?[0-9]+([.][0-9]+)?[eE][+-]?[0-9]+$"
NUMBER = r"^[+-]?[0-9]+([.][0-9]+)?$"
_ISO = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}(:?[0-9]{2})?|[A-Z][A-Z_]+/[A-Z_/]+)?)?$"
)
_USUAL = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?$"
_BASIC = r"^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})?"
_ZONED = r"T.*(Z|UTC|GMT|[+-][0-9]{2}(:?[0-9]{2})?|[A-Z]/[A-Z_/]+)$"
_GUESSES = ("yyyy/MM/dd HH:mm:ss[.SSSSSS]", "d MMM yyyy HH:mm:ss xx", "d MMM yyyy HH:mm:ss z")
_DAY_BEFORE = r"(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +"


@dataclass(frozen=True)
class TimeText:
    """`wall`: the time as written, NULL where it cannot be read; `zoned`: a condition, true where it names its zone."""

    wall: Column
    zoned: Column


def without_exponent(text: Column) -> Column:
    """A number as digits: Spark makes 1.7E9 of one of JSON that has a fraction, where its column is text."""
    from pyspark.sql import functions as F  # noqa: N812

    digits = F.when(text.rlike(_EXPONENT), text.try_cast("decimal(38,9)")).cast("string")
    return F.coalesce(digits, text)


def iso_time(text: Column) -> TimeText:
    """ISO 8601: a date, maybe a time of day, its fraction and its zone; basic forms such as 20260131T120000Z too."""
    from pyspark.sql import functions as F  # noqa: N812

    plain = F.regexp_replace(F.trim(text), ",", ".")
    extended = F.regexp_replace(plain, _BASIC, "$1-$2-$3T$4:$5:$6")
    closed = F.regexp_replace(extended, ":([.]|Z|[+-]|$)", "$1")
    spaced = F.regexp_replace(closed, r"^([0-9-]{10})[ t]", "$1T")
    spaced = F.regexp_replace(spaced, r"T([0-9]{2}:[0-9]{2})([Zz +-]|$)", "T$1:00$2")
    spaced = F.regexp_replace(spaced, "z$", "Z")
    shape = F.upper(spaced)
    rare = F.when(shape.rlike(_ISO), F.try_to_timestamp(spaced))
    # Most texts need none of that, and it costs more than the rest of the scan.
    return TimeText(F.when(text.rlike(_USUAL), F.try_to_timestamp(text)).otherwise(rare), shape.rlike(_ZONED))


def pattern_time(text: Column, form: str) -> TimeText:
    """A text by a pattern of strptime or Spark."""
    from pyspark.sql import functions as F  # noqa: N812

    pattern = read_pattern(form)
    cut = F.regexp_replace(text, WEEKDAYS, "") if pattern.weekday else text
    wall = F.try_to_timestamp(cut, F.lit(pattern.text))
    return TimeText(_in_century(wall, pattern), F.lit(pattern.zoned))


def _in_century(wall: Column, pattern: TimePattern) -> Column:
    """Spark reads years of two digits as 2000 to 2099, strptime as 1969 to 2068."""
    from pyspark.sql import functions as F  # noqa: N812

    if not pattern.short_year:
        return wall
    return F.when(F.year(wall) >= 2069, wall - F.make_interval(F.lit(100))).otherwise(wall)


def detected_time(text: Column) -> TimeText:
    """A text of a format that nobody named: ISO 8601, slashes, or the way of mails and web servers."""
    from pyspark.sql import functions as F  # noqa: N812

    iso = iso_time(text)
    cut = F.regexp_replace(text, _DAY_BEFORE, "")
    guesses = [F.try_to_timestamp(cut, F.lit(pattern)) for pattern in _GUESSES]
    return TimeText(
        F.coalesce(iso.wall, *guesses), F.when(iso.wall.isNotNull(), iso.zoned).otherwise(guesses[0].isNull())
    )
