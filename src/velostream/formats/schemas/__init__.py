"""Schema files: Avro, JSON Schema, Protobuf, column lists. One reader per file, chosen by `read_schema`."""

from velostream.formats.schemas.file import read_schema

__all__ = ["read_schema"]
