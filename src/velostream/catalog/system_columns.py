"""System columns: what every record and every windowed row knows about itself beside its data."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.registry import by_name
from velostream.types import BIGINT, BOOLEAN, HEADERS, INT, STRING, TIMESTAMP, Type

RECORD = "record"
SOURCE = "source"
WINDOW = "window"


@dataclass(frozen=True, slots=True)
class SystemColumn:
    """One system column; `aliases` are the names that Flink and ksqlDB users type."""

    name: str
    type: Type
    category: str
    meaning: str
    example: str
    aliases: tuple[str, ...] = ()


_COLUMNS = (
    SystemColumn(
        "_timestamp",
        TIMESTAMP,
        RECORD,
        "record time: Kafka's message time, else the time of reading",
        "WHERE _timestamp > NOW() - INTERVAL 1 HOUR",
        ("ROWTIME", "$rowtime"),
    ),
    SystemColumn(
        "_event_time",
        TIMESTAMP,
        RECORD,
        "event time: what windows and watermarks go by",
        "SELECT symbol, _event_time",
    ),
    SystemColumn(
        "_processing_time",
        TIMESTAMP,
        RECORD,
        "time at which the batch that holds the record was planned",
        "SELECT _processing_time - _event_time AS delay",
        ("$proctime",),
    ),
    SystemColumn("_partition", INT, SOURCE, "partition of the source", "GROUP BY _partition", ("ROWPARTITION",)),
    SystemColumn(
        "_offset",
        BIGINT,
        SOURCE,
        "offset in the partition, or index in the file",
        "WHERE _offset % 100 = 0",
        ("ROWOFFSET",),
    ),
    SystemColumn("_topic", STRING, SOURCE, "topic, or path of the file", "SELECT _topic, COUNT(*)"),
    SystemColumn("_key", STRING, SOURCE, "message key", "GROUP BY _key", ("ROWKEY",)),
    SystemColumn(
        "_headers",
        HEADERS,
        SOURCE,
        "message headers; HEADER('k') reads one",
        "SELECT HEADER('trace-id') AS trace",
    ),
    SystemColumn(
        "_window_start",
        TIMESTAMP,
        WINDOW,
        "start of the window, inclusive",
        "SELECT _window_start, COUNT(*)",
        ("window_start", "WINDOWSTART"),
    ),
    SystemColumn(
        "_window_end",
        TIMESTAMP,
        WINDOW,
        "end of the window, exclusive",
        "SELECT _window_end, COUNT(*)",
        ("window_end", "WINDOWEND"),
    ),
    SystemColumn(
        "_emission",
        STRING,
        WINDOW,
        "why the row was emitted: early, final, late, change or retract",
        "SELECT _emission, COUNT(*)",
    ),
    SystemColumn(
        "_revision",
        INT,
        WINDOW,
        "how often this window and group has been emitted, from 1",
        "SELECT _revision, SUM(amount)",
    ),
    SystemColumn(
        "_watermark", TIMESTAMP, WINDOW, "watermark when the row was emitted", "SELECT _window_end, _watermark"
    ),
    SystemColumn("_event_count", BIGINT, WINDOW, "records in the window and group", "HAVING _event_count > 10"),
    SystemColumn("_filled", BOOLEAN, WINDOW, "true for a row that gap filling made", "SELECT _filled, AVG(v)"),
    SystemColumn("closed_by", STRING, WINDOW, "what closed a session: gap or max", "SELECT closed_by, COUNT(*)"),
)

SYSTEM_COLUMNS: dict[str, SystemColumn] = by_name(_COLUMNS)
_SPELLINGS = {spelling.casefold(): column for column in _COLUMNS for spelling in (column.name, *column.aliases)}


def find(name: str) -> SystemColumn | None:
    """The system column that a name means in any letter case, by its own name or one from elsewhere."""
    return _SPELLINGS.get(name.casefold())


AS_WRITTEN = "as a job has written it"
"""The COMMENT of a column, in the declaration of what a job has written, that was a system column of its rows."""


def is_reserved(name: str) -> bool:
    """True where a user's column of that name would hide a system column."""
    column = find(name)
    return column is not None and column.name.startswith("_") and column.name == name.casefold()
