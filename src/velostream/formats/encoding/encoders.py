"""Encoders: rows of an Arrow table to an array of bytes, one value for each row. They travel to workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from velostream.errors import VeloError
from velostream.formats.encoding.avro import avro_encoder
from velostream.formats.encoding.csv_texts import CsvStyle, csv_rows
from velostream.formats.encoding.debezium import debezium_avro, debezium_json
from velostream.formats.encoding.encoded import Encoded
from velostream.formats.encoding.json_texts import json_rows, json_texts
from velostream.formats.encoding.key_texts import key_texts
from velostream.formats.encoding.plain_texts import plain_texts, whole
from velostream.formats.encoding.protobuf import protobuf_encoder
from velostream.formats.registry import registry_of
from velostream.formats.registry.framing import framed
from velostream.formats.schemas.made_json import json_schema

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings


class Encoder(Protocol):
    """What makes bytes of rows."""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """One value of type BINARY for each row; NULL is a message without a value or key."""


def value_encoder(
    sink: str, columns: pa.Schema, settings: Settings, folder: Path = Path(), subject: str = ""
) -> Encoder:
    """The encoder of message values for a sink's settings; what cannot be written is refused now."""
    wanted = Encoded(columns, settings, sink, folder, subject)
    return _ENCODERS[wanted.format](wanted)


def key_encoder(sink: str, columns: pa.Schema, settings: Settings, folder: Path = Path(), subject: str = "") -> Encoder:
    """The encoder of message keys, whose columns are `columns`, by `key.format`."""
    wanted = Encoded(columns, settings, sink, folder, subject, key=True)
    return _KEY_ENCODERS[wanted.format](wanted)


@dataclass(frozen=True)
class JsonEncoder:
    """A JSON object for each row, behind `head`; a key of one column is its value alone."""

    alone: bool = False
    head: bytes = b""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        import pyarrow.compute as pc

        if self.alone:
            only = whole(rows.column(0))
            made = as_bytes(pc.if_else(only.is_valid(), json_texts(only), None))
        else:
            made = as_bytes(json_rows(rows))
        return pc.binary_join_element_wise(self.head, made, b"") if self.head else made


@dataclass(frozen=True)
class CsvEncoder:
    """A line of CSV for each row, without a header."""

    style: CsvStyle

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        return as_bytes(csv_rows(rows, self.style))


@dataclass(frozen=True)
class TextEncoder:
    """The one column of the rows as text."""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        return as_bytes(plain_texts(whole(rows.column(0))))


@dataclass(frozen=True)
class BytesEncoder:
    """The one column of the rows as it is."""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        return as_bytes(whole(rows.column(0)))


@dataclass(frozen=True)
class KeyTextEncoder:
    """A key as text; a compound one is its values joined."""

    def __call__(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """As `Encoder` says."""
        return as_bytes(key_texts([whole(column) for column in rows.columns]))


def as_bytes(texts: pa.Array) -> pa.Array:
    """Texts as their bytes."""
    import pyarrow as pa

    return texts.cast(pa.binary())


def _json(wanted: Encoded) -> Encoder:
    """JSON; with a registry behind the number of its schema, which is made of the columns."""
    alone = wanted.key and len(wanted.columns) == 1
    registry = registry_of(wanted.settings)
    if registry is None:
        return JsonEncoder(alone)
    text = json.dumps(json_schema(wanted.columns, wanted.subject or wanted.sink))
    return JsonEncoder(alone, framed(registry.register(wanted.subject_name, "JSON", text)))


def _text(wanted: Encoded) -> Encoder:
    _alone(wanted)
    return TextEncoder()


def _bytes(wanted: Encoded) -> Encoder:
    import pyarrow as pa

    _alone(wanted)
    kind = wanted.columns.field(0).type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return BytesEncoder()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return BytesEncoder()
    name = wanted.columns.names[0]
    message = f"{wanted.what} has format bytes, and column '{name}' is neither BINARY nor STRING"
    raise VeloError(message, hint=f"CAST({name} AS STRING), or another format", code="invalid-schema")


def _alone(wanted: Encoded) -> None:
    count = len(wanted.columns)
    if count != 1:
        message = f"{wanted.what} has format {wanted.format}, which is one column, not {count}"
        raise VeloError(message, hint="select one column, or use json, csv, avro or protobuf", code="invalid-schema")


def _csv(wanted: Encoded) -> Encoder:
    return CsvEncoder(CsvStyle.of(wanted.settings))


_ENCODERS: dict[str, Callable[[Encoded], Encoder]] = {
    "json": _json,
    "avro": avro_encoder,
    "protobuf": protobuf_encoder,
    "debezium_json": debezium_json,
    "debezium_avro": debezium_avro,
    "csv": _csv,
    "string": _text,
    "bytes": _bytes,
}
_KEY_ENCODERS: dict[str, Callable[[Encoded], Encoder]] = {
    "json": _json,
    "avro": avro_encoder,
    "protobuf": protobuf_encoder,
    "csv": _csv,
    "string": lambda wanted: KeyTextEncoder(),
    "bytes": lambda wanted: _bytes(wanted) if len(wanted.columns) == 1 else KeyTextEncoder(),
}
