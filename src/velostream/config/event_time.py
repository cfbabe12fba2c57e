"""Event time (`event.time.*`, `time.semantics`): where it stands in a record and how it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.kinds import Choice, Duration, Text
from velostream.config.property import Property, Scope
from velostream.errors import InvalidProperty

_WORDS = {
    "auto": "auto",
    "epoch_millis": "epoch_millis",
    "epoch_seconds": "epoch_seconds",
    "epoch": "epoch_seconds",
    "iso8601": "iso8601",
}
_STRPTIME = set("aAbBcdHIjmMpSfyYzZ%TDFRTxX")
_SPARK = {
    "G": 4,
    "y": 6,
    "M": 4,
    "L": 4,
    "d": 2,
    "D": 3,
    "E": 4,
    "a": 1,
    "H": 2,
    "h": 2,
    "K": 2,
    "k": 2,
    "m": 2,
    "s": 2,
}
_SPARK |= {"S": 9, "V": 2, "z": 4, "O": 4, "X": 5, "x": 5}
"""How many of each letter Spark reads times by."""
_HINT = "use auto, epoch_millis, epoch_seconds, iso8601, or a pattern such as yyyy-MM-dd HH:mm:ss or %Y-%m-%d %H:%M:%S"


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """`auto`, `epoch_millis`, `epoch_seconds` (or `epoch`), `iso8601`, a strptime pattern or a pattern of Spark's."""

    name: str = "time format"

    def parse(self, text: str) -> object:
        """The word as declared, or the pattern."""
        stripped = text.strip()
        word = stripped.casefold().replace("-", "_")
        if word in _WORDS:
            return _WORDS[word]
        pattern = _strptime(stripped) if "%" in stripped else _spark(stripped)
        if not pattern:
            raise InvalidProperty(f"'{text}' is not a format of times", hint=_HINT)
        return stripped


def _strptime(text: str) -> bool:
    directives = re.findall(r"%(.?)", text)
    return bool(directives) and all(directive in _STRPTIME for directive in directives)


def _spark(text: str) -> bool:
    """True where Spark reads times by every letter outside quotes, and a year and a day are among them."""
    unquoted = re.sub(r"'[^']*'", "", text)
    runs = [found[0] for found in re.finditer(r"([A-Za-z'])\1*", unquoted)]
    letters = {run[0] for run in runs}
    known = all(len(run) <= _SPARK.get(run[0], 0) for run in runs) and not {"V", "OO", "OOO"} & set(runs)
    return known and "y" in letters and bool(letters & {"d", "D"})


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone by its IANA name, or an offset such as `+02:00`."""

    name: str = "time zone"

    def parse(self, text: str) -> object:
        """The name."""
        from zoneinfo import ZoneInfo

        stripped = text.strip()
        if re.fullmatch(r"[+-](0[0-9]|1[0-7]):[0-5][0-9]|[+-]18:00", stripped):
            return stripped
        try:
            ZoneInfo(stripped)
        except (KeyError, ValueError, OSError):
            hint = "write UTC, Europe/Berlin or +02:00"
            raise InvalidProperty(f"'{text}' is not a time zone", hint=hint) from None
        return stripped


_EVERYWHERE = (Scope.JOB, Scope.SOURCE)

EVENT_TIME = (
    Property(
        "event.time.field",
        Text("column"),
        "the column that holds the event time; without it, event time is the record time",
        "trade_time",
        aliases=("timestamp", "event.time.column"),
        scopes=(Scope.SOURCE,),
    ),
    Property(
        "event.time.format",
        TimeFormat(),
        "how the event time is written: epoch_millis, epoch_seconds, iso8601, a strptime or Spark pattern, or auto",
        "epoch_millis",
        default="auto",
        aliases=("timestamp.format",),
        scopes=_EVERYWHERE,
    ),
    Property(
        "event.time.zone",
        Zone(),
        "the time zone of times that do not name theirs",
        "Europe/Berlin",
        default="UTC",
        scopes=_EVERYWHERE,
    ),
    Property(
        "event.time.fallback",
        Choice(("dead_letter", "record_time", "null")),
        "what becomes of a record whose event time cannot be read: a dead letter, or the record time or none instead",
        "record_time",
        default="dead_letter",
        scopes=_EVERYWHERE,
    ),
    Property(
        "event.time.max_clock_skew",
        Duration(off=True),
        "events further in the future than this are dead letters, so that no bad clock drags the watermark forward",
        "30s",
        default="off",
        scopes=_EVERYWHERE,
    ),
    Property(
        "time.semantics",
        Choice(("event", "processing")),
        "what windows go by: the time in the events, or the time of their arrival",
        "processing",
        default="event",
        scopes=(Scope.JOB,),
    ),
)
