"""Sinks: what results are written to. One connector per file, one line here."""

from velostream.config.connections.address import Address
from velostream.errors import InvalidProperty
from velostream.registry import by_name
from velostream.sinks.base import Guarantee, Sink, WriteMode
from velostream.sinks.console import CONSOLE_SINK
from velostream.sinks.database import DATABASE_SINK
from velostream.sinks.delta import DELTA_SINK
from velostream.sinks.file import FILE_SINK
from velostream.sinks.http import HTTP_SINK
from velostream.sinks.iceberg import ICEBERG_SINK
from velostream.sinks.kafka import KAFKA_SINK
from velostream.sinks.memory import MEMORY_SINK

__all__ = ["SINKS", "Guarantee", "Sink", "WriteMode", "sink_at"]

_SINKS = (
    KAFKA_SINK,
    FILE_SINK,
    DATABASE_SINK,
    CONSOLE_SINK,
    MEMORY_SINK,
    HTTP_SINK,
    DELTA_SINK,
    ICEBERG_SINK,
)

SINKS: dict[str, Sink] = by_name(_SINKS)


def sink_at(address: Address) -> Sink:
    """The connector that writes to what an address names; objects in S3 are files."""
    system = "file" if address.system == "s3" else address.system
    for sink in _SINKS:
        if sink.system == system:
            return sink
    raise InvalidProperty(f"nothing writes to '{address.system}://'")
