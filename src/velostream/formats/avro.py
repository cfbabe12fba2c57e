"""Avro: records by a schema, from a file, a registry, or the header of the data file."""

from velostream.formats.base import Format
from velostream.formats.schema_options import REGISTRY

AVRO = Format(
    "avro",
    "Avro records; with a registry, in Confluent's framing",
    REGISTRY,
    aliases=("avro_confluent",),
    needs_schema=True,
)
