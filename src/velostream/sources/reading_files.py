"""What files on disk and in S3 have in common as sources."""

from __future__ import annotations

from velostream.config.connections.waiting import waiting
from velostream.config.kinds import Boolean, Duration, Integer, Text
from velostream.config.property import Property
from velostream.config.settings import Settings
from velostream.formats import FORMATS
from velostream.formats.base import format_property
from velostream.sources.base import Extent

FILE_FORMATS = tuple(FORMATS[name] for name in ("csv", "jsonl", "json", "parquet", "avro", "string", "debezium_json"))
FILE_COLUMNS = ("_partition", "_offset", "_topic")

READING_FILES = (
    format_property(FILE_FORMATS),
    Property(
        "watch",
        Boolean(),
        "whether to go on looking for new files; without it yes, unless the run ends with its input",
        "false",
    ),
    Property(
        "watch.interval",
        Duration(positive=True),
        "how often to look for new files",
        "10s",
        default="1s",
        aliases=("source.monitor-interval",),
    ),
    Property("files.per.batch", Integer(least=1), "how many files one micro-batch takes, in order of name", "10"),
    Property(
        "partition.by",
        Text("column"),
        "what gives a record its partition: `file`, or a column; without it the source is one partition",
        "file",
    ),
    Property(
        "growing",
        Boolean(),
        "whether files that were read may grow; otherwise a changed file is an error",
        "true",
        default="false",
    ),
    *waiting("file"),
)


def extent_of_files(settings: Settings) -> Extent:
    """Files end unless they are watched."""
    watched = settings.get("watch")
    if watched is None:
        return Extent.EITHER
    return Extent.UNBOUNDED if watched else Extent.BOUNDED
