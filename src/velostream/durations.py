"""Lengths of time, in microseconds: `500ms 5s 1m 2h 1d 1w`, a number of seconds, `1 MINUTE`, `INTERVAL '1' MINUTE`."""

import re
from decimal import Decimal

from velostream.errors import InvalidDuration

MICROSECOND = 1
MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The times of the years 1 to 9999 since 1970, which all that reads results can show."""

UNITS: dict[str, int] = {
    "us": MICROSECOND,
    "microsecond": MICROSECOND,
    "microseconds": MICROSECOND,
    "ms": MILLISECOND,
    "millisecond": MILLISECOND,
    "milliseconds": MILLISECOND,
    "millis": MILLISECOND,
    "s": SECOND,
    "sec": SECOND,
    "secs": SECOND,
    "second": SECOND,
    "seconds": SECOND,
    "m": MINUTE,
    "min": MINUTE,
    "mins": MINUTE,
    "minute": MINUTE,
    "minutes": MINUTE,
    "h": HOUR,
    "hour": HOUR,
    "hours": HOUR,
    "d": DAY,
    "day": DAY,
    "days": DAY,
    "w": WEEK,
    "week": WEEK,
    "weeks": WEEK,
}

LONGEST = 100 * 365 * DAY

_SHOWN = (("w", WEEK), ("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", MILLISECOND), ("us", MICROSECOND))
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")
_INTERVAL = re.compile(r"""interval\s+(?:'([^']*)'|"([^"]*)"|([0-9.]+))\s*([A-Za-z]*)""", re.IGNORECASE)
_HINT = "write 500ms, 5s, 1m, 2h, 1d, 1w, a number of seconds, or INTERVAL '1' MINUTE"


def of(amount: str, unit: str) -> int:
    """Microseconds of an amount and a unit as written; a missing unit is seconds."""
    name = unit.casefold() or "s"
    if name in ("month", "months", "year", "years", "quarter", "quarters"):
        raise InvalidDuration(f"'{unit}' has no fixed length", hint="use days or weeks")
    if name not in UNITS:
        raise InvalidDuration(f"'{unit}' is not a unit of time", hint=_HINT)
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", amount):
        raise InvalidDuration(f"'{amount}' is not a length of time", hint=_HINT)
    exact = Decimal(amount) * UNITS[name]
    if exact != int(exact):
        raise InvalidDuration(f"'{amount}{unit}' is finer than a microsecond", hint=_HINT)
    if exact > LONGEST:
        raise InvalidDuration(f"'{amount}{unit}' is longer than a hundred years", hint=_HINT)
    return int(exact)


def parse(text: str) -> int:
    """Microseconds of a duration in any of its spellings; `1h30m` and `1 HOUR 30 MINUTES` add up."""
    stripped = text.strip()
    interval = _INTERVAL.fullmatch(stripped)
    if interval:
        stripped = (interval[1] or interval[2] or interval[3] or "") + (f" {interval[4]}" if interval[4] else "")
    total, position = 0, 0
    while position < len(stripped):
        part = _PART.match(stripped, position)
        if part is None or (not part[2] and (position or part.end() != len(stripped))):
            raise InvalidDuration(f"'{text}' is not a length of time", hint=_HINT)
        total += of(part[1], part[2])
        position = part.end()
        while position < len(stripped) and stripped[position] == " ":
            position += 1
    if not stripped:
        raise InvalidDuration("a length of time is empty", hint=_HINT)
    if total > LONGEST:
        raise InvalidDuration(f"'{text}' is longer than a hundred years", hint=_HINT)
    return total


def show(micros: int) -> str:
    """The shortest exact spelling: `1m30s`, `500ms`, `0s`."""
    sign, rest, parts = ("-", -micros, []) if micros < 0 else ("", micros, [])
    for unit, length in _SHOWN:
        count, rest = divmod(rest, length)
        if count:
            parts.append(f"{count}{unit}")
    return sign + ("".join(parts) or "0s")
