"""S3 as a source: objects found by listing, or told by a queue of notifications."""

from __future__ import annotations

from velostream.config.connections.s3 import S3, QueueUrl, S3Path
from velostream.config.kinds import Boolean
from velostream.config.property import Property
from velostream.config.rule import Needs
from velostream.sources.base import Source
from velostream.sources.reading_files import FILE_COLUMNS, FILE_FORMATS, READING_FILES, extent_of_files

S3_SOURCE = Source(
    name="s3_source",
    doc="objects in S3, watched for new ones",
    options=(
        Property(
            "path", S3Path(), "a bucket and a key, a prefix or a glob", "s3://bucket/trades/*.parquet", required=True
        ),
        *READING_FILES,
        Property(
            "s3.notifications",
            QueueUrl(),
            "a queue of SQS that tells of new objects, instead of listing the bucket again and again",
            "https://sqs.eu-west-1.amazonaws.com/123456789012/trades",
            aliases=("notifications",),
        ),
        Property(
            "s3.notifications.existing",
            Boolean(),
            "whether the objects that are there at the first start are read too, by listing the bucket once",
            "false",
            default="true",
        ),
        *S3,
    ),
    extent=extent_of_files,
    formats=FILE_FORMATS,
    rules=(Needs("s3.notifications.existing", "s3.notifications", written=True),),
    aliases=("s3",),
    system="s3",
    columns=FILE_COLUMNS,
)
