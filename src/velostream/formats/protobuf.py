"""Protobuf: messages by a .proto file or a registry."""

from velostream.formats.base import Format
from velostream.formats.schema_options import MESSAGE, REGISTRY

PROTOBUF = Format(
    "protobuf",
    "Protobuf messages; with a registry, in Confluent's framing",
    (*MESSAGE, *REGISTRY),
    aliases=("proto",),
    needs_schema=True,
)
