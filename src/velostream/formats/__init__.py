"""Formats: bytes to columns and back, and where the columns are known from. One format per file."""

from velostream.formats.avro import AVRO
from velostream.formats.base import Format
from velostream.formats.csv import CSV
from velostream.formats.debezium import DEBEZIUM_AVRO, DEBEZIUM_JSON
from velostream.formats.json import JSON, JSONL
from velostream.formats.parquet import PARQUET
from velostream.formats.plain import BYTES_FORMAT, STRING_FORMAT
from velostream.formats.protobuf import PROTOBUF
from velostream.registry import by_name

__all__ = ["FORMATS", "Format"]

_FORMATS = (
    JSON,
    JSONL,
    AVRO,
    PROTOBUF,
    CSV,
    STRING_FORMAT,
    BYTES_FORMAT,
    PARQUET,
    DEBEZIUM_JSON,
    DEBEZIUM_AVRO,
)

FORMATS: dict[str, Format] = by_name(_FORMATS)
