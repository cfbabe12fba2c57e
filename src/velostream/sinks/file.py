"""Files as a sink: whole files appear at once, each row exactly once."""

from __future__ import annotations

from velostream.config.connections.files import FilePath
from velostream.config.connections.s3 import S3
from velostream.config.kinds import Choice, Duration, Size
from velostream.config.property import Property
from velostream.formats import FORMATS
from velostream.formats.base import format_property
from velostream.sinks.base import DELIVERY_GUARANTEE, Guarantee, Sink, always

_FORMATS = tuple(FORMATS[name] for name in ("jsonl", "csv", "parquet", "json"))

FILE_SINK = Sink(
    name="file_sink",
    doc="files in a folder, on disk or in S3",
    options=(
        Property(
            "path",
            FilePath(remote=True),
            "the folder that files are written into; a relative one starts from the folder of the SQL file",
            "out/alerts",
            required=True,
        ),
        format_property(_FORMATS, default="jsonl"),
        Property(
            "compression",
            Choice(("none", "gzip", "snappy", "zstd", "lz4")),
            "how files are compressed; without it Parquet by snappy, others not",
            "gzip",
        ),
        Property(
            "rotation.size",
            Size(),
            "about how large a file becomes at most",
            "128MB",
            default="128MB",
            aliases=("sink.rolling-policy.file-size",),
        ),
        Property(
            "rotation.interval",
            Duration(positive=True),
            "keeps the rows of several micro-batches for one file, which appears when the first of them is older than "
            "this, when they have rotation.size, and when the job stops; without it each micro-batch has its own files",
            "10m",
            aliases=("sink.rolling-policy.rollover-interval",),
        ),
        DELIVERY_GUARANTEE,
        *S3,
    ),
    guarantee=always(Guarantee.EXACTLY_ONCE),
    formats=_FORMATS,
    aliases=("file", "filesystem"),
    system="file",
)
