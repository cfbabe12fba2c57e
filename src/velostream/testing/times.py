"""Points in time as specifications write them: ISO text, a time of day, a number since 1970. Microseconds in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,6}))?)?")
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?")
_MILLIS_FROM, _MICROS_FROM = 1e11, 1e14
"""Numbers from these sizes on are milliseconds and microseconds, as event times that are detected."""


def micros_of(value: object, day: str) -> int | None:
    """Microseconds since 1970, or None for what is no time. A time of day is one of `day`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _of_number(value)
    if isinstance(value, datetime):
        zoned = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return (zoned - EPOCH) // timedelta(microseconds=1)
    return of_text(value, day) if isinstance(value, str) else None


def of_text(text: str, day: str) -> int | None:
    """Microseconds of a time that is written as text, or None."""
    found = _TIME_OF_DAY.fullmatch(text)
    if found is not None and int(found[1]) < 24:
        start = of_text(day, day)
        seconds = int(found[1]) * 3_600 + int(found[2]) * 60 + int(found[3] or 0)
        return (start or 0) + seconds * 1_000_000 + int((found[4] or "").ljust(6, "0"))
    if _DATED.fullmatch(text) is None:
        return None
    try:
        return micros_of(datetime.fromisoformat(text), day)
    except ValueError:
        return None


def shown(micros: int) -> str:
    """ISO text, with as many digits as it takes."""
    time = EPOCH + timedelta(microseconds=micros)
    text = (
        time.strftime("%Y-%m-%dT%H:%M:%S")
        if time.year >= 1000
        else f"{time.year:04d}" + time.strftime("-%m-%dT%H:%M:%S")
    )
    return text + (f".{time.microsecond:06d}".rstrip("0") if time.microsecond else "") + "Z"


def _of_number(value: float) -> int:
    size = abs(value)
    if size < _MILLIS_FROM:
        return round(value * 1_000_000)
    return round(value * 1_000) if size < _MICROS_FROM else round(value)
