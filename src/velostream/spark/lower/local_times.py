"""Times that do not name their zone: the instant that they mean, unless there is none or there are two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from pyspark.sql import Column

_FIRST, _LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class LocalTime:
    """`instant` is the first one where there are two; `exists` and `ambiguous` are conditions."""

    instant: Column
    exists: Column
    ambiguous: Column


def local_time(wall: Column, zone: str) -> LocalTime:
    """What a clock on the wall says in a zone; `wall` is a TIMESTAMP that shows in UTC what the clock shows."""
    from pyspark.sql import functions as F  # noqa: N812

    if zone == "UTC" or zone[0] in "+-":
        instant = wall if zone == "UTC" else F.to_utc_timestamp(wall, zone)
        return LocalTime(instant, F.lit(True), F.lit(False))
    instant = F.to_utc_timestamp(wall, zone)
    twice = F.lit(False)
    for seconds in overlaps(zone):
        later = F.timestamp_micros(F.unix_micros(instant) + seconds * 1_000_000)
        twice = twice | (F.from_utc_timestamp(later, zone) == wall)
    return LocalTime(instant, F.from_utc_timestamp(instant, zone) == wall, twice)


@lru_cache(maxsize=64)
def overlaps(zone: str) -> tuple[int, ...]:
    """By how many seconds clocks of a zone were or will be put back, from 1900 to 2100."""
    rules = ZoneInfo(zone)
    found = set()
    before = None
    day = _FIRST
    while day < _LAST:
        offset = day.astimezone(rules).utcoffset()
        assert offset is not None
        if before is not None and offset < before:
            found.add(int((before - offset).total_seconds()))
        before = offset
        day += timedelta(days=1)
    return tuple(sorted(found))
