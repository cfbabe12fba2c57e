"""Sources: what records are read from. One connector per file, one line here."""

from velostream.config.connections.address import Address
from velostream.errors import InvalidProperty
from velostream.registry import by_name
from velostream.sources.base import Extent, Source
from velostream.sources.database import DATABASE_SOURCE
from velostream.sources.datagen import DATAGEN_SOURCE
from velostream.sources.file import FILE_SOURCE
from velostream.sources.http import HTTP_SOURCE
from velostream.sources.kafka import KAFKA_SOURCE
from velostream.sources.s3 import S3_SOURCE

__all__ = ["SOURCES", "Extent", "Source", "source_at"]

_SOURCES = (KAFKA_SOURCE, FILE_SOURCE, DATABASE_SOURCE, HTTP_SOURCE, S3_SOURCE, DATAGEN_SOURCE)

SOURCES: dict[str, Source] = by_name(_SOURCES)


def source_at(address: Address) -> Source:
    """The connector that reads what an address names."""
    for source in _SOURCES:
        if source.system == address.system:
            return source
    raise InvalidProperty(f"nothing reads from '{address.system}://'")
